"""What maintains the data in the background survives any failure, and health reports it."""

import asyncio
import errno
import logging
import shutil
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from dayline.config.sections import BackupSettings, CheckSettings, SpaceSettings
from dayline.maintenance.backups.scheduler import BackupScheduler
from dayline.maintenance.file_watch import FileWatch
from dayline.maintenance.health import Health, backup_problems
from dayline.maintenance.jobs import BackgroundJob, JobResult, Jobs
from dayline.maintenance.space import SpaceGauge, SpaceScheduler
from dayline.model.time import now_us
from dayline.model.upkeep.retention import DownsampledBucket
from dayline.runtime.background import BackgroundWorkers
from dayline.storage.sqlite.database import SqliteDatabase
from dayline.storage.sqlite.upkeep.upkeep import SqliteUpkeep
from tests.support.maintenance.backups import DAY, Clock, filled
from tests.support.waiting import PATIENCE_S, eventually_async

RETRY_S = 0.01


@asynccontextmanager
async def database_at(path: Path) -> AsyncGenerator[SqliteDatabase]:
    background = BackgroundWorkers(retry_s=RETRY_S)
    database = SqliteDatabase(path, asyncio.get_running_loop(), background=background)
    try:
        yield database
    finally:
        await database.close()


def state_of(workers: BackgroundWorkers, name: str) -> str | None:
    return next((state.state for state in workers.states() if state.name == name), None)


def test_daily_backups_continue_after_the_database_could_not_be_read(tmp_path: Path) -> None:
    # Looking whether one is due met an OSError, which was none of ours: it ended the task without a line in the log.
    folder, away, clock = tmp_path / "data", tmp_path / "away", Clock()
    folder.mkdir()
    filled(folder / "days.db", "editor")
    workers = BackgroundWorkers()
    settings = BackupSettings(folder=str(tmp_path / "backups"), interval_hours=1)
    scheduler = BackupScheduler(
        folder / "days.db", settings, clock=clock, background=workers, initial_delay_s=0, interval_s=RETRY_S
    )
    health = Health([lambda: backup_problems(scheduler)], workers)

    async def scenario() -> None:
        scheduler.start()
        await eventually_async(lambda: len(scheduler.folder.all()) == 1)
        folder.rename(away)
        folder.write_text("in the way")
        clock.now += DAY
        await eventually_async(lambda: state_of(workers, "daily backup") == "failing")

        [problem] = health.view().problems
        assert problem.kind == "backup"
        assert "days.db: Not a directory" in problem.message
        folder.unlink()
        away.rename(folder)
        await asyncio.to_thread(filled, folder / "days.db", "mail")

        await eventually_async(lambda: len(scheduler.folder.all()) == 2)
        await eventually_async(lambda: health.view().problems == [])
        await scheduler.close()

    asyncio.run(scenario())


def test_a_failed_backup_is_one_problem_and_one_line_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    filled(tmp_path / "days.db", "editor")
    (tmp_path / "backups").write_text("in the way")
    workers = BackgroundWorkers()
    settings = BackupSettings(folder=str(tmp_path / "backups"))
    scheduler = BackupScheduler(
        tmp_path / "days.db", settings, clock=now_us, background=workers, initial_delay_s=0, interval_s=RETRY_S
    )
    health = Health([lambda: backup_problems(scheduler)], workers)

    async def scenario() -> None:
        scheduler.start()
        await eventually_async(lambda: any(state.failures > 2 for state in workers.states()))

        assert [problem.kind for problem in health.view().problems] == ["backup"]
        await scheduler.close()

    asyncio.run(scenario())

    assert len([record for record in caplog.records if "the backup failed" in record.getMessage()]) == 1


