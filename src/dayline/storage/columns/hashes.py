"""The dictionary of distinct data: how a value is found by its hash."""

from hashlib import blake2b

from dayline.model.data import CanonicalJson


def hash_of(value: CanonicalJson) -> int:
    """A signed 64-bit hash. Equal hashes do not prove equal values: the text is compared on every hit."""
    return int.from_bytes(blake2b(value, digest_size=8).digest(), "little", signed=True)
