"""Makes a snapshot the database again, and keeps what it replaces.

    days.db                        old │ old │ new
    days.db.restore-part        …  new │ new │
    days.db.before-restore-…           │ old │ old
                                             ╰ one rename

At every moment there is a whole database under the name: the old one up to the last step, the new one after it.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import apsw

from dayline.model.errors import Invalid, Unavailable
from dayline.model.time import SECOND, Microseconds
from dayline.runtime.files import flush_file, flush_folder, replace_file
from dayline.storage.sqlite.backup.encryption import DamagedSnapshot, Secret
from dayline.storage.sqlite.backup.file_format import Manifest
from dayline.storage.sqlite.backup.snapshot import check_snapshot
from dayline.storage.sqlite.file.connection import FileLock, open_writer
from dayline.storage.sqlite.repair.mark import set_aside

T = TypeVar("T")


def write_restored(snapshot: Path, target: Path, *, secret: Secret | None = None) -> Manifest:
    """Make a new database file of a snapshot, verified, with an epoch of its own. Raises Invalid for a damaged one."""
    if target.exists():
        raise Invalid(f"{target} exists already", hint="name a new file")
    part = _part(target)
    _remove(part)
    try:
        manifest = _unpacked(snapshot, part, secret)
        replace_file(part, target)
    finally:
        _remove(part)
    return manifest


def replace_database(
    database: Path,
    snapshot: Path,
    *,
    now: Microseconds,
    before: Callable[[Path], object] | None = None,
    secret: Secret | None = None,
) -> tuple[Manifest, Path | None]:
    """Put a snapshot in the place of a database; returns where the old one is kept, None where there was none.

    `before` is called with the old one, when all but the change itself is done; what it raises keeps the change from
    being made. Raises StoreLocked while a server uses it, and Invalid where the snapshot is damaged: then nothing was
    changed.
    """

    def write(part: Path) -> Manifest:
        manifest = _unpacked(snapshot, part, secret)
        if before is not None and database.exists():
            before(database)
        return manifest

    return replace_by(database, write, now=now)


def replace_by(database: Path, write: Callable[[Path], T], *, now: Microseconds) -> tuple[T, Path | None]:
    """Put what `write` makes in the place of a database; returns its result, and where the old one is kept.

    Raises StoreLocked while a server uses it. Where `write` raises, nothing was changed.
    """
    database.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with closing(FileLock(database)):
        _forget_earlier_attempts(database)
        part = _part(database)
        try:
            result = write(part)
            flush_file(part)  # a full disk is noticed before anything is changed
            kept = _keep(database, now)
            if kept is not None:
                set_aside(database, kept)
            replace_file(part, database)
        finally:
            _remove(part)
    return result, kept


def time_in_name(moment: Microseconds) -> str:
    """A time for the name of a file, to the second: 20260131T093000Z."""
    return datetime.fromtimestamp(moment // SECOND, UTC).strftime("%Y%m%dT%H%M%SZ")


def _part(target: Path) -> Path:
    return target.with_name(f"{target.name}.restore-part")


def _unpacked(snapshot: Path, part: Path, secret: Secret | None) -> Manifest:
    try:
        manifest = check_snapshot(snapshot, part, secret=secret)
    except DamagedSnapshot as error:
        raise Invalid(
            f"{snapshot.name} is damaged: {error}", hint="take another backup; nothing was changed"
        ) from error
    except Invalid as error:
        raise Invalid(f"{snapshot.name}: {error.message}", hint=error.hint) from error
    except OSError as error:
        raise Unavailable(
            f"{snapshot.name} cannot be unpacked to {part}: {error.strerror}", hint="make room; nothing was changed"
        ) from error
    with closing(open_writer(part)) as db:
        # Another history begins: what was derived from the one that is replaced does not fit it.
        db.execute("UPDATE meta SET value = random() WHERE key = 'epoch'")
        db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    return manifest


def _keep(database: Path, now: Microseconds) -> Path | None:
    """Give the old file a second name, and take its log out of the way: a log is applied to whatever has the name."""
    _empty_log(database)
    kept = next(path for path in _names_to_keep_it_by(database, now) if not path.exists())
    has_old = database.exists()
    for suffix in ("", "-wal"):
        old = database.with_name(f"{database.name}{suffix}")
        if old.exists() and (suffix == "" or old.stat().st_size):  # whoever reads it leaves an empty log
            link_or_copy(old, kept.with_name(f"{kept.name}{suffix}"))
    flush_folder(database.parent)
    # There is still a log only where the old file is damaged. Its other name has it, too, for whoever repairs it.
    for suffix in ("-wal", "-shm"):
        database.with_name(f"{database.name}{suffix}").unlink(missing_ok=True)
    flush_folder(database.parent)
    return kept if has_old else None


def _names_to_keep_it_by(database: Path, now: Microseconds) -> Iterator[Path]:
    while True:
        yield database.with_name(f"{database.name}.before-restore-{time_in_name(now)}")
        now += SECOND


def _empty_log(database: Path) -> None:
    if not database.with_name(f"{database.name}-wal").exists():
        return
    with suppress(apsw.Error), closing(apsw.Connection(str(database), flags=apsw.SQLITE_OPEN_READWRITE)) as db:
        db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)


def link_or_copy(old: Path, new: Path) -> None:
    """Give a file a second name; where the file system knows no such thing, a copy."""
    try:
        os.link(old, new)
    except OSError:  # not every file system knows links
        part = new.with_name(f"{new.name}.part")
        shutil.copy2(old, part)
        replace_file(part, new)


def _forget_earlier_attempts(database: Path) -> None:
    """Remove what a restore that was cut off has left behind: a second name of the file that is still in use."""
    _remove(_part(database))
    for kept in database.parent.glob(f"{database.name}.before-restore-*"):
        if kept.name.endswith(".part") or (database.exists() and kept.samefile(database)):
            kept.unlink()


def _remove(part: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        part.with_name(f"{part.name}{suffix}").unlink(missing_ok=True)
