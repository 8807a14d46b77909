"""Restores a snapshot as the database, and keeps the file that it replaces.

   days.db                        old │ old │ new
   days.db.restore-part        …  new │ new │
   days.db.before-restore-…           │ old │ old
                                            ╰ one rename

There is a complete database under the name at all times: the old one up to the rename, the new one after it.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import apsw

from dayline.config.data_folder import DataFile, beside, data_file, data_files
from dayline.model.errors import Invalid, StoreUnusable, Unavailable
from dayline.model.time import SECOND, Microseconds
from dayline.runtime.files import flush_file, flush_folder, replace_file
from dayline.runtime.sqlite_file import READ_WRITE, connect
from dayline.storage.sqlite.backup.encryption import DamagedSnapshot, Secret
from dayline.storage.sqlite.backup.file_format import Manifest
from dayline.storage.sqlite.backup.snapshot import check_snapshot
from dayline.storage.sqlite.file.connection import open_writer, remove_database
from dayline.storage.sqlite.file.lock import FileLock
from dayline.storage.sqlite.repair.mark import set_aside

T = TypeVar("T")


def write_restored(snapshot: Path, target: Path, *, secret: Secret | None = None) -> Manifest:
    """Write a snapshot to a new, verified database file with a new epoch. Raises Invalid if it is damaged."""
    if target.exists():
        raise Invalid(f"{target} already exists", hint="choose a new file")
    part = _part(target)
    remove_database(part)
    try:
        manifest = _unpacked(snapshot, part, secret)
        replace_file(part, target)
    finally:
        remove_database(part)
    return manifest


def replace_database(
    database: Path,
    snapshot: Path,
    *,
    now: Microseconds,
    before: Callable[[Path], object] | None = None,
    secret: Secret | None = None,
) -> tuple[Manifest, Path | None]:
    """Replace a database with a snapshot; returns where the old one is kept, None if there was none.

    `before` is called with the old file when everything but the rename is done; if it raises, nothing is changed.
    Raises StoreLocked while a server uses the file, and Invalid if the snapshot is damaged, with nothing changed.
    """

    def write(part: Path) -> Manifest:
        manifest = _unpacked(snapshot, part, secret)
        if before is not None and database.exists() and database.stat().st_size:
            before(database)
        return manifest

    return replace_by(database, write, now=now)


def replace_by(database: Path, write: Callable[[Path], T], *, now: Microseconds) -> tuple[T, Path | None]:
    """Replace a database with the file that `write` makes; returns its result, and where the old one is kept.

    Raises StoreLocked while a server uses the file. If `write` raises, nothing is changed.
    """
    database.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with closing(FileLock(database)):
        _forget_earlier_attempts(database)
        part = _part(database)
        try:
            result = write(part)
            flush_file(part)  # detects a full disk before anything is changed
            kept = _keep(database, now)
            if kept is not None:
                set_aside(database, kept)
            replace_file(part, database)
        finally:
            remove_database(part)
    return result, kept


def time_in_name(moment: Microseconds) -> str:
    """A time for a file name, to the second: 20260131T093000Z."""
    return datetime.fromtimestamp(moment // SECOND, UTC).strftime("%Y%m%dT%H%M%SZ")


def _part(target: Path) -> Path:
    return data_file(target, DataFile.RESTORE_PART)


def _unpacked(snapshot: Path, part: Path, secret: Secret | None) -> Manifest:
    try:
        manifest = check_snapshot(snapshot, part, secret=secret)
    except DamagedSnapshot as error:
        raise Invalid(f"{snapshot.name} is damaged: {error}", hint="use another backup; nothing was changed") from error
    except Invalid as error:
        raise Invalid(f"{snapshot.name}: {error.message}", hint=error.hint) from error
    except OSError as error:
        raise Unavailable(
            f"cannot unpack {snapshot.name} to {part}: {error.strerror}",
            hint="free some disk space; nothing was changed",
        ) from error
    with closing(open_writer(part)) as db:
        # A new history starts: data derived from the replaced file is invalid.
        db.execute("UPDATE meta SET value = random() WHERE key = 'epoch'")
        db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    return manifest


def _keep(database: Path, now: Microseconds) -> Path | None:
    """Give the old file a second name, and move its log away: SQLite applies a log to any file with that name."""
    _empty_log(database)
    kept = next(path for path in _names_to_keep_it_by(database, now) if not path.exists())
    has_old = database.exists()
    for suffix in ("", "-wal"):
        old = beside(database, suffix)
        if old.exists() and (suffix == "" or old.stat().st_size):  # a reader leaves an empty log
            link_or_copy(old, beside(kept, suffix))
    flush_folder(database.parent)
    # There is still a log only if the old file is damaged. The second name keeps it too, for a repair.
    for suffix in ("-wal", "-shm"):
        beside(database, suffix).unlink(missing_ok=True)
    flush_folder(database.parent)
    return kept if has_old else None


def _names_to_keep_it_by(database: Path, now: Microseconds) -> Iterator[Path]:
    while True:
        yield data_file(database, DataFile.KEPT_BY_RESTORE, time_in_name(now))
        now += SECOND


def _empty_log(database: Path) -> None:
    if not beside(database, "-wal").exists():
        return
    with suppress(apsw.Error, StoreUnusable), closing(connect(database, READ_WRITE)) as db:
        db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)


def link_or_copy(old: Path, new: Path) -> None:
    """Hard-link a file, or copy it if the file system has no links."""
    try:
        os.link(old, new)
    except OSError:  # not every file system supports links
        part = data_file(new, DataFile.PART)
        part.unlink(missing_ok=True)  # perhaps a symbolic link, through which it would be copied
        shutil.copy2(old, part)
        replace_file(part, new)


def _forget_earlier_attempts(database: Path) -> None:
    """Remove what an interrupted restore left behind: a second name of the file that is still in use."""
    remove_database(_part(database))
    for kept in data_files(database, DataFile.KEPT_BY_RESTORE):
        if kept.name.endswith(".part") or (database.exists() and kept.samefile(database)):
            kept.unlink()
