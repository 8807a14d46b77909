"""Connections to the database file: one that writes, several that read."""

import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Final

import apsw

from dayline.config.data_folder import beside
from dayline.model.errors import StoreUnusable
from dayline.runtime.sqlite_file import READ_ONLY, UNCHANGING, connect
from dayline.storage.sqlite.file.errors import cannot_open, write_protected
from dayline.storage.sqlite.file.faults import STORAGE_FAULTS, fault_of

PAGE_CACHE_KIB: Final = 4096  # per connection; the system caches the file anyway
BUSY_TIMEOUT_MS: Final = 2000
# The errors of SQLite for a damaged file.
DAMAGE: Final = (apsw.CorruptError, apsw.NotADBError)


def open_writer(path: Path) -> apsw.Connection:
    """The only writing connection. Creates the file if it does not exist."""
    try:
        db = connect(path)
        _settle(db)
        # Only effective before the first table is created, so it is set first (decision 10). Later it would only write
        # a page.
        if int(db.pragma("page_count")) == 0:
            db.pragma("auto_vacuum", "INCREMENTAL")
        db.pragma("journal_mode", "WAL")
        # FULL, not NORMAL: with NORMAL a commit in WAL mode reaches the disk only at the next checkpoint, and we
        # acknowledge on commit.
        db.pragma("synchronous", "FULL")
        if sys.platform == "darwin":
            db.pragma("fullfsync", True)  # a plain fsync on macOS leaves the data in the drive's cache
        # Deleted data is overwritten: redacted texts and keys must not stay on free pages.
        db.pragma("secure_delete", True)
        # Checkpoints run on their own connection (checkpoint.py); here they would delay a commit.
        db.pragma("wal_autocheckpoint", 0)
    except (apsw.NotADBError, *STORAGE_FAULTS) as error:
        raise cannot_open(path, error) from error
    if db.readonly("main"):
        db.close()
        raise write_protected(path)
    return db


def open_reader(path: Path) -> apsw.Connection:
    """A read-only connection."""
    db = connect(path, READ_ONLY)
    _settle(db)
    return db


def open_without_trace(path: Path) -> apsw.Connection:
    """A read-only connection that creates no files next to the database."""
    db = connect(path, READ_ONLY, options=options_without_trace(path))
    db.set_busy_timeout(BUSY_TIMEOUT_MS)
    return db


def options_without_trace(path: Path) -> str:
    """The URI options of `open_without_trace`."""
    # Immutable: otherwise reading a file in WAL mode creates a log and shared memory owned by the reading user, to
    # which a server of another user could not write. If there is a log already, it may contain committed data.
    return "mode=ro" if has_log(path) else UNCHANGING


def remove_database(path: Path) -> None:
    """Delete a file that nothing uses, with what SQLite keeps next to it: first the log, which is useless alone."""
    for suffix in ("-wal", "-shm", "-journal", ""):
        beside(path, suffix).unlink(missing_ok=True)


def has_log(path: Path) -> bool:
    """Whether there is a write-ahead log: a server has the file open, or was killed."""
    return beside(path, "-wal").exists()


class ReaderPool:
    """Read-only connections, opened on demand and reused."""

    def __init__(self, path: Path, *, opened: Callable[[Path], apsw.Connection] = open_reader) -> None:
        self._opened = opened
        self._path = path
        self._idle: SimpleQueue[apsw.Connection] = SimpleQueue()
        self._is_closed = False
        self._in_use = 0
        self._changed = threading.Condition()
        self.on_damage: Callable[[str], None] = lambda message: None  # called on the thread that detected the damage

    @contextmanager
    def transaction(self) -> Generator[apsw.Connection]:
        """A connection with one snapshot of the file for the block. Keep it short."""
        with self.connection() as db:
            db.execute("BEGIN")
            try:
                yield db
            finally:
                db.execute("COMMIT")

    @contextmanager
    def connection(self) -> Generator[apsw.Connection]:
        """A connection for one read. Raises StoreUnusable if the file cannot be read or the pool is closed."""
        self._enter()
        try:
            try:
                db = self._idle.get_nowait()
            except Empty:
                db = self._opened(self._path)
            try:
                yield db
            except apsw.Error:
                db.close()  # its state is unknown
                raise
            except BaseException:
                self._give_back(db)
                raise
            self._give_back(db)
        except apsw.CantOpenError as error:
            fault = fault_of(error, self._path)
            raise StoreUnusable(f"the database cannot be read: {fault.message}", hint=fault.hint) from error
        except apsw.Error as error:
            if isinstance(error, DAMAGE):
                self.on_damage(str(error))
            raise StoreUnusable(f"the database cannot be read: {error}") from error
        finally:
            self._leave()

    def close(self, wait_s: float = 0.0) -> None:
        """Close all connections; waits up to `wait_s` for those in use."""
        with self._changed:
            self._is_closed = True
        self._close_idle()
        with self._changed:
            self._changed.wait_for(lambda: not self._in_use, wait_s)

    def _enter(self) -> None:
        with self._changed:
            if self._is_closed:  # a thread that comes too late would create a log that no reader can remove
                raise StoreUnusable("the server is stopping", hint="retry when the server is running again")
            self._in_use += 1

    def _leave(self) -> None:
        with self._changed:
            self._in_use -= 1
            if self._is_closed:
                self._changed.notify_all()

    def _give_back(self, db: apsw.Connection) -> None:
        self._idle.put(db)
        # Checked after the connection is back in the queue; otherwise a concurrent close would leave it open.
        if self._is_closed:
            self._close_idle()

    def _close_idle(self) -> None:
        with suppress(Empty):
            while True:
                self._idle.get_nowait().close()


def _settle(db: apsw.Connection) -> None:
    db.set_busy_timeout(BUSY_TIMEOUT_MS)
    db.pragma("cache_size", -PAGE_CACHE_KIB)
    db.pragma("temp_store", "MEMORY")
    db.pragma("trusted_schema", False)
