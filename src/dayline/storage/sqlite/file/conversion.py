"""Reads an encrypted database as a plain one, and writes a plain one as an encrypted one."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import IO, Final

import apsw

from dayline.runtime.encrypted_file import PAGE_BYTES, READABLE_BYTES, DatabaseKey, PageCipher, has_reserved_bytes
from dayline.runtime.files import new_name, replace_file
from dayline.runtime.read_through import FileContent, connect_to
from dayline.runtime.spool import SpoolWriter, create_spool_with, open_spool_with
from dayline.runtime.sqlite_file import UNCHANGING, attach, connect, connect_with, vacuum_into
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
    """Writes a plain database to a new file, and encrypts its pages if there is a key. `finish` completes it.

    Pages have the space for that if the database was encrypted before. Otherwise it is spooled and then converted.
    """

    def __init__(self, path: Path, key: DatabaseKey | None) -> None:
        self._path, self._key = path, key
        self._spooled = new_name(path)
        self._cipher = None if key is None else PageCipher(key)
        self._file: SpoolWriter = path.open("xb")
        self._rest = b""
        self._pages = 0

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
        """Complete the file. Raises apsw.Error or OSError."""
        self._file.write(self._rest)
        self._file.close()
        if self._key is not None and self._spooled.exists():
            _convert_spooled(self._spooled, self._path, self._key)

    def close(self) -> None:
        self._file.close()
        self._spooled.unlink(missing_ok=True)

    def _begin(self, data: bytes) -> None:
        head = (self._rest + data)[:READABLE_BYTES]
        if len(head) == READABLE_BYTES and not _has_space(head):
            assert self._key is not None
            self._cipher = None
            self._file.close()
            self._file = create_spool_with(self._key, self._spooled)


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
        with closing(connect(source)) as db:
            vacuum_into(db, target, key)


def _copy_tables(source: Path, target: Path, key: DatabaseKey | None, version: int) -> None:
    """Copy table by table. VACUUM would give the tables other root pages, by which a repair recognizes them."""
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


def _convert_spooled(spooled: Path, path: Path, key: DatabaseKey) -> None:
    """Replace a file by the spooled database, encrypted."""
    unordered, converted = new_name(path), new_name(path)
    try:
        with open_spool_with(key, spooled) as file, closing(connect_to(FileContent(file))) as db:
            vacuum_into(db, unordered, key)
        convert_file(unordered, converted, key)
        replace_file(converted, path)
    finally:
        for part in (unordered, converted):
            part.unlink(missing_ok=True)
