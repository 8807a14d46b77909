"""A database file as the source or the target of an archive."""

from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final, TypeVar

import apsw

from dayline.config.data_folder import DataFile, data_file, make_own_folder, scratch_folder
from dayline.model.errors import Conflict, Invalid, StoreLocked, StoreUnusable
from dayline.model.time import Microseconds
from dayline.runtime.sqlite_file import READ_WRITE, connect
from dayline.storage.sqlite.backup.encryption import DamagedSnapshot
from dayline.storage.sqlite.backup.restore import replace_by
from dayline.storage.sqlite.backup.snapshot import open_unchanging, take_snapshot
from dayline.storage.sqlite.file.connection import open_reader, open_writer
from dayline.storage.sqlite.file.lock import FileLock
from dayline.storage.sqlite.file.schema import MIGRATIONS, migrate, version_of
from dayline.storage.sqlite.transfer.copying import CopiedFile, NewFile
from dayline.storage.transfer.copying import CopyTarget

T = TypeVar("T")

# Tables with rows as soon as a database was used. Not the audit log: calls alone are no data to lose, and the replaced
# file is kept anyway. `act` is the name of `operation` in older files.
_DATA: Final = (
    "bucket", "setting", "setting_history", "own_setting", "own_setting_history", "access_key", "operation", "act",
)  # fmt: skip


@contextmanager
def archived_file(database: Path) -> Generator[CopiedFile]:
    """The database as of one point in time; a server may keep recording. Raises Unavailable if it cannot be read.

    It is read from a copy, which is stored in the folder of the database while this is open, with the current schema.
    """
    start = data_file(database, DataFile.ARCHIVE)
    try:
        with scratch_folder(start.name, make_own_folder(database)) as folder:
            copy = folder / "copy.db"
            with _left_tidy(database):
                take_snapshot(database, copy)
            _bring_up_to_date(copy)
            with closing(open_unchanging(copy)) as db:
                yield CopiedFile(db, database)
    except (apsw.Error, DamagedSnapshot) as error:
        raise StoreUnusable(f"cannot read {database}: {error}") from error


def restore_file(database: Path, fill: Callable[[CopyTarget], T], *, now: Microseconds) -> tuple[T, Path | None]:
    """Create the database with `fill`; returns its result, and where an empty one that was there is kept.

    Raises StoreLocked while a server uses it, Conflict if it is not empty, and Invalid if rows contradict each other.
    If `fill` raises, nothing is changed.
    """

    def write(part: Path) -> T:
        _check_empty(database)
        try:
            with closing(open_writer(part)) as db:
                target = NewFile(db, database)
                result = fill(target)
                target.finish()
            return result
        except apsw.ConstraintError as error:
            raise Invalid(f"cannot store it: {error}", hint="nothing was changed") from error
        except apsw.Error as error:  # a full disk, for instance
            raise StoreUnusable(f"cannot write {part}: {error}", hint="nothing was changed") from error

    return replace_by(database, write, now=now)


@contextmanager
def _left_tidy(database: Path) -> Generator[None]:
    """Remove the log that reading a database creates if no server uses it."""
    try:
        lock = FileLock(database)
    except StoreLocked:
        yield
        return
    with closing(lock), closing(connect(database, READ_WRITE)) as db:
        version_of(db)
        yield


def _bring_up_to_date(copy: Path) -> None:
    with closing(open_unchanging(copy)) as db:
        version = version_of(db)
    if version < len(MIGRATIONS):
        with closing(open_writer(copy)) as db:
            migrate(db)
            db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)


def _check_empty(database: Path) -> None:
    if not database.exists() or not database.stat().st_size:
        return
    try:
        with closing(open_reader(database)) as db:
            if version_of(db) == 0:
                return
            there = {name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
            found = {table: int(db.execute(f"SELECT count(*) FROM {table}").get) for table in _DATA if table in there}
    except apsw.Error as error:
        raise StoreUnusable(f"cannot read {database}: {error}", hint="choose another file with --database") from error
    if any(found.values()):
        raise Conflict(
            f"{database} is not empty: it has {found['bucket']:,} buckets, {found['setting']:,} settings and "
            f"{found.get('access_key', 0):,} keys",
            hint="an archive is restored into a new database: choose another file with --database",
        )
