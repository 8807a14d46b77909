"""A snapshot of a database while its server writes to it."""

import shutil
from contextlib import closing
from pathlib import Path
from typing import Final

import apsw

from dayline.config.data_folder import beside
from dayline.model.errors import Invalid, Unavailable
from dayline.runtime.encryption import active_key
from dayline.runtime.spool import is_spool
from dayline.runtime.sqlite_file import READ_ONLY, READ_WRITE, connect, connect_copy, connect_foreign, vacuum_foreign
from dayline.storage.transfer.expansion import check_space

_TRIES: Final = 5
_BUSY_TIMEOUT_MS: Final = 5000
_COMPANIONS: Final = ("", "-wal", "-journal")
_WAL_VERSION: Final = 2  # bytes 18 and 19 of the file: it uses a write-ahead log

Stamp = tuple[tuple[int, int] | None, ...]


def snapshot(database: Path, folder: Path) -> Path:
    """Copy one state of the database, including its write-ahead log, into a folder. Does not change the source.

    If the server runs, SQLite copies it in one read transaction through a read-only connection. With a write-ahead log
    that blocks no writer; without one, a writer waits for the duration of the copy. `readonly_shm` is needed because a
    reader otherwise writes to the index of the log. If no server runs, there is no index, and a reader would have to
    create it; then the files are copied, and copied again if they change during the copy. The copy is encrypted if this
    process has a key.

    Raises Invalid if it is not a valid database, Unavailable if it cannot be copied now.
    """
    copy, key = folder / "snapshot.db", active_key()
    try:
        check_space(folder, sum(size for size, _ in filter(None, stamp_of(database))))
        if key is not None and is_spool(database):  # it was sent to us, and is encrypted
            from dayline.storage.sqlite.transfer.encrypted_copy import copy_spooled  # here, because few are encrypted

            copy_spooled(database, copy, key)
        elif not has_log(database) or beside(database, "-shm").exists():
            try:
                _copy_by_reading(database, copy)
            except (apsw.CantOpenError, apsw.ReadOnlyError, apsw.BusyError):
                # A crash has left a journal that only a writer can replay; we do that in the copy.
                _copy_files(database, copy)
        else:
            _copy_files(database, copy)
        _check(copy)
    except OSError as error:
        raise Unavailable(f"cannot copy {database}: {error.strerror}") from error
    except apsw.Error as error:
        raise Invalid(f"cannot read {database} as a database: {error}") from error
    return copy


def has_log(database: Path) -> bool:
    """Whether the database uses a write-ahead log."""
    with database.open("rb") as file:
        head = file.read(20)
    return len(head) == 20 and head[18] == _WAL_VERSION


def open_to_read(database: Path, *, is_still: bool = False) -> apsw.Connection:
    """Open the source without changing it. `is_still` means that no process has it open and its log is empty."""
    how = "immutable=1" if is_still else "readonly_shm=1"
    return connect_foreign(database, READ_ONLY, options=f"mode=ro&{how}")


def _copy_by_reading(database: Path, copy: Path) -> None:
    source = open_to_read(database)
    key = active_key()
    if key is not None:
        with closing(source):
            source.set_busy_timeout(_BUSY_TIMEOUT_MS)
            vacuum_foreign(source, copy, key)
        return
    target = connect(copy)
    try:
        source.set_busy_timeout(_BUSY_TIMEOUT_MS)
        with target.backup("main", source, "main") as backup:
            backup.step(-1)
    finally:
        target.close()
        source.close()


def _copy_files(database: Path, copy: Path) -> None:
    key = active_key()
    for _ in range(_TRIES):
        before = stamp_of(database)
        for suffix in _COMPANIONS:
            beside(copy, suffix).unlink(missing_ok=True)
            # Not a device that never ends.
            if key is None and beside(database, suffix).is_file():
                shutil.copyfile(beside(database, suffix), beside(copy, suffix))
        if key is not None:
            from dayline.storage.sqlite.transfer.encrypted_copy import copy_with_log  # here, because few are encrypted

            copy_with_log(database, copy, key)
        if stamp_of(database) == before:
            return
    raise Unavailable(f"{database} changes faster than it can be copied", hint="stop its server, or try again")


def stamp_of(database: Path) -> Stamp:
    """Size and modification time of all files of the database."""
    paths = [beside(database, suffix) for suffix in _COMPANIONS]
    return tuple((path.stat().st_size, path.stat().st_mtime_ns) if path.is_file() else None for path in paths)


def _check(copy: Path) -> None:
    db = connect_copy(copy, READ_WRITE)
    try:
        db.execute("SELECT count(*) FROM sqlite_master").fetchall()
    finally:
        db.close()
