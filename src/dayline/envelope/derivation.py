"""HKDF with SHA-256 (RFC 5869), from the standard library: the server derives keys without loading cryptography."""

import hashlib
import hmac
from typing import Final

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
