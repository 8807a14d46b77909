"""A process that has a key, so that every file it creates is encrypted."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from dayline.runtime.encrypted_file import DatabaseKey
from dayline.runtime.encryption import set_key, set_key_source

KEY: Final = DatabaseKey(bytes(range(32)))


@contextmanager
def encrypting(key: DatabaseKey = KEY) -> Generator[None]:
    """The key for the block."""
    set_key(key)
    try:
        yield
    finally:
        set_key_source(None)


def write_key(path: Path, key: DatabaseKey = KEY) -> Path:
    """A file with the key, as commands read it."""
    path.write_text(f"{key.secret.hex()}\n", "ascii")
    return path
