"""JWE in compact form, of one kind only: `dir` with A256GCM and a key id.

The form is checked here, before a key is looked up, and more strictly than the RFCs ask: any changed character makes
a message that is refused, also where the bits that it stands for are unused.
"""

import hashlib
import hmac
import re
import sys
from base64 import urlsafe_b64decode
from functools import cache
from typing import TYPE_CHECKING, Annotated, Final, Literal, Self

import msgspec
from msgspec import Meta, Struct

if TYPE_CHECKING:
    from joserfc.jwe import JWERegistry


HASH_BYTES: Final = 32
MAX_BYTES: Final = 255 * HASH_BYTES  # the block counter is one byte


def hkdf_sha256(secret: bytes, *, info: bytes, salt: bytes = b"", length: int = HASH_BYTES) -> bytes:
    """Derive `length` bytes for the use that `info` names. An empty salt is 32 zero bytes, as the RFC has it."""
    if not 0 < length <= MAX_BYTES:
        raise ValueError(f"1 to {MAX_BYTES} bytes can be derived, not {length}")
    extracted = hmac.digest(salt or bytes(HASH_BYTES), secret, hashlib.sha256)
    derived, block, counter = b"", b"", 0
    while len(derived) < length:
        counter += 1
        block = hmac.digest(extracted, block + info + bytes([counter]), hashlib.sha256)
        derived += block
    return derived[:length]


# The keys of an envelope: one that the server stores, and from it one for each direction.


KEY_BYTES: Final = 32  # A256GCM

_STORED_USE: Final = b"dayline envelope v1"
_CALL_USE: Final = b"dayline envelope v1 call"
_ANSWER_USE: Final = b"dayline envelope v1 answer"


class EnvelopeKeys:
    """Two keys from one, so that an answer never passes for a call, nor a call for an answer."""

    __slots__ = ("answer", "call", "stored")

    def __init__(self, stored: bytes) -> None:
        if len(stored) != KEY_BYTES:
            raise ValueError(f"an envelope key has {KEY_BYTES} bytes, not {len(stored)}")
        self.stored = stored
        self.call = hkdf_sha256(stored, info=_CALL_USE)
        self.answer = hkdf_sha256(stored, info=_ANSWER_USE)

    @classmethod
    def of_text(cls, key_text: str) -> Self:
        """The keys that belong to a key as its owner holds it. Nothing leads back from them to the text."""
        if not key_text.isascii():  # encode() would raise an error that quotes the text
            raise ValueError("a key consists of ASCII characters")
        return cls(hkdf_sha256(key_text.encode("ascii"), info=_STORED_USE))

    @classmethod
    def of_stored(cls, envelope_key: bytes) -> Self:
        """The keys from what the server keeps: the property `stored`."""
        return cls(envelope_key)

    def __repr__(self) -> str:
        return "EnvelopeKeys(…)"  # a repr ends up in logs


# What can be wrong with a message. The package stands alone, so whoever calls it says what each means over HTTP.
#
# EnvelopeError
# ├── NotAnEnvelope   not a message of this kind, whatever the key
# └── CannotOpen      of the right form, but sealed with another key, for another use, or changed since


class EnvelopeError(Exception):
    """The root of the family. `message` is in lower case and never holds a part of a key or of a plaintext."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class NotAnEnvelope(EnvelopeError):
    """Not five parts of canonical base64url, another header than ours, or a plaintext that is no call or answer."""


class CannotOpen(EnvelopeError):
    """Another key, a call taken for an answer, or a changed byte: which of them, nobody can tell."""

    def __init__(self) -> None:
        super().__init__("the message was not sealed with this key for this use, or it was changed on its way")


MAX_HEADER_CHARACTERS: Final = 256  # with our key ids it has 68
_IV_CHARACTERS: Final = 16  # 12 bytes
_TAG_CHARACTERS: Final = 22  # 16 bytes

_BASE64URL = re.compile(rb"[A-Za-z0-9_-]*")
# What a part may end with, by its length modulo 4: its last character has 4 or 2 bits that stand for nothing.
_LAST_CHARACTERS: Final = {2: b"AQgw", 3: b"AEIMQUYcgkosw048"}


class Header(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The protected header. Whatever else a JWE may say there (zip, crit, another key) is refused."""

    alg: Literal["dir"]
    enc: Literal["A256GCM"]
    kid: Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{1,64}\Z")]


