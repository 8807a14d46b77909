"""Reads an encrypted database as a plain one, and writes a plain one as an encrypted one."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import IO, Final

import apsw

from dayline.runtime.encryption import PAGE_BYTES, READABLE_BYTES, DatabaseKey, has_reserved_bytes
from dayline.runtime.files import replace_file
from dayline.runtime.page_cipher import PageCipher
from dayline.runtime.sqlite_file import CIPHER, UNCHANGING, attach, check_ciphers, connect, connect_with, key_text
from dayline.storage.sqlite.file.schema import APPLICATION_ID, MIGRATIONS, migrate

_PIECE: Final = 1 << 17


class UnreadablePages(Exception):
    """A page of an encrypted file was changed."""


def plain_pages(file: IO[bytes], key: DatabaseKey | None) -> Iterator[bytes]:
    """The contents of a database file in pieces, decrypted if there is a key. Raises UnreadablePages."""
    if key is None:
        yield from iter(lambda: file.read(_PIECE), b"")
        return
    cipher, number = PageCipher(key), 0
    while piece := file.read(_PIECE):
        plain: list[bytes] = []
        for at in range(0, len(piece), PAGE_BYTES):
            number += 1
            page = cipher.decrypt(number, piece[at : at + PAGE_BYTES])
            if page is None:
                raise UnreadablePages(f"page {number:,} cannot be decrypted")
            plain.append(page)
        yield b"".join(plain)


class DatabaseWriter:
    """Writes a plain database to a file, and encrypts its pages if there is a key and they have space for it.

    Pages have that space if the database was encrypted before. Otherwise the file is plain, and `is_encrypted` false.
    """

    def __init__(self, file: IO[bytes], key: DatabaseKey | None) -> None:
        self._file = file
        self._cipher = None if key is None else PageCipher(key)
        self._rest = b""
        self._pages = 0

    @property
    def is_encrypted(self) -> bool:
        return self._cipher is not None

    def write(self, data: bytes) -> int:
        if self._cipher is not None and not self._pages:
            self._begin(data)
        if self._cipher is None:
            self._file.write(self._rest + data)
            self._rest = b""
            return len(data)
        self._rest += data
        whole = len(self._rest) // PAGE_BYTES * PAGE_BYTES
        for at in range(0, whole, PAGE_BYTES):
            self._pages += 1
            self._file.write(self._cipher.encrypt(self._pages, self._rest[at : at + PAGE_BYTES]))
        self._rest = self._rest[whole:]
        return len(data)

    def finish(self) -> None:
        self._file.write(self._rest)
        self._file.flush()

    def _begin(self, data: bytes) -> None:
        head = (self._rest + data)[:READABLE_BYTES]
        if len(head) == READABLE_BYTES and not _has_space(head):
            self._cipher = None


def _has_space(head: bytes) -> bool:
    return has_reserved_bytes(head) and int.from_bytes(head[16:18]) == PAGE_BYTES


def convert_file(source: Path, target: Path, key: DatabaseKey | None) -> None:
    """Write a database that no process uses to a new file, encrypted with the key, or plain without one.

    Raises apsw.Error.
    """
    with closing(connect(source)) as db:
        db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        version = int(db.pragma("user_version"))
        is_database = db.pragma("application_id") == APPLICATION_ID and 0 < version <= len(MIGRATIONS)
    if is_database:
        _copy_tables(source, target, key, version)
    else:
        _vacuum(source, target, key)


def _copy_tables(source: Path, target: Path, key: DatabaseKey | None, version: int) -> None:
    """Copy table by table. VACUUM would give the tables other root pages, by which a repair recognises them."""
    with closing(connect_with(key, target)) as db:
        db.pragma("auto_vacuum", "INCREMENTAL")
        for pragma in ("journal_mode", "synchronous"):
            db.pragma(pragma, "OFF")  # an incomplete file is thrown away
        migrate(db, MIGRATIONS[:version])
        attach(db, source, "source", options=UNCHANGING)
        db.execute("BEGIN")
        # The highest ids come last: inserting rows changes them.
        names = "SELECT name FROM main.sqlite_schema WHERE type = 'table' ORDER BY name = 'sqlite_sequence'"
        for (table,) in db.execute(names).fetchall():
            db.execute(f'DELETE FROM main."{table}"')
            db.execute(f'INSERT INTO main."{table}" SELECT * FROM source."{table}"')
        db.execute("COMMIT")


def _vacuum(source: Path, target: Path, key: DatabaseKey | None) -> None:
    if key is not None:
        check_ciphers()
    options = "key=" if key is None else f"cipher={CIPHER}&key={key_text(key)}"
    with closing(connect(source)) as db:
        db.pragma("temp_store", "MEMORY")
        try:
            db.execute("VACUUM INTO ?", (f"{target.absolute().as_uri()}?{options}",))
        except apsw.Error as error:
            error.args = (str(error).replace(options, "…"),)  # SQLite's message would contain the key
            raise


def encrypt_in_place(path: Path, key: DatabaseKey) -> None:
    """Replace a plain database that no process uses by an encrypted one."""
    part = path.with_name(f"{path.name}.part")
    part.unlink(missing_ok=True)
    convert_file(path, part, key)
    replace_file(part, path)
