"""`/api/1/session`: how a browser signs in and out; `/api/1/sessions`: all browsers that are signed in."""

import logging
from typing import Annotated, Final

import falcon
import msgspec
from msgspec import Meta, Struct

from dayline.access.addresses import is_loopback
from dayline.access.caller import Caller
from dayline.access.gate import CONFIRMATION, Gate, check_confirmed
from dayline.access.peers import UNIX
from dayline.access.sessions import CODE_S
from dayline.api.call import Call, in_thread
from dayline.api.cookies import drop_session, keep_session, session_token
from dayline.model.audit import AuditFilter, Session, SessionId
from dayline.model.errors import Invalid
from dayline.model.health import Problem
from dayline.model.keys import KeyId, Scope
from dayline.model.timestamps import Timestamp, format_timestamp
from dayline.model.wire import decode_body

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
    with call.services.unproven_bodies.held() as hold:
        hold(_BODY_BYTES)
        shown = decode_body(await call.json_body(limit=_BODY_BYTES), _sign_in)
    if (shown.key is None) == (shown.code is None):
        raise Invalid("send either a key or a code", hint='{"key": "dayline_…"}')
    gate, address = call.services.gate, call.seen.address
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
    keep_session(
        call.response, token, session, seen=call.seen, port=call.services.port, base_path=call.services.base_path
    )
    await call.note_as(gate.sessions.caller(session), begin_session.__name__, status=201)
    call.response.status = falcon.HTTP_201
    call.answer_value(_view(call, session))


async def end_session(call: Call) -> None:
    """Signs this browser out; also where it was not signed in."""
    session = _current(call)
    if session is not None:
        check_confirmed(call.request.get_header(CONFIRMATION))
        sessions = call.services.gate.sessions
        await sessions.end(call.access, session)
        await call.note_as(sessions.caller(session), end_session.__name__, status=200)
    drop_session(call.response, seen=call.seen, port=call.services.port, base_path=call.services.base_path)
    call.answer_json(b"{}")


async def end_other_sessions(call: Call) -> None:
    """Signs out every browser but the one that asks; where several people share a database, your own alone."""
    ended = await call.services.gate.sessions.end_all(call.access, tenant=call.caller.tenant, but=_current(call))
    call.answer_value(OtherSessions(ended=ended))


async def list_sessions(call: Call) -> None:
    """Only browsers that are signed in now. Where several people share a database, your own alone."""
    sessions, current = call.services.gate.sessions, _current(call)
    sessions.note_stored(await in_thread(call.access.sessions))
    found = sorted(sessions.all(tenant=call.caller.tenant), key=lambda one: one.last_used or one.created, reverse=True)
    call.answer_value([_browser(call, session, current) for session in found])


async def end_all_sessions(call: Call) -> None:
    """Signs out every browser, also the one that asks; where several people share a database, your own alone."""
    ended = await call.services.gate.sessions.end_all(call.access, tenant=call.caller.tenant)
    call.answer_value(OtherSessions(ended=ended))


async def revoke_session(call: Call) -> None:
    """From now on the browser is signed out. The key that it signed in with stays valid."""
    sessions, current = call.services.gate.sessions, _current(call)
    session = sessions.find_by_id(call.params["session_id"], tenant=call.caller.tenant)
    await sessions.end(call.access, session)
    call.answer_value(_browser(call, session, current))


async def confirm_session(call: Call) -> None:
    """Health no longer reports the sign-in. Later sign-ins from the same address are not reported either."""
    sessions = call.services.gate.sessions
    session = sessions.find_by_id(call.params["session_id"], tenant=call.caller.tenant)
    call.answer_value(_browser(call, await sessions.confirm(call.access, session), _current(call)))


def sign_in_problems(gate: Gate, *, tenant: str) -> list[Problem]:
    """The sign-ins of a tenant from a new address, for health."""
    return [
        Problem(
            kind="sign-in",
            message=f"sign-in from a new address: {_described(gate, session)}",
            hint=f"if it was you: dayline sessions confirm {session.id}; if not: {_ending(session)}",
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
    code = call.services.gate.sessions.new_code(call.caller.key_id or None)
    call.answer_value(SignInCode(code=code, expires_in_s=CODE_S))


async def _is_new_address(call: Call, caller: Caller) -> bool:
    """Whether nobody has signed in to the data of this caller from this address, for as long as the audit reaches.

    This machine itself is never new.
    """
    address = call.seen.address
    if address == UNIX or is_loopback(address):
        return False
    services = await call.services_of(caller.tenant)
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
        f"dayline sessions revoke {session.id}" if session.key_id is None else f"dayline keys revoke {session.key_id}"
    )


def _browser(call: Call, session: Session, current: Session | None) -> SignedInBrowser:
    key = None if session.key_id is None else call.services.gate.keyring.known(session.key_id)
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
    token = session_token(call.request, call.services.port)
    return None if token is None else call.services.gate.sessions.find(token)


def _view(call: Call, session: Session | None) -> SessionView:
    gate = call.services.gate
    caller = None if session is None else gate.sessions.caller(session)
    return SessionView(
        needs_key=gate.needs_keys,
        is_signed_in=caller is not None,
        scope=None if caller is None else caller.scope,
        buckets=[] if caller is None else list(caller.buckets.names),
        key_id=None if session is None else session.key_id,
        expires=None if session is None else format_timestamp(session.expires),
    )
