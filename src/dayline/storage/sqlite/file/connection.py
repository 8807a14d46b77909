"""Connections to the database file: one that writes, several that read."""

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Final

import apsw

from dayline.model.errors import StoreUnusable
from dayline.storage.faults import STORAGE_FAULTS, fault_of
from dayline.storage.sqlite.file.refusals import cannot_open, write_protected

PAGE_CACHE_KIB: Final = 4096  # per connection; the system caches the file anyway
BUSY_TIMEOUT_MS: Final = 2000
# What SQLite says of a file that is not as it was written.
DAMAGE: Final = (apsw.CorruptError, apsw.NotADBError)


def open_writer(path: Path) -> apsw.Connection:
    """The one connection that writes. Creates the file where there is none."""
    try:
        flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE | apsw.SQLITE_OPEN_URI  # the last for ATTACH
        db = apsw.Connection(str(path), flags=flags)
        _settle(db)
        # It holds only when set before the first table is made, so it is set at the very start (decision 10). Later it
        # would change nothing, and still write a page.
        if int(db.pragma("page_count")) == 0:
            db.pragma("auto_vacuum", "INCREMENTAL")
        db.pragma("journal_mode", "WAL")
        # FULL, not NORMAL: with NORMAL a commit in WAL mode reaches the disk only at the next checkpoint, and we
        # answer clients on commit.
        db.pragma("synchronous", "FULL")
        if sys.platform == "darwin":
            db.pragma("fullfsync", True)  # a plain fsync on macOS leaves the data in the drive's cache
        # What is deleted is overwritten: a text that was redacted, or a key, is not to be found on a free page.
        db.pragma("secure_delete", True)
        # Checkpoints are made by a connection of their own (checkpoint.py): here they would delay a commit.
        db.pragma("wal_autocheckpoint", 0)
    except (apsw.NotADBError, *STORAGE_FAULTS) as error:
        raise cannot_open(path, error) from error
    if db.readonly("main"):
        db.close()
        raise write_protected(path)
    return db


def open_reader(path: Path) -> apsw.Connection:
    """A connection that can only read."""
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    _settle(db)
    return db


def open_without_trace(path: Path) -> apsw.Connection:
    """A connection that can only read, for a look at a file: it leaves nothing beside it."""
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    db = apsw.Connection(uri_without_trace(path), flags=flags)
    db.set_busy_timeout(BUSY_TIMEOUT_MS)
    return db


def uri_without_trace(path: Path) -> str:
    """The same for ATTACH."""
    # Immutable: a file in WAL mode would else get a log and a shared memory of its own by being looked at, which belong
    # to whoever looks, so that a server of another user could not write to them. With a log there already, part of the
    # content may stand in it.
    mode = "mode=ro" if has_log(path) else "mode=ro&immutable=1"
    return f"{path.absolute().as_uri()}?{mode}"


def has_log(path: Path) -> bool:
    """Whether a write-ahead log is next to the file: a server uses it, or was killed."""
    return path.with_name(f"{path.name}-wal").exists()


class ReaderPool:
    """Read-only connections, opened when needed and kept for the next reader."""

    def __init__(self, path: Path, *, opened: Callable[[Path], apsw.Connection] = open_reader) -> None:
        self._opened = opened
        self._source: tuple[Path, SimpleQueue[apsw.Connection]] = (path, SimpleQueue())
        self._is_closed = False
        self.on_damage: Callable[[str], None] = lambda message: None  # called on the thread that came upon it

    @contextmanager
    def transaction(self) -> Generator[apsw.Connection]:
        """A connection that sees one state of the file until the end of the block. Keep it short."""
        with self.connection() as db:
            db.execute("BEGIN")
            try:
                yield db
            finally:
                db.execute("COMMIT")

    @contextmanager
    def connection(self) -> Generator[apsw.Connection]:
        """A connection for the length of one read. Raises StoreUnusable where the file cannot be read."""
        path, idle = self._source  # together, and once: another file may be used meanwhile
        try:
            try:
                db = idle.get_nowait()
            except Empty:
                db = self._opened(path)
            try:
                yield db
            except apsw.Error:
                db.close()  # nobody knows what state it is in
                raise
            except BaseException:
                self._give_back(db, idle)
                raise
            self._give_back(db, idle)
        except apsw.CantOpenError as error:
            fault = fault_of(error, path)
            raise StoreUnusable(f"the database cannot be read at present: {fault.message}", hint=fault.hint) from error
        except apsw.Error as error:
            if isinstance(error, DAMAGE):
                self.on_damage(str(error))
            raise StoreUnusable(f"the database cannot be read at present: {error}") from error

    def move(self, path: Path) -> None:
        """Read another file from now on."""
        idle = self._source[1]
        self._source = (path, SimpleQueue())
        _close_all(idle)

    def close(self) -> None:
        """Close the connections that are not in use; the others are closed when their reader is done."""
        self._is_closed = True
        _close_all(self._source[1])

    def _give_back(self, db: apsw.Connection, idle: SimpleQueue[apsw.Connection]) -> None:
        idle.put(db)
        # Looked at after the connection is in the queue: otherwise a close in between would leave it open.
        if self._is_closed or self._source[1] is not idle:
            _close_all(idle)


def _close_all(idle: SimpleQueue[apsw.Connection]) -> None:
    with suppress(Empty):
        while True:
            idle.get_nowait().close()


def _settle(db: apsw.Connection) -> None:
    db.set_busy_timeout(BUSY_TIMEOUT_MS)
    db.pragma("cache_size", -PAGE_CACHE_KIB)
    db.pragma("temp_store", "MEMORY")
    db.pragma("trusted_schema", False)
