"""Examines a database, and repairs a damaged one: what is readable, what was recorded since, then a backup."""

import asyncio
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec
from msgspec import Struct

from dayline.maintenance.backups.folder import BackupFolder
from dayline.model.errors import Invalid, NotFound, Unavailable
from dayline.model.health import Damage
from dayline.model.time import Microseconds
from dayline.storage.background import ChildFailed, run_child
from dayline.storage.sqlite.backup.encryption import DamagedSnapshot, Secret
from dayline.storage.sqlite.backup.snapshot import check_snapshot
from dayline.storage.sqlite.database import SqliteDatabase
from dayline.storage.sqlite.derived.check import check_derived
from dayline.storage.sqlite.file.connection import FileLock
from dayline.storage.sqlite.repair.finish import RepairOutcome, finish
from dayline.storage.sqlite.repair.mark import look, read_mark, write_mark
from dayline.storage.sqlite.upgrade import open_current

Kind: TypeAlias = Literal["file", "derived"]


class Finding(Struct, frozen=True, kw_only=True):
    """One thing that is not as it should be."""

    kind: Kind
    message: str


class Examined(Struct, frozen=True, kw_only=True):
    """What was found. `damage` says what is wrong with the file itself."""

    findings: list[Finding]
    damage: str | None = None


def examine(database: Path, *, tell: Callable[[str], None]) -> Examined:
    """Check a database as a whole, in a process of its own where that takes long. Works while a server uses it."""
    mark = read_mark(database)
    if mark is not None:
        return _damaged(f"{database.name} is damaged: {mark.message}", mark.message)
    tell(f"Looking at {database.name} ...")
    message = look(database)
    if message is None:
        tell("Checking every page and every index ...")
        found = asyncio.run(_checked(database))
        message = found[0] if found else None
    if message is not None:
        return _damaged(f"{database.name} is damaged: {message}", message)
    tell("Comparing what is derived with the rows ...")
    return Examined(findings=[Finding(kind="derived", message=text) for text in check_derived(database)])


def _damaged(message: str, damage: str) -> Examined:
    return Examined(findings=[Finding(kind="file", message=message)], damage=damage)


async def _checked(database: Path) -> list[str]:
    try:
        answer = await run_child("dayline.storage.sqlite.repair.check_worker", database, Path("full"))
    except ChildFailed as error:
        raise Unavailable(f"the check came to nothing: {error}") from error
    return msgspec.json.decode(answer, type=list[str])


# Repairs a damaged database: all that is readable, what was recorded since, and the rest from the newest backup.


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
