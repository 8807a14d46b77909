"""Backups: when one is due, what is known of it, and what is reported when it fails."""

import asyncio
import logging
from pathlib import Path

import pytest

from dayline.config.sections import BackupSettings
from dayline.maintenance.backups.scheduler import BackupScheduler
from dayline.model.errors import NotFound, Unavailable
from tests.support.maintenance.backups import DAY, HOUR, Clock, damage, filled, made, scheduler_of
from tests.support.waiting import eventually_async


@pytest.fixture
def database(tmp_path: Path) -> Path:
    filled(tmp_path / "days.db", "editor", "mail")
    return tmp_path / "days.db"


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_a_backup_is_stored_next_to_the_database_named_by_its_time(database: Path, clock: Clock) -> None:
    backup = made(scheduler_of(database, clock))

    assert backup.is_verified
    assert backup.manifest is not None
    assert backup.manifest.contents.events == 2
    folder = database.with_name("days-backups")
    assert [path.name for path in folder.iterdir()] == ["days-20260301T120000Z.db.zst"]


def test_two_backups_of_one_second_have_two_names(database: Path, clock: Clock) -> None:
    scheduler = scheduler_of(database, clock)

    assert made(scheduler).name == "days-20260301T120000Z.db.zst"
    assert made(scheduler).name == "days-20260301T120001Z.db.zst"


def test_two_that_are_asked_for_at_once_are_made_one_after_the_other(database: Path, clock: Clock) -> None:
    scheduler = scheduler_of(database, clock)

    async def both() -> list[str]:
        return [backup.name for backup in await asyncio.gather(scheduler.make(), scheduler.make())]

    assert sorted(asyncio.run(both())) == [backup.name for backup in reversed(scheduler.folder.all())]


def test_the_folder_is_the_one_that_the_settings_name(database: Path, clock: Clock, tmp_path: Path) -> None:
    scheduler = scheduler_of(database, clock, BackupSettings(folder=str(tmp_path / "other" / "disk")))

    backup = made(scheduler)

    assert (tmp_path / "other" / "disk" / backup.name).is_file()


def test_one_is_due_a_day_after_the_last_when_something_was_written_since(database: Path, clock: Clock) -> None:
    scheduler = scheduler_of(database, clock)
    assert asyncio.run(scheduler.is_due())
    made(scheduler)

    clock.now += DAY
    assert not asyncio.run(scheduler.is_due())
    filled(database, "game")
    assert asyncio.run(scheduler.is_due())


def test_none_is_due_before_a_day_has_gone_by(database: Path, clock: Clock) -> None:
    scheduler = scheduler_of(database, clock)
    made(scheduler)
    filled(database, "game")

    clock.now += 23 * HOUR

    assert not asyncio.run(scheduler.is_due())


def test_a_clock_that_was_set_back_does_not_put_backups_off(database: Path, clock: Clock) -> None:
    scheduler = scheduler_of(database, clock)
    made(scheduler)
    filled(database, "game")

    clock.now -= 100 * DAY

    assert asyncio.run(scheduler.is_due())


def test_a_started_scheduler_makes_a_backup_automatically(database: Path, clock: Clock) -> None:
    scheduler = BackupScheduler(database, BackupSettings(), clock=clock, initial_delay_s=0, interval_s=0.01)

    async def run() -> None:
        scheduler.start()
        await eventually_async(lambda: scheduler.folder.all() != [])
        await scheduler.close()

    asyncio.run(run())
    assert [backup.is_verified for backup in scheduler.folder.all()] == [True]


def test_a_scheduler_that_is_closed_leaves_nothing_half_made(database: Path, clock: Clock) -> None:
    scheduler = scheduler_of(database, clock)

    async def run() -> None:
        making = asyncio.create_task(scheduler.make())
        await eventually_async(lambda: any(scheduler.folder.path.glob(".days-making-*/*")), during=making, pause_s=0)
        await scheduler.close()
        with pytest.raises(Unavailable, match="stopping"):
            await making

    asyncio.run(run())
    assert list(database.with_name("days-backups").iterdir()) == []


