"""`/api/1/session` and `/api/1/sessions`: signing in and out, and all browsers that are signed in."""

import logging
from typing import Annotated, Final

import falcon
import msgspec
from msgspec import Meta, Struct

from dayline.access.caller import Caller
from dayline.access.gate import CONFIRMATION, Gate, check_confirmed
from dayline.access.peers import UNIX, is_loopback
from dayline.access.sessions import CODE_S
from dayline.api.admin import envelope, keys
from dayline.api.admin.keys import AuditPage, KeyRotation, KeyView, MadeKey, NewKey
from dayline.api.http.call import Call
from dayline.api.http.headers import drop_session, keep_session, session_token
from dayline.api.http.route import DONE, Answer, Body, Parameter, Route
from dayline.model.access import AuditFilter, KeyId, Scope, Session, SessionId
from dayline.model.data import decode_body
from dayline.model.errors import Invalid, NotFound, TooMany, Unauthorised
from dayline.model.health import Problem
from dayline.model.time import Timestamp, format_timestamp
from dayline.runtime.threads import in_thread

log = logging.getLogger("dayline")

_LONGEST = 200
_BODY_BYTES = 4 << 10
_EARLIER_SIGN_INS: Final = 1000  # lines of the audit trail, refusals among them
# What user agents contain, in the order to look for it: most of them name several browsers and systems.
_BROWSERS: Final = (
    ("Edg", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("FxiOS/", "Firefox"), ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"), ("Safari/", "Safari"), ("curl/", "curl"),
)  # fmt: skip
_SYSTEMS: Final = (
    ("Android", "Android"), ("iPhone", "iPhone"), ("iPad", "iPad"), ("Windows", "Windows"), ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"), ("Linux", "Linux"),
)  # fmt: skip


class SignIn(Struct, frozen=True, kw_only=True):
    """A key, or the one-time code of a link that `dayline open` has made."""

    key: Annotated[str, Meta(max_length=_LONGEST)] | None = None
    code: Annotated[str, Meta(max_length=_LONGEST)] | None = None


class SessionView(Struct, frozen=True, kw_only=True):
    """Whether this server asks for a key, and who this browser is signed in as; `null` where it is not.

    Without a key id it is signed in as the owner, by a one-time code that was made without a key.
    """

    needs_key: bool
    is_signed_in: bool
    scope: Scope | None
    buckets: list[str]
    key_id: KeyId | None
    expires: Timestamp | None


class SignedInBrowser(Struct, frozen=True, kw_only=True):
    """A browser that is signed in. Without a key id it is signed in as the owner.

    `address` is where it signed in. `is_new_address` is true if nobody had signed in from there before, until the
    sign-in is confirmed.
    """

    id: SessionId
    device: Annotated[
        str, Meta(description="browser and system, as far as the user agent says", examples=["Firefox on Linux"])
    ]
    user_agent: str
    key_id: KeyId | None
    key_name: str | None
    scope: Scope
    address: str
    is_new_address: bool
    started: Timestamp
    last_used: Timestamp | None
    last_address: str | None
    expires: Timestamp
    is_current: Annotated[bool, Meta(description="whether it is the browser that asks")]


class OtherSessions(Struct, frozen=True, kw_only=True):
    """How many browsers were signed out."""

    ended: int


class SignInCode(Struct, frozen=True, kw_only=True):
    """A code that signs one browser in as the one who asked for it, once and soon. It ends with their key."""

    code: str
    expires_in_s: int


_sign_in = msgspec.json.Decoder(SignIn)


async def get_session(call: Call) -> None:
    """For pages: whether to show the way in."""
    call.answer_value(_view(call, _current(call)))


async def begin_session(call: Call) -> None:
    """Sets a cookie that scripts cannot read. Calls that change something then need the header `X-Dayline: 1`."""
    with call.server.unproven_bodies.held() as hold:
        hold(_BODY_BYTES)
        shown = decode_body(await call.json_body(limit=_BODY_BYTES), _sign_in)
    if (shown.key is None) == (shown.code is None):
        raise Invalid("send either a key or a code", hint='{"key": "dayline_…"}')
    gate, address = call.server.gate, call.seen.address
    gate.check_plain_allowed()
    if shown.key is not None:
        caller = gate.keyring.caller(shown.key)
        if caller is None:
            raise gate.refuse(address, "the key is not valid here: unknown, expired or revoked")
    else:
        caller = gate.sessions.use_code(shown.code or "")
        if caller is None:
            raise gate.refuse(address, "the code is not valid: used, older than five minutes, or of a revoked key")
    is_new = await _is_new_address(call, caller)
    token, session = await gate.sessions.begin(
        key_id=caller.key_id or None,
        address=address,
        agent=call.request.user_agent or "",
        is_new_address=is_new,
    )
    if is_new:
        log.warning("Sign-in from a new address: %s", _described(gate, session))
    keep_session(call.response, token, session, seen=call.seen, port=call.server.port, base_path=call.server.base_path)
    await call.note_as(gate.sessions.caller(session), begin_session.__name__, status=201)
    call.response.status = falcon.HTTP_201
    call.answer_value(_view(call, session))


async def end_session(call: Call) -> None:
    """Signs this browser out; also where it was not signed in."""
    session = _current(call)
    if session is not None:
        check_confirmed(call.request.get_header(CONFIRMATION))
        sessions = call.server.gate.sessions
        await sessions.end(call.access, session)
        await call.note_as(sessions.caller(session), end_session.__name__, status=200)
    drop_session(call.response, seen=call.seen, port=call.server.port, base_path=call.server.base_path)
    call.answer_json(b"{}")


async def end_other_sessions(call: Call) -> None:
    """Signs out every browser but the one that asks; where several people share a database, your own alone."""
    ended = await call.server.gate.sessions.end_all(call.access, tenant=call.caller.tenant, but=_current(call))
    call.answer_value(OtherSessions(ended=ended))


async def list_sessions(call: Call) -> None:
    """Only browsers that are signed in now. Where several people share a database, your own alone."""
    sessions, current = call.server.gate.sessions, _current(call)
    sessions.note_stored(await in_thread(call.access.sessions))
    found = sorted(sessions.all(tenant=call.caller.tenant), key=lambda one: one.last_used or one.created, reverse=True)
    call.answer_value([_browser(call, session, current) for session in found])


async def end_all_sessions(call: Call) -> None:
    """Signs out every browser, also the one that asks; where several people share a database, your own alone."""
    ended = await call.server.gate.sessions.end_all(call.access, tenant=call.caller.tenant)
    call.answer_value(OtherSessions(ended=ended))


async def revoke_session(call: Call) -> None:
    """From now on the browser is signed out. The key that it signed in with stays valid."""
    sessions, current = call.server.gate.sessions, _current(call)
    session = sessions.find_by_id(call.params["session_id"], tenant=call.caller.tenant)
    await sessions.end(call.access, session)
    call.answer_value(_browser(call, session, current))


async def confirm_session(call: Call) -> None:
    """Health no longer reports the sign-in. Later sign-ins from the same address are not reported either."""
    sessions = call.server.gate.sessions
    session = sessions.find_by_id(call.params["session_id"], tenant=call.caller.tenant)
    call.answer_value(_browser(call, await sessions.confirm(call.access, session), _current(call)))


def sign_in_problems(gate: Gate, *, tenant: str) -> list[Problem]:
    """The sign-ins of a tenant from a new address, for health."""
    return [
        Problem(
            kind="sign-in",
            message=f"sign-in from a new address: {_described(gate, session)}",
            hint=f"if it was you: dayline keys sessions confirm {session.id}; if not: {_ending(session)}",
            since=format_timestamp(session.created),
        )
        for session in gate.sessions.unconfirmed(tenant=tenant)
    ]


def device_of(agent: str) -> str:
    """Browser and system for a list, such as `Firefox on Linux`."""
    browser = next((name for part, name in _BROWSERS if part in agent), "")
    system = next((name for part, name in _SYSTEMS if part in agent), "")
    return " on ".join(part for part in (browser, system) if part) or "unknown"


async def create_sign_in_code(call: Call) -> None:
    """What `dayline open` asks for: the code goes behind the `#` of a link, where no log and no proxy sees it."""
    call.response.status = falcon.HTTP_201
    code = call.server.gate.sessions.new_code(call.caller.key_id or None)
    call.answer_value(SignInCode(code=code, expires_in_s=CODE_S))


async def _is_new_address(call: Call, caller: Caller) -> bool:
    """Whether nobody has signed in to the data of this caller from this address, for as long as the audit reaches.

    This machine itself is never new.
    """
    address = call.seen.address
    if address == UNIX or is_loopback(address):
        return False
    services = await call.tenant_of(caller.tenant)
    await services.trail.flush()
    earlier = AuditFilter(call=begin_session.__name__, address=address, limit=_EARLIER_SIGN_INS)
    return all(entry.status >= 400 for entry in await in_thread(services.access.audit, earlier))


def _described(gate: Gate, session: Session) -> str:
    key = None if session.key_id is None else gate.keyring.known(session.key_id)
    by = "as the owner" if key is None else f"with the key {key.name!r} ({key.id})"
    return f"{session.address}, {device_of(session.agent)}, {by}"


def _ending(session: Session) -> str:
    """The command that keeps a stranger out: of the key too, which would sign them in again."""
    return (
        f"dayline keys sessions revoke {session.id}"
        if session.key_id is None
        else f"dayline keys revoke {session.key_id}"
    )


def _browser(call: Call, session: Session, current: Session | None) -> SignedInBrowser:
    key = None if session.key_id is None else call.server.gate.keyring.known(session.key_id)
    return SignedInBrowser(
        id=session.id,
        device=device_of(session.agent),
        user_agent=session.agent,
        key_id=session.key_id,
        key_name=None if key is None else key.name,
        scope="full" if key is None else key.scope,
        address=session.address,
        is_new_address=session.confirmed is None,
        started=format_timestamp(session.created),
        last_used=None if session.last_used is None else format_timestamp(session.last_used),
        last_address=session.last_address,
        expires=format_timestamp(session.expires),
        is_current=current is not None and current.digest == session.digest,
    )


def _current(call: Call) -> Session | None:
    token = session_token(call.request, call.server.port)
    return None if token is None else call.server.gate.sessions.find(token)


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


# Routes.


_KEY = "dayline_k3f5a2bq_…"
_NEW_KEY = {"name": "laptop-watcher", "scope": "append", "buckets": ["aw-watcher-*_laptop"]}
_AUDIT = (
    Parameter(name="cursor", type=Annotated[int, Meta(ge=1)], description="only lines begun before this one"),
    Parameter(
        name="limit", type=Annotated[int, Meta(ge=1)], description="at most so many lines; 100 where it is left out"
    ),
    Parameter(name="key", type=str, description="only calls with the key of this id"),
    Parameter(name="bucket", type=str, description="only calls about this bucket"),
    Parameter(name="call", type=str, description="only this call, by its name in the OpenAPI document"),
    Parameter(name="address", type=str, description="only calls from this address"),
    Parameter(name="refused", type=bool, description="only what was refused"),
    Parameter(name="since", type=Timestamp, description="only lines that reach this time"),
    Parameter(name="until", type=Timestamp, description="only lines begun before this time"),
)

CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/1/session", handler=get_session, tag="access", scope=None,
        summary="Tell whether this browser is signed in", answer=Answer(type=SessionView, description="who it is"),
    ),
    Route(
        method="POST", path="/api/1/session", handler=begin_session, tag="access", scope=None,
        summary="Sign this browser in", body=Body(type=SignIn, example={"key": _KEY}),
        answer=Answer(type=SessionView, description="who it is now", status=201), errors=(Unauthorised, TooMany),
    ),
    Route(
        method="DELETE", path="/api/1/session", handler=end_session, tag="access", scope=None,
        summary="Sign this browser out", answer=DONE,
    ),
    Route(
        method="POST", path="/api/1/session/codes", handler=create_sign_in_code, tag="access", scope="full",
        is_server_wide=True, is_of_server=True, summary="Make a one-time code that signs a browser in",
        answer=Answer(type=SignInCode, description="the code", status=201),
    ),
    Route(
        method="DELETE", path="/api/1/session/others", handler=end_other_sessions, tag="access", scope="full",
        is_server_wide=True, is_destructive=True, summary="Sign all other browsers out",
        answer=Answer(type=OtherSessions, description="how many there were"),
    ),
    Route(
        method="GET", path="/api/1/sessions", handler=list_sessions, tag="access", scope="full",
        is_server_wide=True, summary="List the browsers that are signed in",
        answer=Answer(type=list[SignedInBrowser], description="the one used last first"),
    ),
    Route(
        method="DELETE", path="/api/1/sessions", handler=end_all_sessions, tag="access", scope="full",
        is_server_wide=True, is_destructive=True, summary="Sign all browsers out",
        answer=Answer(type=OtherSessions, description="how many there were"),
    ),
    Route(
        method="DELETE", path="/api/1/sessions/{session_id}", handler=revoke_session, tag="access",
        scope="full", is_server_wide=True, is_destructive=True, summary="Sign a browser out",
        answer=Answer(type=SignedInBrowser, description="the session that has ended"), errors=(NotFound,),
    ),
    Route(
        method="POST", path="/api/1/sessions/{session_id}/confirm", handler=confirm_session, tag="access",
        scope="full", is_server_wide=True, is_destructive=True,
        summary="Confirm that you signed in from a new address",
        answer=Answer(type=SignedInBrowser, description="the session as it is now"), errors=(NotFound,),
    ),
    Route(
        method="GET", path="/api/1/keys", handler=keys.list_keys, tag="access", scope="full", is_server_wide=True,
        summary="List the keys", answer=Answer(type=list[KeyView], description="every key, without its text"),
    ),
    Route(
        method="POST", path="/api/1/keys", handler=keys.create_key, tag="access", scope="full", is_server_wide=True,
        is_destructive=True, summary="Make a key", body=Body(type=NewKey, example=_NEW_KEY),
        answer=Answer(type=MadeKey, description="the key, told once", status=201),
    ),
    Route(
        method="DELETE", path="/api/1/keys/{key_id}", handler=keys.revoke_key, tag="access", scope="full",
        is_server_wide=True, is_destructive=True, summary="Revoke a key",
        answer=Answer(type=KeyView, description="the key as it is now"), errors=(NotFound,),
    ),
    Route(
        method="POST", path="/api/1/keys/{key_id}/rotate", handler=keys.rotate_key, tag="access", scope="full",
        is_server_wide=True, is_destructive=True, summary="Replace a key by a new one that may do the same",
        body=Body(type=KeyRotation, example={"grace_s": 3600}),
        answer=Answer(type=MadeKey, description="the new key, told once", status=201), errors=(NotFound,),
    ),
    Route(
        method="GET", path="/api/1/audit", handler=keys.get_audit, tag="access", scope="full", is_server_wide=True,
        summary="Read who has called", parameters=_AUDIT,
        answer=Answer(type=AuditPage, description="lines of the trail"),
    ),
    Route(
        method="POST", path="/api/1/envelope", handler=envelope.send_enveloped, tag="access", scope=None,
        summary="Make a call that nobody else can read",
        body=Body(type=str, example="eyJhbGciOiJkaXIi…", media="application/jose"),
        answer=Answer(type=str, description="the answer, sealed with the same key", media="application/jose"),
        errors=(Unauthorised, TooMany),
    ),
)  # fmt: skip
