"""Health reports backups that are damaged or overdue, until that is fixed."""

import asyncio
from pathlib import Path

import pytest

from dayline.config.sections import BackupSettings
from dayline.maintenance.backups.scheduler import BackupScheduler
from dayline.maintenance.backups.views import backup_state_problems
from tests.support.maintenance.backups import DAY, HOUR, Clock, damage, filled, made, scheduler_of
from tests.support.server import RunningServer


@pytest.fixture
def database(tmp_path: Path) -> Path:
    filled(tmp_path / "days.db", "editor", "mail")
    return tmp_path / "days.db"


@pytest.fixture
def clock() -> Clock:
    return Clock()


def problems_after(scheduler: BackupScheduler, clock: Clock, *, hours: float) -> list[str]:
    """What is reported so long after the scheduler was started."""

    async def run() -> list[str]:
        scheduler.start()
        clock.now += round(hours * HOUR)
        messages = [problem.message for problem in backup_state_problems(scheduler)]
        await scheduler.close()
        return messages

    return asyncio.run(run())


def test_nothing_is_reported_while_the_last_backup_is_new(database: Path, clock: Clock) -> None:
    scheduler = scheduler_of(database, clock)
    made(scheduler)
    filled(database, "game")

    assert problems_after(scheduler, clock, hours=71) == []


def test_a_backup_is_overdue_after_three_times_its_hours_when_something_was_written(
    database: Path, clock: Clock
) -> None:
    scheduler = scheduler_of(database, clock)
    made(scheduler)
    filled(database, "game")

    assert problems_after(scheduler, clock, hours=73) == ["the last good backup is from 2026-03-01T12:00:00Z"]


def test_it_is_not_overdue_while_nothing_was_written(database: Path, clock: Clock) -> None:
    scheduler = scheduler_of(database, clock)
    made(scheduler)

    assert problems_after(scheduler, clock, hours=1000) == []


def test_it_is_not_overdue_right_after_the_start_of_a_computer_that_was_off_for_weeks(
    database: Path, clock: Clock
) -> None:
    made(scheduler_of(database, clock))
    filled(database, "game")
    clock.now += 30 * DAY

    assert problems_after(scheduler_of(database, clock), clock, hours=0.1) == []
    assert len(problems_after(scheduler_of(database, clock), clock, hours=1)) == 1


def test_a_missing_backup_is_reported_after_the_same_time(database: Path, clock: Clock) -> None:
    assert problems_after(scheduler_of(database, clock), clock, hours=71) == []
    assert problems_after(scheduler_of(database, clock), clock, hours=73) == ["there is no backup"]


def test_without_backups_enabled_there_is_no_reminder(database: Path, clock: Clock) -> None:
    scheduler = scheduler_of(database, clock, BackupSettings(enabled=False))

    assert problems_after(scheduler, clock, hours=1000) == []


def test_one_that_is_damaged_is_reported_until_there_is_a_newer_one(tmp_path: Path) -> None:
    with RunningServer(tmp_path / "days.db") as server:
        backup = server.post("/api/1/backups").json
        damage(tmp_path / "days-backups" / backup["name"])
        server.post(f"/api/1/backups/{backup['name']}/verify")

        (problem,) = server.get("/api/1/health").json["problems"]
        assert (problem["kind"], problem["message"]) == ("backup", f"damaged: {backup['name']}")
        server.create("window")
        server.post("/api/1/backups")

        assert server.get("/api/1/health").json["status"] == "ok"


def test_a_folder_that_cannot_be_read_is_reported(database: Path, clock: Clock) -> None:
    database.with_name("days-backups").write_text("in the way")

    (messages,) = problems_after(scheduler_of(database, clock), clock, hours=0)

    assert "cannot read the backup folder" in messages
