"""`/api/1/session`: how a browser signs in and out."""

from typing import Annotated

import falcon
import msgspec
from msgspec import Meta, Struct

from dayline.access.gate import CONFIRMATION, check_confirmed
from dayline.access.sessions import CODE_S
from dayline.api.call import Call
from dayline.api.cookies import drop_session, keep_session, session_token
from dayline.model.audit import Session
from dayline.model.errors import Invalid
from dayline.model.keys import KeyId, Scope
from dayline.model.timestamps import Timestamp, format_timestamp
from dayline.model.wire import decode_body

_LONGEST = 200
_BODY_BYTES = 4 << 10


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


class OtherSessions(Struct, frozen=True, kw_only=True):
    """How many other browsers were signed out."""

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
    agent = call.request.user_agent or ""
    token, session = await gate.sessions.begin(key_id=caller.key_id or None, address=address, agent=agent)
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
        await sessions.end(session)
        await call.note_as(sessions.caller(session), end_session.__name__, status=200)
    drop_session(call.response, seen=call.seen, port=call.services.port, base_path=call.services.base_path)
    call.answer_json(b"{}")


async def end_other_sessions(call: Call) -> None:
    """Signs out every browser but the one that asks; where several people share a database, your own alone."""
    ended = await call.services.gate.sessions.end_others(_current(call), tenant=call.caller.tenant)
    call.answer_value(OtherSessions(ended=ended))


async def create_sign_in_code(call: Call) -> None:
    """What `dayline open` asks for: the code goes behind the `#` of a link, where no log and no proxy sees it."""
    call.response.status = falcon.HTTP_201
    code = call.services.gate.sessions.new_code(call.caller.key_id or None)
    call.answer_value(SignInCode(code=code, expires_in_s=CODE_S))


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
