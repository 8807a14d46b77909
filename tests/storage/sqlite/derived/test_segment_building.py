"""Segments of closed months are built by a process of its own, and used from then on."""

import asyncio
import os
import time
from asyncio.subprocess import DEVNULL, PIPE
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final

import msgspec
import pytest

import dayline.storage.sqlite.derived.engine as segment_engine
from dayline.config.data_folder import make_own_folder
from dayline.model.errors import StoreLocked
from dayline.model.time import month_of, parse_timestamp
from dayline.storage.columns.segment_plan import BuildReport, SegmentKey, SegmentPace
from dayline.storage.columns.source import ReadReport
from dayline.storage.operations.children import ChildFailed, child_command, child_environment
from dayline.storage.sqlite.derived.builder import build
from dayline.storage.sqlite.derived.file import derived_path
from dayline.storage.sqlite.file.lock import FileLock
from dayline.storage.store import Store
from tests.support.maintenance.documents import document
from tests.support.storage.building import built_in_this_process, halted_sqlite, months_of, opened_database
from tests.support.storage.columns_read import read, source_of, stored
from tests.support.storage.opened import bucket
from tests.support.waiting import eventually, eventually_async

JANUARY, FEBRUARY, MARCH = ("2024-01-10T00:00:00Z", "2024-02-10T00:00:00Z", "2024-03-10T00:00:00Z")
MONTHS: Final = {date: month_of(parse_timestamp(date)) for date in (JANUARY, FEBRUARY, MARCH)}


def now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def report_of(path: Path, bucket_id: str, store: Store) -> ReadReport:
    """Where a read of everything took its events from; they must be those of the rows."""
    with source_of(path) as source:
        events, report = read(source, bucket_id)
    assert events == stored(store, bucket_id)
    return report


def test_a_month_that_changed_since_it_was_sealed_is_skipped(tmp_path: Path) -> None:
    path = tmp_path / "days.db"
    old = SegmentKey(1, MONTHS[FEBRUARY], 0)

    async def scenario() -> None:
        async with opened_database(path) as database:
            store = database.store()
            await store.create_bucket(bucket("window"))
            await store.insert("window", months_of(JANUARY, FEBRUARY))
            await database.build_segments()
            await store.insert("window", months_of(FEBRUARY, events=1))

            assert build(path, [old]).built == []

    with built_in_this_process():
        asyncio.run(scenario())


def test_only_one_builder_is_at_work(tmp_path: Path) -> None:
    path = tmp_path / "days.db"
    make_own_folder(path)
    lock = FileLock(derived_path(path))

    with pytest.raises(StoreLocked):
        build(path, [])
    lock.close()


@pytest.mark.parametrize(("point", "stored_buckets"), [("first", 0), ("middle", 1), ("second", 2)])
def test_a_builder_that_is_killed_leaves_nothing_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, point: str, stored_buckets: int
) -> None:
    path, names = tmp_path / "days.db", ("first", "second", "third")

    async def scenario() -> None:
        async with opened_database(path) as database:
            store = database.store()
            for name in names:
                await store.create_bucket(bucket(name))
                await store.insert(name, months_of(JANUARY, FEBRUARY))
            monkeypatch.setattr(segment_engine, "run_builder", partial(halted_sqlite, point))
            with pytest.raises(ChildFailed):
                await database.build_segments()

            assert sum(report_of(path, name, store).segments for name in names) == 2 * stored_buckets
            with built_in_this_process():
                await database.build_segments()
            assert sum(report_of(path, name, store).segments for name in names) == 2 * len(names)

    asyncio.run(scenario())


@pytest.mark.long
def test_a_builder_that_is_killed_at_any_time_leaves_nothing_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, names = tmp_path / "days.db", ("first", "second", "third")
    for name in names:
        (tmp_path / name).write_bytes(document(name, events=12_000, values=6_000))

    async def scenario() -> tuple[list[int], int]:
        async with opened_database(path) as database:
            store = database.store()
            await store.import_files([tmp_path / name for name in names])
            found: list[int] = []
            for delay_s in (0.0, 0.05, 0.2, 0.3):
                monkeypatch.setattr(segment_engine, "run_builder", partial(kill_a_builder, delay_s=delay_s))
                with suppress(ChildFailed):
                    await database.build_segments()
                found.append(sum(report_of(path, name, store).segments for name in names))
            with built_in_this_process():
                await database.build_segments()
            return found, sum(report_of(path, name, store).segments for name in names)

    found, at_last = asyncio.run(scenario())

    assert found[0] == 0
    assert at_last == len(names)


# With the priority of other processes, so that it comes to something in the time that it has.
BUILDER: Final = child_command("dayline.storage.operations.child", "dayline.storage.sqlite.derived.builder:build", "0")


async def kill_a_builder(database: Path, places: list[SegmentKey], *, delay_s: float, **named: object) -> BuildReport:
    """Start the process, and kill it so long after it has made the file, whether it is done or not."""
    process = await asyncio.create_subprocess_exec(*BUILDER, stdin=PIPE, stdout=DEVNULL, env=child_environment())
    given = msgspec.json.encode([[str(database), places], named])
    talk = asyncio.create_task(process.communicate(given))
    await asyncio.to_thread(eventually, derived_path(database).exists)
    await asyncio.sleep(delay_s)
    if process.returncode is None:
        process.kill()
    await talk
    raise ChildFailed("it was killed")


def test_closing_the_database_ends_the_builder_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "days.db"
    lock = tmp_path / "days.db.d/derived.lock"
    monkeypatch.setattr(segment_engine, "run_builder", partial(halted_sqlite, "wait"))  # it never ends on its own

    async def scenario() -> None:
        async with opened_database(
            path, pace=SegmentPace(initial_delay_s=0, interval_s=0.05, min_events=1)
        ) as database:
            await database.store().create_bucket(bucket("window"))
            await database.store().insert("window", months_of(JANUARY))
            await eventually_async(lambda: lock.exists() and bool(lock.read_text()))

    asyncio.run(scenario())

    with pytest.raises(ProcessLookupError):
        os.kill(int(lock.read_text()), 0)
