"""JWE in compact form, of one kind only: `dir` with A256GCM and a key id.

The format is checked before a key is looked up, and more strictly than the RFCs require: any changed character makes
the message invalid, even in unused bits.
"""

import re
import sys
from base64 import urlsafe_b64decode
from functools import cache
from typing import TYPE_CHECKING, Annotated, Final, Literal

import msgspec
from msgspec import Meta, Struct

if TYPE_CHECKING:
    from joserfc.jwe import JWERegistry

MAX_HEADER_CHARACTERS: Final = 256  # ours has 68
_IV_CHARACTERS: Final = 16  # 12 bytes
_TAG_CHARACTERS: Final = 22  # 16 bytes

_BASE64URL = re.compile(rb"[A-Za-z0-9_-]*")
# What a part may end with, by its length modulo 4: its last character has 4 or 2 unused bits.
_LAST_CHARACTERS: Final = {2: b"AQgw", 3: b"AEIMQUYcgkosw048"}


# Errors. The package has no dependency on HTTP, so callers map them to a status.
#
# EnvelopeError
# ├── NotAnEnvelope   invalid format, independent of the key
# └── CannotOpen      encrypted with another key or for another direction, or modified
class EnvelopeError(Exception):
    """Base class. `message` is in lower case and never contains a part of a key or a plaintext."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class NotAnEnvelope(EnvelopeError):
    """Not five parts of canonical base64url, another header, or a plaintext that is not a call or answer."""


class CannotOpen(EnvelopeError):
    """Wrong key, wrong direction, or a modified message; they cannot be distinguished."""

    def __init__(self) -> None:
        super().__init__("cannot decrypt the message: it was encrypted with another key, or modified")


class Header(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The protected header. All other fields (zip, crit, another key) are rejected."""

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
        raise NotAnEnvelope("the second part of the message must be empty, because alg dir has no encrypted key")
    if len(iv) != _IV_CHARACTERS or len(tag) != _TAG_CHARACTERS:
        raise _wrong_length()
    if not all(map(_is_canonical, (iv, ciphertext, tag))):
        raise _not_canonical()
    return first_header_of(message)


def first_header_of(start: bytes) -> Header:
    """Read the header from the start of a message. Raises NotAnEnvelope."""
    header, dot, _ = start[: MAX_HEADER_CHARACTERS + 1].partition(b".")
    if not dot and len(start) <= MAX_HEADER_CHARACTERS:
        raise _wrong_parts()
    if not dot:
        raise _wrong_length()
    if not _is_canonical(header):
        raise _not_canonical()
    return _read_header(urlsafe_b64decode(header + b"=" * (-len(header) % 4)))


def _wrong_parts() -> NotAnEnvelope:
    return NotAnEnvelope("a message must have five parts separated by dots")


def _wrong_length() -> NotAnEnvelope:
    return NotAnEnvelope("a part of the message has the wrong length")


def _not_canonical() -> NotAnEnvelope:
    return NotAnEnvelope("a part of the message is not canonical base64url")


def seal(plaintext: bytes, key: bytes, *, kid: str) -> bytes:
    """Encrypt with a random IV. Use a key for one direction only: see EnvelopeKeys."""
    # Imported here because few servers ever use envelopes.
    from joserfc import jwe
    from joserfc.jwk import OctKey

    header = {"alg": "dir", "enc": "A256GCM", "kid": kid}
    return jwe.encrypt_compact(header, plaintext, OctKey.import_key(key), registry=_registry()).encode("ascii")


def unseal(message: bytes, key: bytes) -> bytes:
    """The decrypted and authenticated plaintext. Raises NotAnEnvelope or CannotOpen."""
    header_of(message)
    # Imported here because few servers ever use envelopes.
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
    """Whether it is canonical base64url: no padding, no other alphabet, unused bits zero."""
    if not _BASE64URL.fullmatch(part):
        return False
    spare = len(part) % 4
    return spare == 0 or part[-1] in _LAST_CHARACTERS.get(spare, b"")


def _read_header(text: bytes) -> Header:
    try:
        header = _header.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise NotAnEnvelope("the header must have exactly alg dir, enc A256GCM and kid") from error
    # The order does not matter. A repeated field, whitespace or an escape makes the header longer, and two parsers
    # could interpret it differently.
    if len(text) != len(msgspec.json.encode(header)):
        raise NotAnEnvelope("the header must have no whitespace, escapes or repeated fields")
    return header


@cache
def _registry() -> "JWERegistry":
    """joserfc's registry, limited to two algorithms, for messages of any size."""
    from joserfc.jwe import JWERegistry  # imported here because few servers ever use envelopes

    registry = JWERegistry(algorithms=("dir", "A256GCM"))
    # Its default limit is 64 KiB. The size of bodies is limited where they are read.
    registry.max_ciphertext_length = sys.maxsize
    return registry
