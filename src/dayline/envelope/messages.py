"""Whole calls and answers as messages that only the holders of one key can read or make.

    call      {method, path, query, body, headers, time, nonce}   sealed with the call key
    answer    {status, body, headers, nonce}                      sealed with the answer key

Bodies stay the JSON text that they were, so that 1 and 1.0 arrive as they were sent.
"""

import secrets
from typing import Annotated, Final, TypeVar

import msgspec
from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from dayline.envelope.jwe import MAX_HEADER_CHARACTERS, EnvelopeKeys, NotAnEnvelope, first_header_of, seal, unseal

NONCE_BYTES: Final = 16

Nonce = Annotated[str, Meta(pattern="^[A-Za-z0-9_-]{22}$", max_length=22)]
# As in the first line of an HTTP request: visible ASCII, everything else percent-encoded, and no `?` or `#` within.
RawPath = Annotated[str, Meta(pattern=r"^/[!\"$->@-~]*\Z")]
RawQuery = Annotated[str, Meta(pattern=r"^[!\"$-~]*\Z")]

T = TypeVar("T")


class EnvelopedCall(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a client asks. `time` is its clock, in UTC; `nonce` is new for every call.

    Of the headers, named in lower case, the server reads `idempotency-key` alone.
    """

    method: Annotated[str, Meta(pattern=r"^[A-Z]+\Z", max_length=16)]
    path: RawPath
    query: RawQuery = ""
    body: Raw | UnsetType = UNSET
    headers: dict[str, str] = {}
    time: Annotated[str, Meta(max_length=64)]
    nonce: Nonce


class EnvelopedAnswer(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the server answers. `nonce` is that of the call; names of headers are in lower case."""

    status: Annotated[int, Meta(ge=100, le=599)]
    body: Raw | UnsetType = UNSET
    headers: dict[str, str] = {}
    nonce: Nonce


_call = msgspec.json.Decoder(EnvelopedCall)
_answer = msgspec.json.Decoder(EnvelopedAnswer)
_any_json = msgspec.json.Decoder(Raw)


def new_nonce() -> str:
    """A nonce that no call has had."""
    return secrets.token_urlsafe(NONCE_BYTES)


def has_header(start: bytes | bytearray) -> bool:
    """Whether the start of a message is enough for `kid_of`, if only to be refused."""
    return b"." in start or len(start) > MAX_HEADER_CHARACTERS


def kid_of(start: bytes) -> str:
    """Whose key a message names in its start, which is not yet proven. Raises NotAnEnvelope for what is no header."""
    return first_header_of(start).kid


def seal_call(call: EnvelopedCall, keys: EnvelopeKeys, *, kid: str) -> bytes:
    """A call as a message. Raises ValueError where the body is not one JSON value."""
    return seal(_encoded(call), keys.call, kid=kid)


def open_call(message: bytes, keys: EnvelopeKeys) -> EnvelopedCall:
    """Read a call. Raises NotAnEnvelope or CannotOpen. Whether it is late or a repetition is the caller's to check."""
    return _decoded(unseal(message, keys.call), _call)


def seal_answer(answer: EnvelopedAnswer, keys: EnvelopeKeys, *, kid: str) -> bytes:
    """An answer as a message. Raises ValueError where the body is not one JSON value."""
    return seal(_encoded(answer), keys.answer, kid=kid)


def open_answer(message: bytes, keys: EnvelopeKeys) -> EnvelopedAnswer:
    """Read an answer. Raises NotAnEnvelope or CannotOpen. That its nonce is the call's is the caller's to check."""
    return _decoded(unseal(message, keys.answer), _answer)


def _encoded(content: EnvelopedCall | EnvelopedAnswer) -> bytes:
    if content.body is not UNSET:
        # The text of the body goes into the plaintext as it is: anything but one whole value could add fields to it.
        try:
            _any_json.decode(content.body)
        except (msgspec.DecodeError, RecursionError) as error:
            raise ValueError("the body is not one JSON value") from error
    return msgspec.json.encode(content)


def _decoded(plaintext: bytes, decoder: msgspec.json.Decoder[T]) -> T:
    try:
        return decoder.decode(plaintext)
    except msgspec.DecodeError as error:
        # The decoder's words name fields and types, which are no secret, and none of the values.
        raise NotAnEnvelope(f"what the message holds is not a call or an answer: {_lowered(str(error))}") from None
    except (UnicodeDecodeError, RecursionError):
        raise NotAnEnvelope("what the message holds is not UTF-8, or nested too deep") from None


def _lowered(message: str) -> str:
    return message[:1].lower() + message[1:]
