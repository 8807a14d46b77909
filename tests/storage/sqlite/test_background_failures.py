"""What works on a file in the background survives any failure, and closing it never fails for an earlier one."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import apsw
import msgspec
import pytest

from dayline.model.errors import StoreBusy
from dayline.model.time import SECOND, now_us
from dayline.runtime.background import BackgroundWorkers
from dayline.storage.columns.scheduler import MissingMonths
from dayline.storage.columns.segment_plan import SegmentPace
from dayline.storage.history import undoing
from dayline.storage.history.contract import TrashPolicy
from dayline.storage.history.undo_log import Operation
from dayline.storage.sqlite.database import SqliteDatabase
from dayline.storage.sqlite.derived.engine import SqliteSegmentEngine
from dayline.storage.sqlite.derived.file import derived_path
from dayline.storage.sqlite.file.checkpoint import Checkpointer
from dayline.storage.sqlite.file.connection import open_writer
from dayline.storage.sqlite.read_only import ReadOnlyDatabase
from dayline.storage.sqlite.repair.mark import write_mark
from dayline.storage.sqlite.writing.transaction import SqliteTransaction
from dayline.storage.writing import holding
from tests.support.storage.building import built_in_this_process, months_of, opened_database, segments_in
from tests.support.storage.damaging import pages_of, spoil
from tests.support.storage.opened import beat, bucket, events_of, opened, sent
from tests.support.storage.slow_disk import Disk
from tests.support.waiting import eventually, eventually_async

RETRY_S = 0.01


@asynccontextmanager
async def database_at(path: Path, *, days: int = 30) -> AsyncGenerator[SqliteDatabase]:
    """Opened with background work that is repeated quickly."""
    database = SqliteDatabase(
        path,
        asyncio.get_running_loop(),
        trash=TrashPolicy(days=days, interval_s=RETRY_S),
        background=BackgroundWorkers(retry_s=RETRY_S),
    )
    try:
        yield database
    finally:
        await database.close()


def fill(path: Path) -> None:
    """A bucket with events, and something in the trash."""

    async def scenario() -> None:
        async with opened(path) as store:
            await store.create_bucket(bucket("window"))
            await store.insert("window", [beat(number) for number in range(20)])
            await store.create_bucket(bucket("gone"))
            await store.delete_bucket("gone")

    asyncio.run(scenario())


def failing(database: SqliteDatabase, name: str) -> bool:
    return any(state.name == name and state.state == "failing" for state in database.background.states())


def test_the_trash_expires_although_its_first_read_failed(tmp_path: Path) -> None:
    # The first read was outside of every `try`: it ended the task, and nothing expired until the next start.
    path, away = tmp_path / "days.db", tmp_path / "away.db"
    fill(path)

    async def scenario() -> None:
        async with database_at(path, days=0) as database:
            path.rename(away)  # before any task has taken its first step
            await eventually_async(lambda: failing(database, "resuming undos"))
            away.rename(path)

            await eventually_async(lambda: database.store().trash.all() == [])
            await eventually_async(lambda: not failing(database, "resuming undos"))

    asyncio.run(scenario())


def test_a_database_whose_trash_cannot_be_read_is_closed_without_an_error(tmp_path: Path) -> None:
    path = tmp_path / "days.db"
    fill(path)
    spoil(path, pages_of(path, "operation")[0].number)

    async def scenario() -> None:
        async with database_at(path) as database:
            await eventually_async(lambda: failing(database, "resuming undos"))

    asyncio.run(scenario())


def test_a_damaged_file_is_left_although_its_trash_cannot_be_read(tmp_path: Path) -> None:
    # Closing the trash raised the error of its first read, before anything was left: so it was tried for ever.
    path = tmp_path / "days.db"
    fill(path)
    spoil(path, pages_of(path, "operation")[0].number)

    async def scenario() -> None:
        async with database_at(path) as database:
            await eventually_async(lambda: failing(database, "resuming undos"))
            damage = await asyncio.to_thread(write_mark, path, "malformed", now=now_us())

            await database.leave_damaged(damage)

            assert database.damage == damage
            await sent(database.store(), "window", beat(100))

    asyncio.run(scenario())


def test_a_purge_that_failed_does_not_fail_the_next_one(tmp_path: Path) -> None:
    # Each purge waited for the one before it, and so raised the error of the first.
    path = tmp_path / "days.db"
    fill(path)

    def change(statement: str) -> None:
        with closing(apsw.Connection(str(path))) as db:
            db.execute(statement)

    change("CREATE TRIGGER refuse BEFORE DELETE ON bucket BEGIN SELECT raise(ABORT, 'refused'); END")

    async def scenario() -> None:
        async with database_at(path) as database:
            store = database.store()
            await store.trash.empty()
            await eventually_async(lambda: failing(database, "purge of deleted data"))
            change("DROP TRIGGER refuse")

            await store.delete_bucket("window")
            await store.trash.empty()

            with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as db:
                await eventually_async(lambda: db.execute("SELECT count(*) FROM bucket").get == 0)

    asyncio.run(scenario())


def test_the_log_is_moved_into_the_file_although_the_file_could_not_be_opened_at_first(tmp_path: Path) -> None:
    # The thread ended with the error, and the log grew until the next start.
    path, workers = tmp_path / "days.db", BackgroundWorkers()
    path.write_bytes(b"not a database" * 1000)
    checkpointer = Checkpointer(path, workers)
    checkpointer.start()
    eventually(lambda: any(state.failures > 1 for state in workers.states()))

    path.unlink()
    with closing(open_writer(path)) as db:
        db.set_wal_hook(checkpointer.note)
        db.execute("CREATE TABLE many(text)")
        db.execute("INSERT INTO many WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000) "
                   "SELECT printf('%04000d', i) FROM n")  # fmt: skip

        eventually(lambda: path.stat().st_size > 4_000_000)

        checkpointer.close()


def test_the_log_is_moved_when_it_has_been_quiet_for_a_while(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dayline.storage.sqlite.file.checkpoint.QUIET_S", 0.01)
    path = tmp_path / "days.db"
    with closing(open_writer(path)) as db:
        checkpointer = Checkpointer(path, BackgroundWorkers())
        checkpointer.start()
        db.set_wal_hook(checkpointer.note)
        db.execute("CREATE TABLE few(text)")

        eventually(lambda: path.stat().st_size > 0)

        checkpointer.close()


def test_segments_are_built_although_the_first_look_met_a_defect(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, looks, survey = tmp_path / "days.db", list[int](), SqliteSegmentEngine.survey

    def defective_at_first(self: SqliteSegmentEngine, *, before: int) -> MissingMonths | None:
        looks.append(before)
        if len(looks) == 1:
            raise ValueError("a defect")
        return survey(self, before=before)

    monkeypatch.setattr(SqliteSegmentEngine, "survey", defective_at_first)

    async def scenario() -> None:
        async with opened_database(path) as database:
            await database.store().create_bucket(bucket("window"))
            await database.store().insert("window", months_of("2024-01-10T00:00:00Z"))
        pace = SegmentPace(initial_delay_s=0, interval_s=RETRY_S, min_events=1)
        async with opened_database(path, pace=pace):
            await eventually_async(lambda: len(looks) > 2 and derived_path(path).exists())

    with built_in_this_process():
        asyncio.run(scenario())

    assert len(segments_in(path)) == 1


def test_a_database_that_is_only_read_has_no_background_work(tmp_path: Path) -> None:
    path, plan = tmp_path / "days.db", tmp_path / "days.db.d/redaction-1234"
    fill(path)
    plan.parent.mkdir(exist_ok=True)
    plan.write_bytes(b"what a server is preparing")

    async def scenario() -> None:
        database = ReadOnlyDatabase(path)
        assert database.background.states() == []
        await database.close()

    asyncio.run(scenario())

    assert plan.exists()


def test_an_undo_that_a_full_disk_interrupts_is_finished_without_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # It was finished at the next start of the server, and until then the bucket had half of its events.
    monkeypatch.setattr(holding, "GIVE_UP_S", 0.1)
    monkeypatch.setattr(undoing, "AT_ONCE", 5)
    disk, undo_slice = Disk(tmp_path / "disk"), undoing.undo_slice
    path, slices = tmp_path / "days.db", list[int]()

    def filling(changes: SqliteTransaction, operation: Operation, *, after: int, rows: int) -> int | None:
        slices.append(operation.key)
        if len(slices) == 1:
            disk.fill()
        return undo_slice(changes, operation, after=after, rows=rows)

    monkeypatch.setattr(undoing, "undo_slice", filling)

    async def scenario() -> None:
        async with database_at(path) as database:
            store = database.store()
            await store.create_bucket(bucket("window"))
            stored = (await store.insert("window", [beat(second) for second in range(20)])).events
            before = events_of(store, "window")
            moved = [msgspec.structs.replace(event, start=event.start + 3600 * SECOND) for event in stored]
            undo = (await store.insert("window", moved)).undo
            with pytest.raises(StoreBusy):
                await store.trash.undo(undo or 0)

            disk.quick()

            await eventually_async(lambda: events_of(store, "window") == before)

    with disk.mounted():
        asyncio.run(scenario())