def test_a_backup_that_is_damaged_later_is_found_and_listed_as_failed(
    database: Path, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    scheduler = scheduler_of(database, clock)
    backup = made(scheduler)
    damage(scheduler.folder.path / backup.name)

    found = asyncio.run(scheduler.verify(backup.name))

    assert not found.is_verified
    assert [(each.name, each.problem) for each in scheduler.folder.all()] == [(backup.name, found.problem)]
    assert [record.levelno for record in caplog.records] == [logging.ERROR]


def test_a_damaged_one_does_not_count_as_the_backup_of_the_day(database: Path, clock: Clock) -> None:
    scheduler = scheduler_of(database, clock)
    backup = made(scheduler)
    damage(scheduler.folder.path / backup.name)
    asyncio.run(scheduler.verify(backup.name))

    assert asyncio.run(scheduler.is_due())


def test_one_that_is_good_again_is_listed_as_verified(database: Path, clock: Clock) -> None:
    scheduler = scheduler_of(database, clock)
    backup = made(scheduler)
    for _ in range(2):  # the second time the bit is back
        damage(scheduler.folder.path / backup.name)
        asyncio.run(scheduler.verify(backup.name))

    assert scheduler.folder.all() == [backup]


@pytest.mark.parametrize("name", ["days-20200101T000000Z.db.zst", "../days.db", "", "days-99999999T999999Z.db.zst"])
def test_a_name_that_is_no_backup_is_not_found(database: Path, clock: Clock, name: str) -> None:
    scheduler = scheduler_of(database, clock)
    made(scheduler)

    with pytest.raises(NotFound, match="no backup"):
        asyncio.run(scheduler.verify(name))


def test_a_failed_backup_is_reported_until_one_succeeds(
    database: Path, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    scheduler = scheduler_of(database, clock)
    content = database.read_bytes()
    database.write_bytes(content[:4096] + b"\xff" * 8192 + content[12288:])

    with pytest.raises(Unavailable, match="the backup failed"):
        made(scheduler)

    failure = scheduler_of(database, clock).last_failure()  # also after a restart
    assert failure is not None
    assert failure.when == clock.now
    assert [record.levelno for record in caplog.records] == [logging.ERROR]
    assert scheduler.folder.all() == []
    database.write_bytes(content)
    made(scheduler)
    assert scheduler.last_failure() is None


def test_a_folder_that_cannot_be_made_is_reported(database: Path, clock: Clock, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    scheduler = scheduler_of(database, clock, BackupSettings(folder=str(tmp_path / "file" / "backups")))

    with pytest.raises(Unavailable, match="the backup failed"):
        made(scheduler)

    assert scheduler.last_failure() is not None


def test_old_backups_go_when_a_new_one_is_made(database: Path, clock: Clock) -> None:
    scheduler = scheduler_of(database, clock, BackupSettings(keep_daily=2, keep_weekly=0, keep_monthly=0))
    for _ in range(4):
        made(scheduler)
        clock.now += DAY

    assert [backup.name[5:13] for backup in scheduler.folder.all()] == ["20260304", "20260303"]


def test_a_backup_that_is_deleted_while_the_folder_is_listed_is_not_in_the_list(database: Path, clock: Clock) -> None:
    scheduler = scheduler_of(database, clock)
    backup = made(scheduler)
    # In the folder's list of names, and not there when it is read: what a deletion between the two looks like.
    gone = scheduler.folder.path / "days-20260228T120000Z.db.zst"
    gone.symlink_to(scheduler.folder.path / "deleted")

    assert scheduler.folder.all() == [backup]
    with pytest.raises(NotFound, match="no backup"):
        scheduler.folder.describe(gone.name)


def test_an_old_backup_that_cannot_be_deleted_does_not_make_the_new_one_a_failure(
    database: Path, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    scheduler = scheduler_of(database, clock)
    old = scheduler.folder.path / "days-20200101T000000Z.db.zst"
    old.mkdir(parents=True)  # which unlink refuses, also for root

    backup = made(scheduler)

    assert backup.is_verified
    assert scheduler.last_failure() is None
    [warning] = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert old.name in warning


def test_backups_of_another_database_in_the_same_folder_are_left_alone(
    database: Path, clock: Clock, tmp_path: Path
) -> None:
    settings = BackupSettings(folder=str(tmp_path / "backups"), keep_daily=1, keep_weekly=0, keep_monthly=0)
    filled(tmp_path / "days-testing.db", "editor")
    other = scheduler_of(tmp_path / "days-testing.db", clock, settings)
    made(other)
    clock.now += 3 * DAY

    scheduler = scheduler_of(database, clock, settings)
    made(scheduler)

    assert len(scheduler.folder.all()) == 1
    assert len(other.folder.all()) == 1
