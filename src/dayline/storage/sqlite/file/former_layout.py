"""The folder of a database, and the move of files from where versions without one kept them.

Files are moved at the first start with this version, one rename each, with the lock of the database held. The lock has
the same name in all versions, so no earlier one is running. After a kill the next start moves the rest.
"""

import os
import shutil
import stat
import time
from contextlib import closing
from glob import escape
from pathlib import Path
from typing import Final

from dayline.config.data_folder import DataFile, beside, data_file, former_file, make_own_folder
from dayline.model.errors import StoreLocked, StoreUnusable
from dayline.runtime.files import atomic_write, flush_folder
from dayline.runtime.logs import MAX_FILES
from dayline.storage.sqlite.file.errors import cannot_open
from dayline.storage.sqlite.file.lock import FileLock

_COMPANIONS: Final = ("-wal", "-shm", "-journal")
_LOGS: Final = ("", *(f".{number}" for number in range(1, MAX_FILES + 1)))
_UNUSED_S: Final = 86_400  # a command of an earlier version may still use what is younger


def open_folder(database: Path) -> None:
    """Create the folder of a database, and move the files of an earlier version there. Call it with the file locked.

    Raises StoreUnusable.
    """
    try:
        _make_private(database)
        _join_revocations(database)
        for file in (DataFile.REVOCATIONS, DataFile.CHECKED, DataFile.DERIVED_DAMAGED):
            _move(database, file)
        for ending in _LOGS:
            _move(database, DataFile.LOG, ending)
        for plan in {name.partition("-")[0] for name in _former_files(database, DataFile.REDACTION)}:
            _move_sqlite_file(database, DataFile.REDACTION, plan)
        _move_derived(database)
        _remove_unused(database)
        flush_folder(data_file(database, DataFile.FOLDER))
        flush_folder(database.parent)
    except OSError as error:
        raise cannot_open(database, error) from error


def unstored_revocations(database: Path) -> bytes:
    """Lines of revoked keys and sessions that are not in the database yet, of this and earlier versions."""
    paths = (data_file(database, DataFile.REVOCATIONS), former_file(database, DataFile.REVOCATIONS))
    return b"".join(path.read_bytes().rstrip(b"\0") for path in paths if path.is_file() and not path.is_symlink())


def _join_revocations(database: Path) -> None:
    """Add our lines to the file of an earlier version that has run since: it does not know them, nor stored them."""
    former = former_file(database, DataFile.REVOCATIONS)
    if former.is_file() and not former.is_symlink() and data_file(database, DataFile.REVOCATIONS).exists():
        lines = unstored_revocations(database)
        with atomic_write(former) as file:
            file.write(lines)


def _make_private(database: Path) -> None:
    path = data_file(database, DataFile.FOLDER)
    if path.is_symlink():  # through which another user could choose where we write to
        raise StoreUnusable(f"{path} is a symbolic link, so it is not used", hint="delete it")
    if stat.S_IMODE(make_own_folder(database).stat().st_mode) & (stat.S_IRWXG | stat.S_IRWXO):
        path.chmod(0o700)


def _move(database: Path, file: DataFile, ending: str = "") -> None:
    """A file at the former name replaces one in the folder: an earlier version has run since."""
    former = former_file(database, file, ending)
    if os.path.lexists(former):
        former.replace(data_file(database, file, ending))


def _move_sqlite_file(database: Path, file: DataFile, ending: str = "") -> None:
    """The file is moved before what belongs to it: without the file, the next start moves the rest."""
    if former_file(database, file, ending).exists():
        for suffix in _COMPANIONS:
            beside(data_file(database, file, ending), suffix).unlink(missing_ok=True)
    for suffix in ("", *_COMPANIONS):
        _move(database, file, f"{ending}{suffix}")


def _move_derived(database: Path) -> None:
    if not _former_files(database, DataFile.DERIVED):
        return
    former = former_file(database, DataFile.DERIVED)
    try:
        with closing(FileLock(former)):
            _move_sqlite_file(database, DataFile.DERIVED)
    except StoreLocked:  # by a builder whose server was killed: the next start moves it
        return
    data_file(former, DataFile.LOCK).unlink(missing_ok=True)


def _remove_unused(database: Path) -> None:
    """Delete what stopped servers and commands of an earlier version left."""
    former_file(database, DataFile.TOKEN).unlink(missing_ok=True)
    page = former_file(database, DataFile.SIGN_IN_PAGE)
    archives = [former_file(database, DataFile.ARCHIVE, end) for end in _former_files(database, DataFile.ARCHIVE)]
    for path in (page, *archives):
        if os.path.lexists(path) and time.time() - path.lstat().st_mtime > _UNUSED_S:
            _remove(path)
    for ending in _former_files(database, DataFile.SCRATCH):
        _remove(former_file(database, DataFile.SCRATCH, ending))


def _remove(path: Path) -> None:
    if path.is_symlink() or path.is_file():
        path.unlink()
    else:
        shutil.rmtree(path, ignore_errors=True)


def _former_files(database: Path, start: DataFile) -> list[str]:
    """How the former names with this start end."""
    former = former_file(database, start)
    return [path.name.removeprefix(former.name) for path in former.parent.glob(f"{escape(former.name)}*")]
