"""Requests and responses as encrypted messages.

    call      {method, path, query, body, headers, time, nonce}   encrypted with the call key
    answer    {status, body, headers, nonce}                      encrypted with the response key

Bodies keep their JSON text, so 1 and 1.0 stay as they were sent.
"""

import secrets
from typing import Annotated, Final, TypeVar

import msgspec
from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from dayline.envelope.jwe import MAX_HEADER_CHARACTERS, NotAnEnvelope, first_header_of, seal, unseal
from dayline.envelope.keys import EnvelopeKeys

NONCE_BYTES: Final = 16

Nonce = Annotated[str, Meta(pattern="^[A-Za-z0-9_-]{22}$", max_length=22)]
# As in an HTTP request line: visible ASCII, everything else percent-encoded, without `?` or `#`.
RawPath = Annotated[str, Meta(pattern=r"^/[!\"$->@-~]*\Z")]
RawQuery = Annotated[str, Meta(pattern=r"^[!\"$-~]*\Z")]

T = TypeVar("T")


class EnvelopedCall(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A call. `time` is the client's clock, in UTC; `nonce` is new for every call.

    Header names are in lower case; the server reads only `idempotency-key`.
    """

    method: Annotated[str, Meta(pattern=r"^[A-Z]+\Z", max_length=16)]
    path: RawPath
    query: RawQuery = ""
    body: Raw | UnsetType = UNSET
    headers: dict[str, str] = {}
    time: Annotated[str, Meta(max_length=64)]
    nonce: Nonce


class EnvelopedResponse(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A response. `nonce` is that of the call; header names are in lower case."""

    status: Annotated[int, Meta(ge=100, le=599)]
    body: Raw | UnsetType = UNSET
    headers: dict[str, str] = {}
    nonce: Nonce


_call = msgspec.json.Decoder(EnvelopedCall)
_answer = msgspec.json.Decoder(EnvelopedResponse)
_any_json = msgspec.json.Decoder(Raw)


def new_nonce() -> str:
    """A random nonce."""
    return secrets.token_urlsafe(NONCE_BYTES)


def has_header(start: bytes | bytearray) -> bool:
    """Whether the start of a message is enough for `kid_of`, which may reject it."""
    return b"." in start or len(start) > MAX_HEADER_CHARACTERS


def kid_of(start: bytes) -> str:
    """The key id in the start of a message, which is not authenticated yet. Raises NotAnEnvelope."""
    return first_header_of(start).kid


def seal_call(call: EnvelopedCall, keys: EnvelopeKeys, *, kid: str) -> bytes:
    """Encrypt a call. Raises ValueError if the body is not one JSON value."""
    return seal(_encode(call), keys.call, kid=kid)


def open_call(message: bytes, keys: EnvelopeKeys) -> EnvelopedCall:
    """Decrypt a call. Raises NotAnEnvelope or CannotOpen. The caller must check its time and nonce."""
    return _decode(unseal(message, keys.call), _call)


def seal_answer(answer: EnvelopedResponse, keys: EnvelopeKeys, *, kid: str) -> bytes:
    """Encrypt a response. Raises ValueError if the body is not one JSON value."""
    return seal(_encode(answer), keys.answer, kid=kid)


def open_answer(message: bytes, keys: EnvelopeKeys) -> EnvelopedResponse:
    """Decrypt a response. Raises NotAnEnvelope or CannotOpen. The caller must check its nonce."""
    return _decode(unseal(message, keys.answer), _answer)


def _encode(content: EnvelopedCall | EnvelopedResponse) -> bytes:
    if content.body is not UNSET:
        # The body is inserted into the plaintext as it is: more than one JSON value could inject fields.
        try:
            _any_json.decode(content.body)
        except (msgspec.DecodeError, RecursionError) as error:
            raise ValueError("the body is not one JSON value") from error
    return msgspec.json.encode(content)


def _decode(plaintext: bytes, decoder: msgspec.json.Decoder[T]) -> T:
    try:
        return decoder.decode(plaintext)
    except msgspec.DecodeError as error:
        # msgspec's message names fields and types, but no values.
        raise NotAnEnvelope(f"the message is not a valid call or answer: {_field_error(str(error))}") from None
    except (UnicodeDecodeError, RecursionError):
        raise NotAnEnvelope("the message is not UTF-8, or is nested too deeply") from None


def _field_error(message: str) -> str:
    """An error of msgspec, such as "Expected `str`, got `int` - at `$.nonce`", with the field first."""
    text, _, path = message.replace("`", "").partition(" - at $")
    return f"{path.removeprefix('.') or 'plaintext'}: {text[:1].lower()}{text[1:]}"
