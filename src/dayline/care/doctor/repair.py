"""Repairs a damaged database: all that is readable, what was recorded since, and the rest from the newest backup."""

import asyncio
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from dayline.care.backup_folder import BackupFolder
from dayline.model.damage import Damage
from dayline.model.errors import Invalid, NotFound
from dayline.model.timestamps import Microseconds
from dayline.storage.sqlite.backup.encryption import DamagedSnapshot, Secret
from dayline.storage.sqlite.backup.snapshot import check_snapshot
from dayline.storage.sqlite.database import SqliteDatabase
from dayline.storage.sqlite.file.connection import FileLock
from dayline.storage.sqlite.repair.finish import RepairOutcome, finish
from dayline.storage.sqlite.repair.mark import read_mark, write_mark
from dayline.storage.sqlite.upgrade import open_current

Tell = Callable[[str], None]


def repair(
    database: Path,
    folder: BackupFolder,
    *,
    finding: str | None,
    now: Microseconds,
    tell: Tell,
    secret: Secret | None = None,
) -> RepairOutcome:
    """Make a whole file of a damaged one, and put it in its place. `finding` marks one that was not marked yet.

    Raises StoreLocked while a server uses it. Killed at any moment, it can be done again: there is always the old
    file with what was recorded beside it, or the new one.
    """
    damage = _marked(database, finding, now)
    tell("Reading every page of the damaged file ...")
    asyncio.run(_copy(database))
    with closing(FileLock(database)):
        backup, name, work = _unpacked(folder, tell, secret)
        try:
            tell("Filling, verifying, and putting the new file in its place ...")
            return finish(database, damage, backup=backup, backup_name=name, now=now)
        finally:
            if work is not None:
                shutil.rmtree(work, ignore_errors=True)


def _marked(database: Path, finding: str | None, now: Microseconds) -> Damage:
    with closing(FileLock(database)):
        damage = read_mark(database)
        if damage is None and finding is not None:
            damage = write_mark(database, finding, now=now)
    if damage is None:
        raise NotFound(f"nothing is wrong with {database.name}")
    return damage


async def _copy(database: Path) -> None:
    opened = SqliteDatabase(database, asyncio.get_running_loop())
    try:
        await opened.recover()
    finally:
        await opened.close()


def _unpacked(folder: BackupFolder, tell: Tell, secret: Secret | None) -> tuple[Path | None, str | None, Path | None]:
    """The newest backup that is good, as a plain file of the current schema, its name, and the folder it is in."""
    for backup in folder.all():
        if not backup.is_verified:
            continue
        work = folder.begin_checking()
        plain = work / "plain.db"
        try:
            tell(f"Verifying the backup {backup.name} ...")
            check_snapshot(folder.find(backup.name), plain, secret=secret)
            open_current(plain).close()
        except (DamagedSnapshot, Invalid) as error:  # the latter where it is encrypted, and the key is another one
            tell(f"The backup {backup.name} cannot be used: {error}")
            shutil.rmtree(work, ignore_errors=True)
            continue
        return plain, backup.name, work
    return None, None, None
