"""The schedule of backups is changed while the server runs: at once, and for the next start."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from dayline.config.sections import BackupSettings
from dayline.maintenance.backups.scheduler import BackupScheduler
from tests.support.keyed_server import KeyedServer
from tests.support.maintenance.backups import DAY, HOUR, Clock, filled
from tests.support.server import RunningServer

SCHEDULE = {"enabled": True, "interval_hours": 6.0, "keep_daily": 10, "keep_weekly": 8, "keep_monthly": 24}


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "config.toml"
    path.write_text("# my settings\n[backup]\nkeep_daily = 3  # days\n")
    return path


def changed(server: RunningServer, **changes: Any) -> Any:
    return server.call("PUT", "/api/1/backups/schedule", {**SCHEDULE, **changes})


def test_a_new_schedule_holds_at_once_and_after_a_restart(tmp_path: Path, config: Path) -> None:
    with RunningServer(tmp_path / "days.db", "--config", str(config)) as server:
        before = server.get("/api/1/backups").json["schedule"]
        assert (before["interval_hours"], before["keep_daily"]) == (24.0, 3)

        answer = changed(server)

        assert (answer.status, answer.json) == (200, SCHEDULE)
        assert server.get("/api/1/backups").json["schedule"] == SCHEDULE
        assert config.read_text().startswith("# my settings\n[backup]\nkeep_daily = 10  # days\n")
        server.stop()
        server.start()
        assert server.get("/api/1/backups").json["schedule"] == SCHEDULE


@pytest.mark.parametrize(
    "changes", [{"interval_hours": 0.5}, {"interval_hours": 1e9}, {"keep_daily": -1}, {"keep_monthly": 10_000}]
)
def test_a_schedule_that_makes_no_sense_changes_nothing(
    tmp_path: Path, config: Path, changes: dict[str, float]
) -> None:
    with RunningServer(tmp_path / "days.db", "--config", str(config)) as server:
        text = config.read_text()

        assert changed(server, **changes).status == 422
        assert config.read_text() == text
        assert server.get("/api/1/backups").json["schedule"]["interval_hours"] == 24


def test_only_this_computer_can_change_it(tmp_path: Path, config: Path) -> None:
    server = KeyedServer(tmp_path / "days.db", "--config", str(config), "--trusted-proxy", "127.0.0.1")
    server.start()
    try:
        path, headers = "/api/1/backups/schedule", {"X-Forwarded-For": "192.0.2.7"}
        distant = server.as_owner("PUT", path, SCHEDULE, headers=headers)
        kept = server.as_owner("GET", "/api/1/backups").json["schedule"]
        assert server.as_owner("PUT", path, SCHEDULE).status == 200
    finally:
        server.stop()

    assert (distant.status, "can only be changed on that computer" in distant.message) == (403, True)
    assert kept["interval_hours"] == 24


def test_backups_are_made_as_often_as_it_says(tmp_path: Path) -> None:
    database, clock = tmp_path / "days.db", Clock()
    filled(database, "editor")
    saved: dict[str, object] = {}

    async def nothing() -> None: ...

    async def run() -> list[bool]:
        scheduler = BackupScheduler(
            database, BackupSettings(), clock=clock, save=saved.__setitem__, initial_delay_s=3600, interval_s=3600
        )
        await scheduler.make()
        await asyncio.to_thread(filled, database, "mail")
        clock.now += 7 * HOUR
        due = [await scheduler.is_due()]
        await scheduler.change_schedule(replace(scheduler.schedule, interval_hours=6.0), claim=nothing)
        due.append(await scheduler.is_due())
        await scheduler.change_schedule(replace(scheduler.schedule, enabled=False), claim=nothing)
        clock.now += 30 * DAY
        due.append(scheduler.is_overdue(await scheduler.all()))
        await scheduler.close()
        return due

    assert asyncio.run(run()) == [False, True, False]
    assert saved == {"backup.interval_hours": 6.0, "backup.enabled": False}


def test_a_request_that_was_carried_out_already_changes_nothing(tmp_path: Path) -> None:
    saved: dict[str, object] = {}
    scheduler = BackupScheduler(tmp_path / "days.db", BackupSettings(), clock=Clock(), save=saved.__setitem__)

    async def carried_out() -> None:
        raise ValueError("carried out already")

    claim: Callable[[], Awaitable[None]] = carried_out
    with pytest.raises(ValueError, match="already"):
        asyncio.run(scheduler.change_schedule(replace(scheduler.schedule, enabled=False), claim=claim))

    assert (saved, scheduler.schedule.enabled) == ({}, True)
