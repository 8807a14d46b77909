"""The key of an encrypted database, and which files it encrypts.

A process has at most one key. Every SQLite file that it creates is encrypted with that key, and every encrypted file
that it opens must be. Plain files can always be opened.

     ┌ page 1 ────────────────────────────────────────────────┐
     │ id of the key │ page size, versions, 32 │ encrypted …  │   then 16 bytes nonce and 16 bytes tag, as on every page
     │   16 bytes    │   8 bytes, readable     │              │
     └───────────────┴─────────────────────────┴──────────────┘

The format is that of the cipher ChaCha20-Poly1305 in SQLite3 Multiple Ciphers. It stores a salt at the start of the
file, which has no meaning for a random key; we store the id of the key there, so that a wrong key is not mistaken for
damage.
"""

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from enum import Enum
from hashlib import blake2b
from pathlib import Path
from typing import Final

from dayline.model.errors import SettingsInvalid

KEY_BYTES: Final = 32
PAGE_BYTES: Final = 4096  # SQLite's default; Dayline sets no other page size
RESERVED_BYTES: Final = 32  # at the end of every page, for the nonce and the tag
PLAIN_MAGIC: Final = b"SQLite format 3\0"
READABLE_BYTES: Final = 24  # at the start of the first page: the id of the key and a part of SQLite's header
_ID_BYTES: Final = 16
_RESERVED_AT: Final = 20
_FRACTIONS: Final = b"\x40\x20\x20"  # constants of SQLite's header, after the number of reserved bytes


class FileKind(Enum):
    """What the first bytes of a file say about it."""

    NEW = "new"  # missing or empty
    PLAIN = "plain"
    ENCRYPTED = "encrypted"
    UNKNOWN = "unknown"  # damaged, or not a database


class DatabaseKey:
    """A random key. `id` identifies it, and says nothing about it."""

    def __init__(self, secret: bytes) -> None:
        self.secret = secret
        self.id = blake2b(secret, digest_size=_ID_BYTES, person=b"dayline-key-id").digest()

    def __repr__(self) -> str:
        return "DatabaseKey(…)"  # must not appear in a log


class KeySource:
    """Where the key of a database comes from: `find` raises SettingsInvalid if there is none.

    `is_wanted` means that a new database is encrypted.
    """

    def __init__(self, database: Path, find: Callable[[], DatabaseKey], *, is_wanted: bool) -> None:
        self.database = database
        self.find = find
        self.is_wanted = is_wanted


class _Process:
    key: DatabaseKey | None = None
    source: KeySource | None = None


def set_key(key: DatabaseKey | None) -> None:
    """Use this key in this process."""
    _Process.key = key


def set_key_source(source: KeySource | None) -> None:
    """Look up the key of this process there when it is first needed."""
    _Process.key = None
    _Process.source = source


def active_key() -> DatabaseKey | None:
    """The key of this process; None if its database is not encrypted. Raises SettingsInvalid."""
    source = _Process.source
    if _Process.key is None and source is not None:
        kind = kind_of(source.database)
        if kind is FileKind.ENCRYPTED or (kind is FileKind.NEW and source.is_wanted):
            _Process.key = source.find()
        elif kind is FileKind.UNKNOWN and (key := find_configured_key()) and _has_page_of(source.database, key):
            _Process.key = key  # its first page is damaged
    return _Process.key


def find_key() -> DatabaseKey | None:
    """The key of this process, or the configured one even if the database is not encrypted; None if there is none.

    A backup may be encrypted although its database is plain or lost.
    """
    return active_key() or find_configured_key()


def find_configured_key() -> DatabaseKey | None:
    """The key that is configured, whether or not this process uses it; None if there is none."""
    if _Process.source is not None:
        with suppress(SettingsInvalid):
            return _Process.source.find()
    return None


def key_of(path: Path) -> DatabaseKey | None:
    """The key of a file, or of a file that is about to be created; None for a plain one.

    Raises SettingsInvalid if there is no key, or another one than the file is encrypted with.
    """
    head = _head(path)
    kind = _kind(head)
    if kind is FileKind.PLAIN:
        return None
    key = active_key()
    if kind is FileKind.NEW:
        return key
    if kind is FileKind.UNKNOWN:
        return key if key is not None and _has_page_of(path, key) else None
    if key is None and _Process.source is not None:
        key = _Process.source.find()
    if key is None:
        raise SettingsInvalid(
            f"{path} is encrypted, and no key is configured", hint="docs/start/encryption.md describes the key"
        )
    if head[:_ID_BYTES] != key.id:
        raise SettingsInvalid(
            f"{path} is encrypted with another key than the configured one",
            hint="configure the key that it was encrypted with (server.encryption_key_file, or the system's keyring)",
        )
    return key


def kind_of(path: Path) -> FileKind:
    """Whether a file is encrypted. Reads its first bytes."""
    return _kind(_head(path))


def has_reserved_bytes(head: bytes) -> bool:
    """Whether the pages of a plain database have space to be encrypted, because it was encrypted before."""
    return head.startswith(PLAIN_MAGIC) and head[_RESERVED_AT : _RESERVED_AT + 1] == bytes([RESERVED_BYTES])


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(READABLE_BYTES)
    except OSError:  # SQLite reports it
        return b""


def _kind(head: bytes) -> FileKind:
    if not head:
        return FileKind.NEW
    if head.startswith(PLAIN_MAGIC):
        return FileKind.PLAIN
    is_ours = head[_RESERVED_AT:] == bytes([RESERVED_BYTES]) + _FRACTIONS
    return FileKind.ENCRYPTED if is_ours else FileKind.UNKNOWN


def _has_page_of(path: Path, key: DatabaseKey) -> bool:
    """Whether a file whose start is damaged has a page that is encrypted with this key. Reads a few of them."""
    from dayline.runtime.page_cipher import has_encrypted_page  # here, because it uses this module

    return has_encrypted_page(path, key)


# Child processes get the key through their standard input, before anything else: arguments and environment variables
# are readable for other programs of the user.


_CHILD: Final = "dayline.runtime.keyed_child"


def keyed_command(command: Sequence[str], key: DatabaseKey | None = None) -> tuple[Sequence[str], bytes]:
    """A `python -m MODULE …` command that has this key or ours, and what to write to its standard input first."""
    key = key or active_key()
    if key is None:
        return command, b""
    python, minus_m, *rest = command
    return [python, minus_m, _CHILD, *rest], key.secret


def receive_key() -> None:
    """Use the key that the parent process writes to standard input."""
    secret = b""
    while len(secret) < KEY_BYTES:  # unbuffered: the rest is for the module
        piece = os.read(0, KEY_BYTES - len(secret))
        if not piece:
            raise SystemExit("the parent process has ended")
        secret += piece
    set_key(DatabaseKey(secret))
