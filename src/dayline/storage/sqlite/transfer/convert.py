"""Encrypts a plain database file, and decrypts an encrypted one.

   days.db                          plain │ plain     │ encrypted
   days.db.d/scratch-…/converted.db        │ encrypted │
                                                      ╰ one rename

There is a complete database under its name at all times. The next start of a server removes the copy that a kill left.
The files that belong to the database are converted before it. So next to an encrypted database a plain one was never
Dayline's: it is not converted, because that would make it trusted.
"""

import shutil
from collections.abc import Iterator
from contextlib import closing, suppress
from glob import escape
from pathlib import Path

import apsw

from dayline.config.data_folder import DataFile, beside, data_files, make_data_folder
from dayline.model.errors import Conflict, StoreUnusable
from dayline.runtime.encrypted_file import DatabaseKey, FileKind, kind_of
from dayline.runtime.encryption import converting
from dayline.runtime.files import flush_folder, replace_file
from dayline.storage.sqlite.backup.file_format import contents_of
from dayline.storage.sqlite.derived.file import damage_mark, remove_derived
from dayline.storage.sqlite.file.connection import open_without_trace
from dayline.storage.sqlite.file.conversion import convert_file
from dayline.storage.sqlite.file.errors import cannot_open
from dayline.storage.sqlite.file.former_layout import open_folder
from dayline.storage.sqlite.file.lock import FileLock
from dayline.storage.sqlite.repair.mark import look, read_mark

_COMPANIONS = ("-wal", "-shm", "-journal")


def encrypt_database(database: Path, key: DatabaseKey, *, also: tuple[Path, ...] = ()) -> None:
    """Replace a plain database by an encrypted one with the same contents. This process must use the key.

    Files that belong to the database, and those in the folders `also`, are converted too. It can be repeated: files
    that are encrypted already stay as they are. Raises StoreLocked while a server uses the database, and StoreUnusable
    if it is damaged or the disk is full, with nothing changed.
    """
    _convert(database, also, FileKind.PLAIN, key)


def decrypt_database(database: Path, *, also: tuple[Path, ...] = ()) -> None:
    """The reverse of `encrypt_database`. Raises SettingsInvalid if the key is missing or wrong."""
    _convert(database, also, FileKind.ENCRYPTED, None)


def _convert(database: Path, also: tuple[Path, ...], kind: FileKind, key: DatabaseKey | None) -> None:
    with closing(FileLock(database)), converting():
        open_folder(database)
        for leftover in data_files(database, DataFile.SCRATCH):
            shutil.rmtree(leftover, ignore_errors=True)
        _check_undamaged(database)
        if kind_of(database) is not kind:
            return
        scratch = make_data_folder(database, DataFile.SCRATCH)
        try:
            remove_derived(database)  # it is built again
            damage_mark(database).unlink(missing_ok=True)
            for path in (*other_files(database, also), database):
                if kind_of(path) is kind:
                    _replace(path, scratch / "converted.db", key)
        except (apsw.Error, OSError) as error:
            raise cannot_open(database, error, "cannot convert the database") from error
        finally:
            shutil.rmtree(scratch, ignore_errors=True)


def _check_undamaged(database: Path) -> None:
    mark = read_mark(database)
    damage = look(database) if mark is None else mark.message
    if damage is not None:
        raise StoreUnusable(f"{database} is damaged: {damage}", hint="repair it first: dayline doctor --repair")


def _replace(path: Path, converted: Path, key: DatabaseKey | None) -> None:
    """Write the converted file, verify it, and rename it."""
    convert_file(path, converted, key)
    _verify(path, converted)
    # The log is empty now; SQLite would apply it to any file with that name.
    if (log := beside(path, "-wal")).exists() and log.stat().st_size:
        raise Conflict(f"another process uses {path}", hint="stop it first")
    for suffix in _COMPANIONS:
        beside(path, suffix).unlink(missing_ok=True)
    flush_folder(path.parent)
    replace_file(converted, path)


def _verify(source: Path, converted: Path) -> None:
    with closing(open_without_trace(source)) as old, closing(open_without_trace(converted)) as new:
        finding = new.execute("PRAGMA integrity_check(1)").get
        if finding != "ok" or _contents(old) != _contents(new):
            raise StoreUnusable(f"the converted copy of {source} differs from it", hint="nothing was changed")


def _contents(db: apsw.Connection) -> object:
    """What must be equal in both files."""
    with suppress(apsw.SQLError):
        return contents_of(db)
    # Not the database itself: a plan of a redaction, or a queue.
    names = [name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")]
    return {name: db.execute(f'SELECT count(*) FROM "{name}"').get for name in names}


def other_files(database: Path, also: tuple[Path, ...]) -> Iterator[Path]:
    """The files that belong to a database, except what SQLite keeps next to each, and derived data."""
    recovery = database.parent.glob(f"{escape(database.name)}-*")
    for path in sorted([*recovery, *data_files(database, DataFile.REDACTION)]):
        if path.is_file() and not path.name.endswith(_COMPANIONS):
            yield path
    for folder in also:
        for path in sorted(folder.glob("*")):
            if path.is_file() and not path.name.endswith(_COMPANIONS):
                yield path
