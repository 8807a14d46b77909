"""Opening the database file: the lock, the connection that writes, those that read, and why opening failed."""

import errno
import os
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO, Final

import apsw

from dayline.model.errors import Invalid, StoreLocked, StoreUnusable
from dayline.storage.disk_faults import STORAGE_FAULTS, fault_of

_ANOTHER = "name another place with --database"


def cannot_open(database: Path, error: Exception, what: str = "cannot open the database") -> StoreUnusable:
    """The reason as far as it can be seen from outside, and what SQLite says of it otherwise."""
    if os.path.exists(database):
        missing = [word for word, mode in (("read", os.R_OK), ("write", os.W_OK)) if not os.access(database, mode)]
        if missing:
            return _forbidden(database, " or ".join(missing))
    if not os.access(database.parent, os.R_OK | os.W_OK | os.X_OK):
        return cannot_write_beside(database, PermissionError(errno.EACCES, os.strerror(errno.EACCES)))
    fault = fault_of(error, database)
    if fault.kind in ("full", "limit", "read-only"):
        return StoreUnusable(f"{what} {database}: {fault.message}", hint=f"{fault.hint}, or {_ANOTHER}")
    return StoreUnusable(f"{what} {database}: {error}", hint="name another file with --database, or mend this one")


def write_protected(database: Path) -> StoreUnusable:
    """SQLite opens such a file without a word, and only the first write would fail."""
    return cannot_open(database, apsw.ReadOnlyError())


def cannot_write_beside(database: Path, error: OSError) -> StoreUnusable:
    """The folder takes no new file."""
    folder = database.parent
    mend = {
        errno.EACCES: f"give this user the right to use it (chmod u+rwx {folder}), or ",
        errno.EPERM: f"give this user the right to use it (chmod u+rwx {folder}; chattr -i {folder}), or ",
        errno.EROFS: "mount its disk for writing (mount -o remount,rw), or ",
        errno.ENOSPC: "make room on its disk, or ",
    }.get(error.errno or 0, "")
    return StoreUnusable(
        f"cannot write in the folder of the database {database}: {error.strerror}", hint=f"{mend}{_ANOTHER}"
    )


def refuse_tenant(tenant: str) -> None:
    """Raise Invalid for the data of anybody but the one person whose file this is."""
    if tenant:
        raise Invalid(
            f"a SQLite file holds one person's data, and none of {tenant!r}",
            hint="several people need PostgreSQL: see docs/guides/postgres.md",
            field="tenant",
        )


def make_folder(folder: Path) -> None:
    """Make the folder of a database, but none of those around it.

    Where they are missing, so may be a disk; and what is recorded must not go to another one silently. Raises
    StoreUnusable.
    """
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except FileNotFoundError as error:
        raise StoreUnusable(
            f"there is no folder {folder.parent}, in which {folder.name} would be made for the database",
            hint=f"connect its disk; or, if it is to be new: mkdir -p {folder}",
        ) from error
    except OSError as error:
        raise StoreUnusable(f"cannot make the folder {folder}: {error.strerror}", hint=_ANOTHER) from error


def _forbidden(database: Path, what: str) -> StoreUnusable:
    return StoreUnusable(
        f"this user may not {what} the database {database}",
        hint=f"chmod u+rw {database}, and see with ls -l and lsattr who owns and protects it; or {_ANOTHER}",
    )


# Connections to the database file: one that writes, several that read.


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
        self._path = path
        self._idle: SimpleQueue[apsw.Connection] = SimpleQueue()
        self._is_closed = False
        self._in_use = 0
        self._changed = threading.Condition()
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
        self._count(+1)
        try:
            try:
                db = self._idle.get_nowait()
            except Empty:
                db = self._opened(self._path)
            try:
                yield db
            except apsw.Error:
                db.close()  # nobody knows what state it is in
                raise
            except BaseException:
                self._give_back(db)
                raise
            self._give_back(db)
        except apsw.CantOpenError as error:
            fault = fault_of(error, self._path)
            raise StoreUnusable(f"the database cannot be read at present: {fault.message}", hint=fault.hint) from error
        except apsw.Error as error:
            if isinstance(error, DAMAGE):
                self.on_damage(str(error))
            raise StoreUnusable(f"the database cannot be read at present: {error}") from error
        finally:
            self._count(-1)

    def close(self, wait_s: float = 0.0) -> None:
        """Close all connections; those in use when their reader is done, which is waited for so long at most."""
        self._is_closed = True
        self._close_idle()
        with self._changed:
            self._changed.wait_for(lambda: not self._in_use, wait_s)

    def _count(self, change: int) -> None:
        with self._changed:
            self._in_use += change
            if self._is_closed:
                self._changed.notify_all()

    def _give_back(self, db: apsw.Connection) -> None:
        self._idle.put(db)
        # Looked at after the connection is in the queue: otherwise a close in between would leave it open.
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


# One server to a database file: a lock beside it that names its holder.


class FileLock:
    """Held from construction to `close`, and let go of by the system if the process dies."""

    def __init__(self, database: Path) -> None:
        self._path = database.with_name(f"{database.name}.lock")
        try:
            self._file: IO[str] = open(self._path, "a+", encoding="ascii")  # noqa: SIM115  # it stays open: that is the lock
        except OSError as error:
            raise cannot_write_beside(database, error) from error
        try:
            _lock(self._file)
        except OSError as error:
            self._file.seek(0)
            holder = self._file.read().strip() or "unknown"
            self._file.close()
            raise StoreLocked(
                f"the database {database} is in use by process {holder}",
                hint="stop that process, or name another file with --database",
            ) from error
        self._file.seek(0)
        self._file.truncate()
        with suppress(OSError):  # on a full disk the lock holds all the same; not through the file's own memory,
            os.write(self._file.fileno(), b"%d\n" % os.getpid())  # which would try again when it is closed

    def close(self) -> None:
        self._file.close()


if sys.platform == "win32":
    import msvcrt

    def _lock(file: IO[str]) -> None:
        # Far behind the text, so that others can still read who holds it.
        file.seek(4096)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(file: IO[str]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
