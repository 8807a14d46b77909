"""`/api/1/envelope`: encrypted calls. See docs/reference/envelope.md."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from dayline.api.http.call import IDEMPOTENCY_KEY, JSON, Call, once_of
from dayline.api.http.entry import request_id_of
from dayline.api.http.errors import body_of, status_of
from dayline.api.http.inner import InnerCall, InnerResponse, Trusted, call_within
from dayline.api.http.route import Answer, Body, Route
from dayline.envelope.jwe import CannotOpen, NotAnEnvelope
from dayline.envelope.keys import EnvelopeKeys
from dayline.envelope.messages import EnvelopedCall, EnvelopedResponse, has_header, kid_of, open_call, seal_answer
from dayline.model.access import AccessKey, Once, caller_with
from dayline.model.errors import ClockSkew, DaylineError, Invalid, Malformed, TooMany, Unauthorized, WrongType
from dayline.model.time import SECOND, Microseconds, parse_timestamp
from dayline.runtime.threads import in_thread

P = ParamSpec("P")
T = TypeVar("T")

JOSE = "application/jose"
NONCE_RETENTION: Microseconds = 86_400 * SECOND  # longer than a call is valid, in case the clock is set back
_THREAD_BYTES = 64 << 10  # larger messages are decrypted and encrypted in a thread
_HEADERS = ("x-request-id", "undo-id", "retry-after")


async def send_enveloped(call: Call) -> None:
    """The body and the response are each a JWE in compact form. The status of the inner call is in the encrypted
    response.

    The encrypted call has a method, path, query, body, time and nonce. The server rejects a call if its time differs
    from the server's clock by more than five minutes, and a change if its nonce was used before.
    """
    if call.content_kind != JOSE:
        raise WrongType(f"the Content-Type must be {JOSE} (got {call.content_kind or 'none'})")
    with call.server.unproven_bodies.held() as hold:
        key, keys, message = await _receive(call, hold)
        try:
            opened = await _maybe_in_thread(len(message), open_call, message, keys)
        except NotAnEnvelope as error:
            raise Malformed(error.message, hint="docs/reference/envelope.md") from error
        except CannotOpen as error:
            raise call.server.gate.refuse(call.origin.address, error.message) from error
    answer = await _answer(call, key, opened)
    call.response.content_type = JOSE
    call.response.data = await _maybe_in_thread(
        0 if answer.body is UNSET else len(bytes(answer.body)), seal_answer, answer, keys, kid=key.id
    )


def _json_of(inner: InnerResponse) -> msgspec.Raw | UnsetType:
    if inner.body and inner.headers.get("content-type") != JSON:
        raise WrongType("the response to this call is not JSON, and an envelope can only carry JSON")
    return msgspec.Raw(inner.body) if inner.body else UNSET


async def _maybe_in_thread(size: int, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Runs the function directly if the message is small: a thread would take longer."""
    if size < _THREAD_BYTES:
        return function(*args, **kwargs)
    return await in_thread(function, *args, **kwargs)


async def _answer(call: Call, key: AccessKey, opened: EnvelopedCall) -> EnvelopedResponse:
    try:
        inner = await call_within(call.app, _inner(call, key, opened))
        return EnvelopedResponse(
            status=inner.status,
            headers={name: inner.headers[name] for name in _HEADERS if name in inner.headers},
            body=_json_of(inner),
            nonce=opened.nonce,
        )
    except DaylineError as error:
        request_id, status = request_id_of(call.request), status_of(error).value
        if isinstance(error, ClockSkew):  # rejected before the inner call, which would have been logged on its own
            await call.note_as(caller_with(key, kind="envelope"), send_enveloped.__name__, status=status)
        return EnvelopedResponse(status=status, body=msgspec.Raw(body_of(error, request_id)), nonce=opened.nonce)


async def _receive(call: Call, hold: Callable[[int], None]) -> tuple[AccessKey, EnvelopeKeys, bytes]:
    """Read the message. Looks up the key once the header is complete, so that unknown keys are rejected early."""
    message, match = bytearray(), None
    async for chunk in call.body_chunks(call.server.limits.body_mib << 20):
        hold(len(chunk))
        message += chunk
        if match is None and has_header(message):
            match = _key(call, bytes(message))
    key, keys = match or _key(call, bytes(message))
    return key, keys, bytes(message).strip()


def _key(call: Call, start: bytes) -> tuple[AccessKey, EnvelopeKeys]:
    try:
        kid = kid_of(start.lstrip())
    except NotAnEnvelope as error:
        raise Malformed(error.message, hint="docs/reference/envelope.md") from error
    key = call.server.gate.keyring.active(kid)
    if key is None or key.envelope_key is None:
        raise call.server.gate.refuse(
            call.origin.address, "no active envelope key of this server has the id named in the message"
        )
    return key, EnvelopeKeys(key.envelope_key)


def _inner(call: Call, key: AccessKey, opened: EnvelopedCall) -> InnerCall:
    sent = _time(opened)
    now = call.server.clock()
    skew = call.server.envelope_skew_s * SECOND
    if abs(now - sent) > skew:
        raise ClockSkew((now - sent) / SECOND)
    caller = caller_with(key, kind="envelope")
    # The nonce prevents replay; the caller's idempotency key identifies a retry.
    tokens = [Once(token=f"{key.id}:{opened.nonce}", until=sent + skew + NONCE_RETENTION)]
    if IDEMPOTENCY_KEY in opened.headers:
        tokens.append(once_of(opened.headers[IDEMPOTENCY_KEY], caller, now=now))
    return InnerCall(
        method=opened.method,
        path=opened.path,
        query=opened.query,
        body=None if opened.body is UNSET else bytes(opened.body),
        trusted=Trusted(caller=caller, origin=call.origin, once=tuple(tokens)),
    )


def _time(opened: EnvelopedCall) -> Microseconds:
    try:
        return parse_timestamp(opened.time)
    except ValueError as error:
        raise Invalid(f"time: {error}", field="time") from error


CALLS: tuple[Route, ...] = (
    Route(
        method="POST", path="/api/1/envelope", handler=send_enveloped, tag="keys", scope=None,
        summary="Send an encrypted call",
        body=Body(type=str, example="eyJhbGciOiJkaXIi…", media="application/jose"),
        answer=Answer(type=str, description="the response, encrypted with the same key", media="application/jose"),
        errors=(Unauthorized, TooMany),
    ),
)  # fmt: skip
