"""A query sees one state of the store, for five seconds at most, and keeps what it decoded for the next."""

import asyncio
from pathlib import Path
from typing import Final

import apsw
import pytest

from dayline.model.errors import BucketNotFound, StoreUnusable
from dayline.model.time import SECOND, parse_timestamp
from dayline.storage.columns.source import ReadReport
from dayline.storage.sqlite.columns import state
from dayline.storage.sqlite.columns.source import SqliteColumns
from dayline.storage.sqlite.database import SqliteDatabase
from tests.support.storage.building import built_in_this_process, months_of, opened_database
from tests.support.storage.columns_read import CACHE_BYTES, read, stored
from tests.support.storage.opened import beat, bucket, sent
from tests.support.waiting import eventually

DATES: Final = ("2024-01-10T00:00:00Z", "2024-02-10T00:00:00Z")
DAY: Final = 86_400 * SECOND


async def filled(database: SqliteDatabase) -> None:
    store = database.store()
    await store.create_bucket(bucket("window"))
    await store.insert("window", months_of(*DATES))
    await database.build_segments()


def test_a_query_sees_one_state_while_events_are_inserted(tmp_path: Path) -> None:
    path = tmp_path / "days.db"

    async def scenario() -> None:
        async with opened_database(path) as database:
            await filled(database)
            columns = SqliteColumns(path, cache_bytes=CACHE_BYTES)
            with columns.snapshot() as source:
                before, _ = read(source, "window")
                await database.store().insert("window", months_of(DATES[0], events=1, app="late"))
                await sent(database.store(), "window", beat(0))
                after_insert, _ = read(source, "window")
                await database.build_segments()  # the segment that this state needs is replaced
                after_build, report = read(source, "window")
                count = source.count("window", 0, 2**53)
            with columns.snapshot() as source:
                fresh, _ = read(source, "window")
            columns.close()

            assert before == after_insert == after_build
            assert count == len(before) == 40
            assert report.row_events == 20
            assert len(fresh) == 42
            assert fresh == stored(database.store(), "window")

    with built_in_this_process():
        asyncio.run(scenario())


def test_a_query_sees_no_bucket_that_was_made_after_it_began(tmp_path: Path) -> None:
    path = tmp_path / "days.db"

    async def scenario() -> None:
        async with opened_database(path) as database:
            columns = SqliteColumns(path, cache_bytes=CACHE_BYTES)
            for bucket_id in ("one", "two", "three"):
                await database.store().create_bucket(bucket(bucket_id))
            await database.store().delete_bucket("two")
            with columns.snapshot() as source:
                found = source.buckets()
                await database.store().create_bucket(bucket("two"))
                assert source.buckets() == found
                with pytest.raises(BucketNotFound):
                    source.events("two", 0, 1, ReadReport())
                with pytest.raises(BucketNotFound):
                    source.count("two", 0, 1)
            with columns.snapshot() as source:
                fresh = source.buckets()
            columns.close()

            assert [(item.id, item.hostname) for item in found] == [("one", "laptop"), ("three", "laptop")]
            assert [item.id for item in fresh] == ["one", "three", "two"]

    asyncio.run(scenario())


def test_a_snapshot_is_released_while_the_query_still_computes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state, "MAX_READ_S", 1.5)
    path = tmp_path / "days.db"

    async def scenario() -> None:
        async with opened_database(path) as database:
            await filled(database)
            columns = SqliteColumns(path, cache_bytes=CACHE_BYTES)
            with columns.snapshot() as source:
                read(source, "window")
                await database.store().insert("window", months_of(DATES[0], events=1, app="late"))

                assert not is_log_moved(path)
                await asyncio.to_thread(eventually, lambda: is_log_moved(path))
                assert len(read(source, "window")[0]) == 41
            columns.close()

    with built_in_this_process():
        asyncio.run(scenario())


def is_log_moved(path: Path) -> bool:
    """Whether no reader keeps the log from being moved into the file as a whole."""
    db = apsw.Connection(str(path))
    try:
        db.execute("SELECT count(*) FROM bucket")  # only one who has looked into the log can say how long it is
        pages, moved = db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
        return pages == moved >= 0
    finally:
        db.close()


def test_a_day_of_a_closed_month_is_read_from_rows_until_its_segment_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "days.db"
    day = parse_timestamp(DATES[0])

    async def scenario() -> list[ReadReport]:
        async with opened_database(path) as database:
            await filled(database)
            columns = SqliteColumns(path, cache_bytes=CACHE_BYTES)
            reports: list[ReadReport] = []
            for start, end in ((day, day + DAY), (0, day + DAY), (day, day + DAY)):
                with columns.snapshot() as source:
                    events, report = read(source, "window", start, end)
                assert events == stored(database.store(), "window", start, end)
                reports.append(report)
            columns.close()
            return reports

    with built_in_this_process():
        at_first, month, later = asyncio.run(scenario())

    assert (at_first.segments, at_first.row_events) == (0, 20)
    assert (month.segments, month.row_events) == (1, 0)
    assert (later.segments, later.row_events) == (1, 0)


def test_a_process_that_may_keep_nothing_reads_the_same(tmp_path: Path) -> None:
    path = tmp_path / "days.db"

    async def scenario() -> None:
        async with opened_database(path) as database:
            await filled(database)
            await database.store().insert("window", months_of(DATES[1], events=2, app="late"))
            columns = SqliteColumns(path, cache_bytes=0)
            for _ in range(3):
                with columns.snapshot() as source:
                    assert read(source, "window")[0] == stored(database.store(), "window")
            columns.close()

    with built_in_this_process():
        asyncio.run(scenario())


def test_what_was_decoded_is_kept_for_the_next_query(tmp_path: Path) -> None:
    path = tmp_path / "days.db"

    async def scenario() -> None:
        async with opened_database(path) as database:
            await filled(database)
            await database.store().insert("window", months_of(DATES[1], events=2, app="late"))
            columns = SqliteColumns(path, cache_bytes=CACHE_BYTES)
            items: list[object] = []
            for _ in range(2):
                with columns.snapshot() as source:
                    events = source.events("window", 0, 2**53, ReadReport())
                    items.append(events.dictionary.column("title").items)
            columns.close()

            assert items[0] is items[1]

    with built_in_this_process():
        asyncio.run(scenario())


def test_a_store_that_cannot_be_read_is_reported(tmp_path: Path) -> None:
    columns = SqliteColumns(tmp_path / "missing.db", cache_bytes=CACHE_BYTES)

    with columns.snapshot() as source, pytest.raises(StoreUnusable):
        source.buckets()
    columns.close()


def test_a_long_month_is_read_page_by_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dayline.storage.sqlite.columns.rows.PAGE", 7)
    path = tmp_path / "days.db"

    async def scenario() -> None:
        async with opened_database(path) as database:
            store = database.store()
            await store.create_bucket(bucket("window"))
            together = [beat(0, app=f"app {number}") for number in range(20)]  # all of one start
            await store.insert("window", [*together, *months_of(*DATES)])
            columns = SqliteColumns(path, cache_bytes=CACHE_BYTES)
            for _ in range(2):
                with columns.snapshot() as source:
                    assert read(source, "window")[0] == stored(store, "window")
                await database.build_segments()
            columns.close()

    with built_in_this_process():
        asyncio.run(scenario())
