"""Files that another program puts into the folder of encrypted backups: none counts as a backup that we made.

Before, one file with a fresh name and the size and time of the database was enough: no daily backup was made, none
before an upgrade, and health reported no problem.
"""

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from dayline.config.sections import BackupSettings
from dayline.maintenance.backups.before import BackupBefore
from dayline.maintenance.backups.scheduler import BackupScheduler
from dayline.model.time import SECOND
from dayline.storage.sqlite.backup.encryption import FromDatabase, KeyFile, make_key_file
from dayline.storage.sqlite.backup.file_format import FORMAT, Manifest, write_snapshot
from dayline.storage.sqlite.backup.process import name_of, stamp_of
from dayline.storage.sqlite.backup.snapshot import take_snapshot
from tests.support.maintenance.backups import DAY, HOUR, Clock, filled, made, scheduler_of
from tests.support.storage.encrypting import encrypting

SECRET: Final = FromDatabase()


def plant(database: Path, clock: Clock, target: Path, secret: KeyFile | None) -> None:
    """Write a backup of another database, which says that it is of the current state of this one."""
    work = database.parent / "evil"
    work.mkdir()
    filled(work / "evil.db", "planted")
    contents = take_snapshot(work / "evil.db", work / "copy.db")
    size = (work / "copy.db").stat().st_size
    manifest = Manifest(format=FORMAT, made=clock.now, stamp=stamp_of(database), size=size, contents=contents)
    write_snapshot(work / "copy.db", target, manifest, secret=secret)
    shutil.rmtree(work)


def plain(database: Path, clock: Clock) -> None:
    plant(database, clock, scheduler_of(database, clock).folder.new(clock.now, None), None)


def plain_with_the_name_of_an_encrypted_one(database: Path, clock: Clock) -> None:
    plant(database, clock, scheduler_of(database, clock).folder.new(clock.now, SECRET), None)


def with_a_key_of_their_own(database: Path, clock: Clock) -> None:
    make_key_file(database.parent / "other.key")
    secret = KeyFile(path=str(database.parent / "other.key"))
    plant(database, clock, scheduler_of(database, clock).folder.new(clock.now, secret), secret)


def old_with_a_new_name(database: Path, clock: Clock) -> None:
    folder = database.with_name("days-backups")
    (old,) = folder.iterdir()
    shutil.copyfile(old, folder / name_of(database, clock.now, SECRET))


ATTACKS: Final = (plain, plain_with_the_name_of_an_encrypted_one, with_a_key_of_their_own, old_with_a_new_name)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def database(tmp_path: Path, clock: Clock) -> Path:
    """With a backup of ours from ten days ago, since when something was written."""
    path = tmp_path / "days.db"
    with encrypting():
        filled(path, "editor")
        made(scheduler_of(path, clock, secret=SECRET))
        filled(path, "mail")
    clock.now += 10 * DAY
    return path


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_planted_file_does_not_put_backups_off(
    attack: Callable[[Path, Clock], None], database: Path, clock: Clock
) -> None:
    attack(database, clock)
    clock.now += HOUR

    with encrypting():
        scheduler = BackupScheduler(database, BackupSettings(), clock=clock, secret=SECRET)

        async def state() -> tuple[bool, bool]:
            scheduler.start()
            clock.now += HOUR  # since the start
            is_due = await scheduler.is_due()
            is_overdue = scheduler.is_overdue(scheduler.folder.all())
            await scheduler.close()
            return is_due, is_overdue

        assert asyncio.run(state()) == (True, True)


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_planted_file_is_not_the_backup_before_an_upgrade(
    attack: Callable[[Path, Clock], None], database: Path, clock: Clock
) -> None:
    attack(database, clock)
    planted = sorted(database.with_name("days-backups").iterdir())

    with encrypting():
        before = BackupBefore(BackupSettings(), clock=clock, secret=SECRET)
        first = before.ensure(database)
        clock.now += SECOND
        again = before.ensure(database)

    assert first not in planted
    assert again == first


def test_a_backup_of_ours_counts(database: Path, clock: Clock) -> None:
    with encrypting():
        scheduler = scheduler_of(database, clock, secret=SECRET)
        made(scheduler)
        clock.now += DAY
        again = scheduler_of(database, clock, secret=SECRET)

        assert not asyncio.run(again.is_due())
        assert not again.is_overdue(again.folder.all())
