"""`/api/1/session`: sign this browser in and out; codes and tickets of its session."""

import logging
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct

from dayline.access.sessions import CODE_S, TICKET_S
from dayline.api.admin.sessions import OtherSessions, current_session, session_text
from dayline.api.http.browser import browser_proof, drop_session, keep_session
from dayline.api.http.call import PEER_USER, Call
from dayline.api.http.route import DONE, Answer, Body, Route
from dayline.model.access import Caller, KeyId, Scope, Session
from dayline.model.audit import AuditFilter
from dayline.model.errors import Invalid, TooMany, Unauthorized
from dayline.model.time import Timestamp, format_timestamp
from dayline.runtime.threads import in_thread

log = logging.getLogger("dayline")

_MAX_SECRET_CHARACTERS = 200
_BODY_BYTES = 4 << 10
_EARLIER_SIGN_INS: Final = 1000  # lines of the audit log, including failed attempts


class SignIn(Struct, frozen=True, kw_only=True):
    """A key, or the one-time code of a link created by `dayline open`."""

    key: Annotated[str, Meta(max_length=_MAX_SECRET_CHARACTERS)] | None = None
    code: Annotated[str, Meta(max_length=_MAX_SECRET_CHARACTERS)] | None = None


class SessionView(Struct, frozen=True, kw_only=True):
    """Whether this server requires a key, and how this browser is signed in; the fields are `null` if it is not.

    Without a key id it is signed in as the owner, by a one-time code that was created without a key.
    """

    needs_key: bool
    is_signed_in: bool
    scope: Scope | None
    buckets: list[str]
    key_id: KeyId | None
    expires: Timestamp | None


class NewSession(SessionView, frozen=True, kw_only=True):
    """The session of the browser that has just signed in, with its secret, which is shown once."""

    secret: Annotated[
        str,
        Meta(
            description="send it in the header `X-Dayline` of every request: the cookie alone gives no access. "
            "A page keeps it in its local storage, which other ports cannot read"
        ),
    ]


class NewTicket(Struct, frozen=True, kw_only=True):
    """The path to download."""

    path: Annotated[str, Meta(description="the path of a GET request, without base path and query", max_length=2000)]


class Ticket(Struct, frozen=True, kw_only=True):
    """Proves the session of this browser in one GET request of the path, as the parameter `ticket`."""

    ticket: str
    expires_in_s: int


class SignInCode(Struct, frozen=True, kw_only=True):
    """A one-time code that signs one browser in with the caller's rights. It is revoked together with the key."""

    code: str
    expires_in_s: int


async def get_session(call: Call) -> None:
    """A page uses this to decide whether to show the sign-in form."""
    call.answer_value(_view(call, current_session(call)))


async def begin_session(call: Call) -> None:
    """Sets a cookie that scripts cannot read. Requests need the cookie, and the `secret` in the header `X-Dayline`.

    Browsers send a cookie to every port of a host, and so to servers of other users. If you sign in from the server's
    computer, only your own user and root can use the session, where the system reports the user of a connection.
    """
    with call.server.unproven_bodies.held() as hold:
        hold(_BODY_BYTES)
        credentials = await call.decoded(SignIn, limit=_BODY_BYTES)
    if (credentials.key is None) == (credentials.code is None):
        raise Invalid("send either a key or a code", hint='{"key": "dayline_…"}')
    gate, address = call.server.gate, call.origin.address
    gate.check_plain_allowed()
    if credentials.key is not None:
        caller = gate.keyring.caller(credentials.key)
        if caller is None:
            raise gate.refuse(address, "invalid key: it is unknown, expired or revoked")
    else:
        caller = gate.sessions.use_code(credentials.code or "")
        if caller is None:
            raise gate.refuse(address, "invalid code: it was used, is older than five minutes, or its key was revoked")
    is_new = await _is_new_address(call, caller)
    user = call.request.scope["state"].get(PEER_USER)
    signed_in = await gate.sessions.begin(
        key_id=caller.key_id or None,
        address=address,
        agent=call.request.user_agent or "",
        uid=None if user is None else user(),
        is_new_address=is_new,
    )
    session = signed_in.session
    if is_new:
        log.warning("Sign-in from a new address: %s", session_text(gate, session))
    keep_session(
        call.response,
        signed_in.cookie,
        session,
        origin=call.origin,
        port=call.server.port,
        base_path=call.server.base_path,
    )
    await call.note_as(gate.sessions.caller(session), begin_session.__name__, status=201)
    view = msgspec.structs.asdict(_view(call, session))
    call.answer_value(NewSession(**view, secret=signed_in.secret), status=201)


