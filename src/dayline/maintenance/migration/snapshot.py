"""A copy of a database that its server goes on writing to."""

import shutil
from pathlib import Path
from typing import Final

import apsw

from dayline.model.errors import Invalid, Unavailable

MAGIC: Final = b"SQLite format 3\0"
_TRIES: Final = 5
_BUSY_TIMEOUT_MS: Final = 5000
_COMPANIONS: Final = ("", "-wal", "-journal")
_WAL_VERSION: Final = 2  # of bytes 18 and 19 of the file: it has a write-ahead log

Stamp = tuple[tuple[int, int] | None, ...]


def snapshot(database: Path, folder: Path) -> Path:
    """Copy one state of the database, its write-ahead log included, into a folder. Theirs is not changed in any byte.

    Where the server runs, SQLite copies in one step through a connection that can only read. That is a read
    transaction as long as the copying of a file, no longer: in a database with a write-ahead log it holds up nobody;
    in an old one without, a writer waits for it. `readonly_shm`, because even a reader writes into the index of the
    log otherwise. Without that index, which is so where no server runs, a reader would have to create it: there the
    files themselves are copied, and copied again if they have changed meanwhile.

    Raises Invalid where it is not a sound database, Unavailable where it cannot be copied now.
    """
    copy = folder / "snapshot.db"
    try:
        if not has_log(database) or beside(database, "-shm").exists():
            try:
                _copy_by_reading(database, copy)
            except (apsw.CantOpenError, apsw.ReadOnlyError, apsw.BusyError):
                # A crash has left work behind that only a writer could finish; we finish it in the copy.
                _copy_files(database, copy)
        else:
            _copy_files(database, copy)
        _check(copy)
    except OSError as error:
        raise Unavailable(f"{database} cannot be copied: {error.strerror}") from error
    except apsw.Error as error:
        raise Invalid(f"{database} cannot be read as a database: {error}") from error
    return copy


def open_snapshot(copy: Path) -> apsw.Connection:
    """Open our own copy, so that whatever SQLite has to mend there may be mended."""
    return apsw.Connection(str(copy))


def has_log(database: Path) -> bool:
    """Whether it is kept with a write-ahead log."""
    with database.open("rb") as file:
        head = file.read(20)
    return len(head) == 20 and head[18] == _WAL_VERSION


def open_to_read(database: Path, *, is_still: bool = False) -> apsw.Connection:
    """Open theirs so that not a byte of it is changed. `is_still`: nobody has it open, and its log is empty."""
    how = "immutable=1" if is_still else "readonly_shm=1"
    address = f"{database.resolve().as_uri()}?mode=ro&{how}"
    return apsw.Connection(address, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)


def _copy_by_reading(database: Path, copy: Path) -> None:
    source = open_to_read(database)
    target = apsw.Connection(str(copy))
    try:
        source.set_busy_timeout(_BUSY_TIMEOUT_MS)
        with target.backup("main", source, "main") as backup:
            backup.step(-1)
    finally:
        target.close()
        source.close()


def _copy_files(database: Path, copy: Path) -> None:
    for _ in range(_TRIES):
        before = stamp_of(database)
        for suffix in _COMPANIONS:
            beside(copy, suffix).unlink(missing_ok=True)
            if beside(database, suffix).exists():
                shutil.copyfile(beside(database, suffix), beside(copy, suffix))
        if stamp_of(database) == before:
            return
    raise Unavailable(f"{database} changes faster than it can be copied", hint="stop its server, or try again")


def stamp_of(database: Path) -> Stamp:
    """Size and time of change of every file that belongs to the database."""
    paths = [beside(database, suffix) for suffix in _COMPANIONS]
    return tuple((path.stat().st_size, path.stat().st_mtime_ns) if path.exists() else None for path in paths)


def _check(copy: Path) -> None:
    db = open_snapshot(copy)
    try:
        db.execute("SELECT count(*) FROM sqlite_master").fetchall()
    finally:
        db.close()


def beside(database: Path, suffix: str) -> Path:
    """A file that belongs to the database."""
    return database.with_name(f"{database.name}{suffix}")
