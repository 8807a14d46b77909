"""The key of an encrypted database, and which files it encrypts.

A process has at most one key. Every file of its own that it creates is encrypted with that key, and it opens no file of
its own that is not: a program that can write to the folder of the database, but has no key, must not decide what is
read. `key_of` decides for every file. Files that the user named as an input may be plain.
"""

import hmac
import os
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Final

from dayline.model.errors import SettingsInvalid
from dayline.runtime.encrypted_file import (
    KEY_BYTES,
    DatabaseKey,
    FileKind,
    has_encrypted_page,
    is_head_of,
    kind_of,
    kind_of_head,
    read_head,
)
from dayline.runtime.machine import protect_memory


class KeySource:
    """Where the key of a database comes from: `find` raises SettingsInvalid if there is none.

    `is_wanted` means that the settings ask for encryption: the database must be encrypted, and a new one will be.
    `hint` is what to do if it is plain. `recovery` replaces the database if it is lost.
    """

    def __init__(
        self, database: Path, find: Callable[[], DatabaseKey], *, recovery: Path, is_wanted: bool, hint: str = ""
    ) -> None:
        self.database = database
        self.recovery = recovery
        self.is_wanted = is_wanted
        self.hint = hint
        self._find = find

    def find(self) -> DatabaseKey:
        protect_memory()  # before the key is in it
        return self._find()


class _Process:
    key: DatabaseKey | None = None
    source: KeySource | None = None
    is_converting = False


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
        if source.is_wanted or _is_encrypted(source, kind):
            _Process.key = source.find()
        elif kind is FileKind.UNKNOWN and (key := find_configured_key()) and has_encrypted_page(source.database, key):
            _Process.key = key  # its first page is damaged
    return _Process.key


def _is_encrypted(source: KeySource, kind: FileKind) -> bool:
    """Whether the database is encrypted, or lost while an encrypted recovery file replaces it."""
    if kind is FileKind.NEW:
        kind = kind_of(source.recovery)
    return kind is FileKind.ENCRYPTED


@contextmanager
def converting() -> Generator[None]:
    """Open plain files with `key_of` too: the user asked to encrypt or to decrypt them."""
    _Process.is_converting = True
    try:
        yield
    finally:
        _Process.is_converting = False


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
    """The key of a file of our own, or of one that is about to be created; None if this process has none.

    Raises SettingsInvalid if there is no key, or another one than the file is encrypted with, or if the file is plain
    although this process has a key.
    """
    head = read_head(path)
    kind = kind_of_head(head)
    if kind is FileKind.PLAIN:
        _refuse_plain(path)
        return None
    key = active_key()
    if kind is not FileKind.ENCRYPTED:
        return key  # also if its start is damaged: SQLite would read the first page from a log that is not encrypted
    if key is None and _Process.source is not None:
        key = _Process.source.find()
    if key is None:
        raise SettingsInvalid(
            f"{path} is encrypted, and no key is configured", hint="docs/start/encryption.md describes the key"
        )
    if not is_head_of(head, key):
        raise SettingsInvalid(
            f"{path} is encrypted with another key than the configured one",
            hint="configure the key that it was encrypted with (server.encryption_key_file, or the system's keyring)",
        )
    return key


def key_of_input(path: Path) -> DatabaseKey | None:
    """The key of a file that the user named or sent, if we have encrypted it; None for any other."""
    head = read_head(path)
    key = active_key() if kind_of_head(head) is FileKind.ENCRYPTED else None
    return key if key is not None and is_head_of(head, key) else None


def _refuse_plain(path: Path) -> None:
    """Raise SettingsInvalid if this process has a key, or must have one."""
    source = _Process.source
    if _Process.is_converting:
        return
    if source is not None and source.is_wanted and path == source.database:
        raise SettingsInvalid(f"{path} is not encrypted, and the settings ask for encryption", hint=source.hint)
    if active_key() is not None:
        raise SettingsInvalid(
            f"{path} is not encrypted, so it is not used: this process has a key, and encrypts every file of its own",
            hint="another program may have put it there. Move it elsewhere; Dayline then creates its own",
        )


# State in plain files that decides what a server does: with a key it is authenticated, so that no program without the
# key can write it. A line of JSON is followed by a space and an HMAC-SHA256.


_MAC_DIGITS: Final = 64


def authenticated(content: bytes, purpose: str) -> bytes:
    """The content with a code that only this key makes; as it is if this process has no key."""
    key = active_key()
    return content if key is None else content + b" " + _code(key, content, purpose)


def authentic(line: bytes, purpose: str) -> bytes | None:
    """The content of a line that `authenticated` made for this purpose; None if the code is missing or wrong.

    Without a key, any content.
    """
    content, _, code = line.rpartition(b" ")
    has_code = len(code) == _MAC_DIGITS and code.isalnum()
    key = active_key()
    if key is None:
        return content if has_code else line
    return content if has_code and hmac.compare_digest(code, _code(key, content, purpose)) else None


def _code(key: DatabaseKey, content: bytes, purpose: str) -> bytes:
    # HKDF-SHA256 without a salt, of one block. The library that has it must not be loaded into the recording process.
    extracted = hmac.digest(bytes(sha256().digest_size), key.secret, sha256)
    derived = hmac.digest(extracted, f"dayline {purpose}\1".encode(), sha256)
    return hmac.digest(derived, content, sha256).hex().encode()


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
    protect_memory()
    secret = b""
    while len(secret) < KEY_BYTES:  # unbuffered: the rest is for the module
        piece = os.read(0, KEY_BYTES - len(secret))
        if not piece:
            raise SystemExit("the parent process has ended")
        secret += piece
    set_key(DatabaseKey(secret))