async def create_ticket(call: Call) -> None:
    """For downloads: a link cannot send the header `X-Dayline`. Add `ticket=` to its query within a minute.

    The ticket works once, for this browser only.
    """
    wanted = await call.decoded(NewTicket, limit=_BODY_BYTES)
    proof = browser_proof(call.request, call.server.port)
    if not call.caller.session or proof is None:
        raise Invalid(
            "a ticket is for a browser that is signed in", hint="send the key of the request in the header instead"
        )
    ticket = call.server.gate.sessions.new_ticket(call.caller.session, cookie=proof.cookie, path=wanted.path)
    call.answer_value(Ticket(ticket=ticket, expires_in_s=TICKET_S), status=201)


async def end_session(call: Call) -> None:
    """Signs this browser out. Succeeds even if it was not signed in."""
    session = current_session(call)
    if session is not None:
        sessions = call.server.gate.sessions
        await sessions.end(call.access, session)
        await call.note_as(sessions.caller(session), end_session.__name__, status=200)
    drop_session(call.response, origin=call.origin, port=call.server.port, base_path=call.server.base_path)
    call.answer_json(b"{}")


async def end_other_sessions(call: Call) -> None:
    """Signs out every browser except the one that sends the request. A tenant's key affects only that tenant."""
    ended = await call.server.gate.sessions.end_all(call.access, tenant=call.caller.tenant, but=current_session(call))
    call.answer_value(OtherSessions(ended=ended))


async def create_sign_in_code(call: Call) -> None:
    """`dayline open` uses this: it puts the code into the fragment of a link, which logs and proxies do not see."""
    code = call.server.gate.sessions.new_code(call.caller.key_id or None)
    call.answer_value(SignInCode(code=code, expires_in_s=CODE_S), status=201)


async def _is_new_address(call: Call, caller: Caller) -> bool:
    """Whether the audit log has no earlier sign-in to this tenant's data from this address. Loopback is never new.

    An address whose last sign-in is not confirmed yet is still new.
    """
    address = call.origin.address
    if call.origin.is_here:
        return False
    if any(session.address == address for session in call.server.gate.sessions.unconfirmed(tenant=caller.tenant)):
        return True
    services = await call.tenant_of(caller.tenant)
    await services.audit_log.flush()
    earlier = AuditFilter(call=begin_session.__name__, address=address, limit=_EARLIER_SIGN_INS)
    return all(entry.status >= 400 for entry in await in_thread(services.access.audit, earlier))


def _view(call: Call, session: Session | None) -> SessionView:
    gate = call.server.gate
    caller = None if session is None else gate.sessions.caller(session)
    return SessionView(
        needs_key=gate.needs_keys,
        is_signed_in=caller is not None,
        scope=None if caller is None else caller.scope,
        buckets=[] if caller is None else list(caller.buckets.names),
        key_id=None if session is None else session.key_id,
        expires=None if session is None else format_timestamp(session.expires),
    )


_KEY = "dayline_k3f5a2bq_…"

CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/1/session", handler=get_session, tag="sessions", scope=None,
        summary="Show whether this browser is signed in",
        answer=Answer(type=SessionView, description="the session"),
    ),
    Route(
        method="POST", path="/api/1/session", handler=begin_session, tag="sessions", scope=None,
        summary="Sign this browser in", body=Body(type=SignIn, example={"key": _KEY}),
        answer=Answer(type=NewSession, description="the new session", status=201), errors=(Unauthorized, TooMany),
    ),
    Route(
        method="DELETE", path="/api/1/session", handler=end_session, tag="sessions", scope=None,
        summary="Sign this browser out", answer=DONE,
    ),
    Route(
        method="POST", path="/api/1/session/codes", handler=create_sign_in_code, tag="sessions", scope="full",
        audience="server", summary="Create a one-time sign-in code",
        answer=Answer(type=SignInCode, description="the code", status=201),
    ),
    Route(
        method="POST", path="/api/1/session/tickets", handler=create_ticket, tag="sessions", scope="read",
        summary="Create a ticket for a download", body=Body(type=NewTicket, example={"path": "/api/1/export"}),
        answer=Answer(type=Ticket, description="the ticket", status=201),
    ),
    Route(
        method="DELETE", path="/api/1/session/others", handler=end_other_sessions, tag="sessions", scope="full",
        audience="all buckets", is_destructive=True, summary="Sign all other browsers out",
        answer=Answer(type=OtherSessions, description="the number of browsers signed out"),
    ),
)  # fmt: skip