def test_retention_is_applied_again_after_the_system_rejected_permission(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    downsample, calls = SqliteUpkeep.downsample, list[Mapping[str, int]]()

    async def refused_at_first(upkeep: SqliteUpkeep, days: Mapping[str, int]) -> list[DownsampledBucket]:
        calls.append(days)
        if len(calls) == 1:
            raise PermissionError(errno.EACCES, "Permission denied", "days.db")
        return await downsample(upkeep, days)

    monkeypatch.setattr(SqliteUpkeep, "downsample", refused_at_first)

    async def scenario() -> None:
        async with database_at(tmp_path / "days.db") as database:
            upkeep = database.upkeep
            scheduler = SpaceScheduler(
                database.store(),
                database.access,
                upkeep,
                SpaceGauge(upkeep, None, clock=now_us),
                SpaceSettings(),
                clock=now_us,
                background=database.background,
                initial_delay_s=0,
                interval_s=RETRY_S,
            )
            scheduler.start()

            await eventually_async(lambda: len(calls) == 2)
            await eventually_async(lambda: state_of(database.background, "retention and compaction") == "waiting")

            await scheduler.close()

    asyncio.run(scenario())


def test_a_database_is_checked_after_the_check_could_not_be_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Whatever was not the failure of the process itself ended the watch, and damage was never looked for again.
    python = sys.executable
    monkeypatch.setattr(sys, "executable", str(tmp_path / "missing"))

    async def scenario() -> None:
        async with database_at(tmp_path / "days.db") as database:
            watch = FileWatch(
                database,
                tmp_path / "days.db",
                CheckSettings(),
                restart=lambda: None,
                clock=now_us,
                initial_delay_s=0,
            )
            watch.start()
            await eventually_async(lambda: state_of(database.background, "database check") == "failing")
            assert [problem.kind for problem in Health([], database.background).view().problems] == ["check"]

            monkeypatch.setattr(sys, "executable", python)

            await eventually_async(lambda: state_of(database.background, "database check") == "waiting")
            assert Health([], database.background).view().status == "ok"
            await watch.close()

    asyncio.run(scenario())


def test_a_suspicion_is_kept_until_the_check_could_be_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    # A check that failed forgot why it was made, and the next one was an hour later.
    python, path = sys.executable, tmp_path / "days.db"
    monkeypatch.setattr(sys, "executable", shutil.which("false"))
    caplog.set_level(logging.DEBUG, logger="dayline.maintenance.file_watch")

    def checks() -> int:
        return sum("no damage" in record.getMessage() for record in caplog.records)

    async def scenario() -> None:
        async with database_at(path) as database, asyncio.timeout(PATIENCE_S):
            damaged = asyncio.Event()
            watch = FileWatch(database, path, CheckSettings(), restart=damaged.set, clock=now_us, initial_delay_s=3600)
            watch.start()
            watch.query_failed("database disk image is malformed")
            await eventually_async(lambda: state_of(database.background, "database check") == "failing")
            monkeypatch.setattr(sys, "executable", python)
            await eventually_async(lambda: checks() == 1)
            watch.query_failed("database disk image is malformed")
            await eventually_async(lambda: checks() == 2)

            watch.query_failed("database disk image is malformed")

            await damaged.wait()  # the third time SQLite is believed, though the checks found nothing
            await watch.close()

    asyncio.run(scenario())


def test_a_job_that_has_not_taken_its_first_step_can_be_cancelled() -> None:
    # Its end was waited for where it had never begun: for ever.
    async def work(job: BackgroundJob) -> JobResult:
        raise AssertionError("it was cancelled before")

    async def scenario() -> None:
        jobs, changes = Jobs(clock=now_us), list[str]()
        jobs.on_change = lambda job: changes.append(job.state)
        job = jobs.start("demo", work)
        async with asyncio.timeout(PATIENCE_S):
            await jobs.cancel(job)

        assert job.state == "cancelled"
        assert job.view().finished is not None
        assert changes == ["running", "cancelled"]
        assert jobs.running("demo") is None

    asyncio.run(scenario())


def test_jobs_that_have_not_taken_their_first_step_are_over_when_all_are_closed() -> None:
    async def work(job: BackgroundJob) -> JobResult:
        raise AssertionError("it was cancelled before")

    async def scenario() -> Sequence[str]:
        jobs = Jobs(clock=now_us)
        jobs.start("demo", work)
        await jobs.close()
        return [job.state for job in jobs.all()]

    assert asyncio.run(scenario()) == ["cancelled"]