_header = msgspec.json.Decoder(Header)


def header_of(message: bytes) -> Header:
    """Check the form of a message and read its header. Raises NotAnEnvelope."""
    parts = message.split(b".", 5)
    if len(parts) != 5:
        raise _wrong_parts()
    _, encrypted_key, iv, ciphertext, tag = parts
    if encrypted_key:
        raise NotAnEnvelope("the second part of a message is empty: there is no encrypted key with alg dir")
    if len(iv) != _IV_CHARACTERS or len(tag) != _TAG_CHARACTERS:
        raise _wrong_length()
    if not all(map(_is_canonical, (iv, ciphertext, tag))):
        raise _not_canonical()
    return first_header_of(message)


def first_header_of(start: bytes) -> Header:
    """Read the header of a message, of which no more than that need be there. Raises NotAnEnvelope."""
    header, dot, _ = start[: MAX_HEADER_CHARACTERS + 1].partition(b".")
    if not dot and len(start) <= MAX_HEADER_CHARACTERS:
        raise _wrong_parts()
    if not dot:
        raise _wrong_length()
    if not _is_canonical(header):
        raise _not_canonical()
    return _read_header(urlsafe_b64decode(header + b"=" * (-len(header) % 4)))


def _wrong_parts() -> NotAnEnvelope:
    return NotAnEnvelope("a message has five parts with dots between them")


def _wrong_length() -> NotAnEnvelope:
    return NotAnEnvelope("a part of the message has the wrong length")


def _not_canonical() -> NotAnEnvelope:
    return NotAnEnvelope("a part of the message is not canonical base64url")


def seal(plaintext: bytes, key: bytes, *, kid: str) -> bytes:
    """Encrypt with a random IV. `key` serves one use only, see EnvelopeKeys."""
    # At first use: most servers never see an envelope.
    from joserfc import jwe
    from joserfc.jwk import OctKey

    header = {"alg": "dir", "enc": "A256GCM", "kid": kid}
    return jwe.encrypt_compact(header, plaintext, OctKey.import_key(key), registry=_registry()).encode("ascii")


def unseal(message: bytes, key: bytes) -> bytes:
    """The plaintext, once it is known to be what was sealed. Raises NotAnEnvelope or CannotOpen."""
    header_of(message)
    # At first use: most servers never see an envelope.
    from joserfc import jwe
    from joserfc.errors import JoseError
    from joserfc.jwk import OctKey

    try:
        plaintext = jwe.decrypt_compact(message, OctKey.import_key(key), registry=_registry()).plaintext
    except JoseError as error:
        raise CannotOpen from error
    assert plaintext is not None, "decrypting sets the plaintext"
    return plaintext


def _is_canonical(part: bytes) -> bool:
    """Whether it is base64url as an encoder writes it: no padding, no other alphabet, unused bits zero."""
    if not _BASE64URL.fullmatch(part):
        return False
    spare = len(part) % 4
    return spare == 0 or part[-1] in _LAST_CHARACTERS.get(spare, b"")


def _read_header(text: bytes) -> Header:
    try:
        header = _header.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise NotAnEnvelope("the header of a message holds alg dir, enc A256GCM and kid, and nothing else") from error
    # Any order will do. A name given twice, a blank or an escape makes it longer than it need be, and two parsers
    # might read such a header in two ways.
    if len(text) != len(msgspec.json.encode(header)):
        raise NotAnEnvelope("the header of a message is written without blanks or escapes, each field once")
    return header


@cache
def _registry() -> "JWERegistry":
    """What joserfc may do for us: two algorithms, on messages of any size."""
    from joserfc.jwe import JWERegistry  # at first use: most servers never see an envelope

    registry = JWERegistry(algorithms=("dir", "A256GCM"))
    # It stops at 64 KiB by itself. How large a body may be is known where bodies are read.
    registry.max_ciphertext_length = sys.maxsize
    return registry
