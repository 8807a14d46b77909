"""Examines a database, and repairs a damaged one from readable data, what was recorded since, and a backup."""

import asyncio
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Literal, TypeAlias

from msgspec import Struct

from dayline.maintenance.backups.folder import BackupFolder
from dayline.maintenance.file_watch import run_check
from dayline.model.errors import Invalid, NotFound, Unavailable
from dayline.model.health import Damage
from dayline.model.time import Microseconds
from dayline.runtime.encryption import active_key
from dayline.storage.operations.children import ChildFailed
from dayline.storage.sqlite.backup.encryption import DamagedSnapshot, EncryptedHead, Secret
from dayline.storage.sqlite.backup.file_format import read_head
from dayline.storage.sqlite.backup.snapshot import check_snapshot
from dayline.storage.sqlite.database import SqliteDatabase
from dayline.storage.sqlite.derived.check import check_derived
from dayline.storage.sqlite.derived.check import rebuild_derived as rebuild_derived
from dayline.storage.sqlite.file.lock import FileLock
from dayline.storage.sqlite.repair.finish import RepairOutcome as RepairOutcome
from dayline.storage.sqlite.repair.finish import finish
from dayline.storage.sqlite.repair.mark import ignored_mark, look, read_mark, write_mark
from dayline.storage.sqlite.upgrade import open_current

Kind: TypeAlias = Literal["file", "derived"]

Report = Callable[[str], None]


class FileFinding(Struct, frozen=True, kw_only=True):
    """One problem of the file."""

    kind: Kind
    message: str


class Examination(Struct, frozen=True, kw_only=True):
    """The result of an examination. `damage` describes damage of the file itself."""

    findings: list[FileFinding]
    damage: str | None = None


def examine(database: Path, *, report: Callable[[str], None]) -> Examination:
    """Check a whole database, in a child process if that takes long. Works while a server uses it."""
    mark = read_mark(database)
    if mark is not None:
        return _damaged(f"{database.name} is damaged: {mark.message}", mark.message)
    if (text := ignored_mark(database)) is not None:
        report(text)
    report(f"Checking {database.name} ...")
    message = look(database)
    if message is None:
        report("Checking every page and every index ...")
        damages = asyncio.run(_check_in_child(database))
        message = damages[0] if damages else None
    if message is not None:
        return _damaged(f"{database.name} is damaged: {message}", message)
    report("Comparing derived data with the rows ...")
    return Examination(findings=[FileFinding(kind="derived", message=text) for text in check_derived(database)])


def _damaged(message: str, damage: str) -> Examination:
    return Examination(findings=[FileFinding(kind="file", message=message)], damage=damage)


async def _check_in_child(database: Path) -> list[str]:
    try:
        return await run_check(database, is_full=True)
    except ChildFailed as error:
        raise Unavailable(f"the check failed: {error}") from error


def repair(
    database: Path,
    folder: BackupFolder,
    *,
    finding: str | None,
    now: Microseconds,
    report: Report,
    secret: Secret | None = None,
) -> RepairOutcome:
    """Replace a damaged file by a repaired one. `finding` is the damage of a file that is not marked yet.

    Raises StoreLocked while a server uses it. After a kill it can be repeated: there is always either the old file with
    the recovery file, or the new one.
    """
    damage = _mark(database, finding, now)
    report("Reading every page of the damaged file ...")
    asyncio.run(_copy(database))
    with closing(FileLock(database)):
        backup, name, work = _unpack(folder, report, secret)
        try:
            report("Filling, verifying and installing the new file ...")
            return finish(database, damage, backup=backup, backup_name=name, now=now)
        finally:
            if work is not None:
                shutil.rmtree(work, ignore_errors=True)


def _mark(database: Path, finding: str | None, now: Microseconds) -> Damage:
    with closing(FileLock(database)):
        damage = read_mark(database)
        if damage is None and finding is not None:
            damage = write_mark(database, finding, now=now)
    if damage is None:
        raise NotFound(f"{database.name} is not damaged")
    return damage


async def _copy(database: Path) -> None:
    opened = SqliteDatabase(database, asyncio.get_running_loop())
    try:
        await opened.recover()
    finally:
        await opened.close()


def _unpack(folder: BackupFolder, report: Report, secret: Secret | None) -> tuple[Path | None, str | None, Path | None]:
    """The newest valid backup as a plain file of the current schema, its name, and its temporary folder."""
    for backup in folder.all():
        if not backup.is_verified:
            continue
        if active_key() is not None and not isinstance(read_head(folder.find(backup.name)), EncryptedHead):
            # Another program may have put it there. It can still be restored by name.
            report(f"Cannot use the backup {backup.name}: it is not encrypted")
            continue
        work = folder.begin_checking()
        plain = work / "plain.db"
        try:
            report(f"Verifying the backup {backup.name} ...")
            check_snapshot(folder.find(backup.name), plain, secret=secret)
            open_current(plain).close()
        except (DamagedSnapshot, Invalid) as error:  # Invalid if it is encrypted with another key
            report(f"Cannot use the backup {backup.name}: {error}")
            shutil.rmtree(work, ignore_errors=True)
            continue
        return plain, backup.name, work
    return None, None, None
