"""The keys of an envelope: one that the server stores, and one for each direction, derived from it."""

import hashlib
import hmac
from typing import Final, Self

HASH_BYTES: Final = 32
MAX_BYTES: Final = 255 * HASH_BYTES  # the block counter is one byte

KEY_BYTES: Final = 32  # A256GCM

_STORED_USE: Final = b"dayline envelope v1"
_CALL_USE: Final = b"dayline envelope v1 call"
_ANSWER_USE: Final = b"dayline envelope v1 answer"


def hkdf_sha256(secret: bytes, *, info: bytes, salt: bytes = b"", length: int = HASH_BYTES) -> bytes:
    """Derive `length` bytes for the purpose `info`. An empty salt means 32 zero bytes, as in the RFC."""
    if not 0 < length <= MAX_BYTES:
        raise ValueError(f"length must be from 1 to {MAX_BYTES} bytes (got {length})")
    extracted = hmac.digest(salt or bytes(HASH_BYTES), secret, hashlib.sha256)
    derived, block, counter = b"", b"", 0
    while len(derived) < length:
        counter += 1
        block = hmac.digest(extracted, block + info + bytes([counter]), hashlib.sha256)
        derived += block
    return derived[:length]


class EnvelopeKeys:
    """Two keys derived from one, so that a response cannot be replayed as a call, nor a call as a response."""

    __slots__ = ("answer", "call", "stored")

    def __init__(self, stored: bytes) -> None:
        if len(stored) != KEY_BYTES:
            raise ValueError(f"an envelope key has {KEY_BYTES} bytes (got {len(stored)})")
        self.stored = stored
        self.call = hkdf_sha256(stored, info=_CALL_USE)
        self.answer = hkdf_sha256(stored, info=_ANSWER_USE)

    @classmethod
    def of_text(cls, key_text: str) -> Self:
        """The keys for the text of an access key. The text cannot be derived from them."""
        if not key_text.isascii():  # encode() would raise an error that quotes the text
            raise ValueError("a key has only ASCII characters")
        return cls(hkdf_sha256(key_text.encode("ascii"), info=_STORED_USE))

    def __repr__(self) -> str:
        return "EnvelopeKeys(…)"  # a repr ends up in logs
