"""The disk space of a file: the parts add up to the size of the file."""

import asyncio
from pathlib import Path

import apsw
import pytest

from dayline.model.event import Event
from dayline.model.time import parse_timestamp
from dayline.storage.sqlite.upkeep.space import space_of
from tests.support.storage.engine_upkeep import fill_bucket, together
from tests.support.storage.opened import beat, opened
from tests.support.storage.redacting import count
from tests.support.waiting import eventually_async

PAGE = 4096


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """With a large bucket, a small one, one in the trash, an event in the trash, and pages that are free."""
    path = tmp_path / "days.db"

    async def fill() -> None:
        async with opened(path) as store:
            await fill_bucket(store, "large", 6000)
            await fill_bucket(store, "small", 300)
            await fill_bucket(store, "in the trash", 1500)
            await fill_bucket(store, "gone", 1500)
            await store.delete_bucket("in the trash")
            await store.trash.empty(await store.delete_bucket("gone"))
            await purged(path, buckets=3)
            [event] = (await store.insert("small", [beat(1, app="only in the trash " * 500)])).events
            assert await store.delete_event("small", event.id) is not None

    asyncio.run(fill())
    return path


async def purged(path: Path, *, buckets: int) -> None:
    """Return when this many buckets are left, those in the trash included."""
    await eventually_async(lambda: count(path, "bucket") <= buckets)


def pages_of(path: Path, *tables: str) -> int:
    """Bytes of tables as SQLite itself counts them, one table at a time."""
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    sql = "SELECT coalesce(sum(pgsize), 0) FROM dbstat WHERE name = ? AND aggregate = TRUE"
    return sum(int(db.execute(sql, (table,)).get) for table in tables)


def test_the_parts_add_up_to_the_file(path: Path) -> None:
    space = space_of(path)

    assert space.is_exact
    assert space.file == path.stat().st_size == together(space)
    tables = (
        "event",
        "event_id",
        "value",
        "value_hash",
        "operation",
        "operation_bucket",
        "operation_event",
        "operation_event_id",
    )
    counted = pages_of(path, *tables)
    parts = space.parts
    assert abs(parts.events + parts.values + parts.trash + parts.unused - counted) <= PAGE * len(tables)


def test_a_bucket_has_its_share_of_events_and_its_own_values(path: Path) -> None:
    large, small = space_of(path).buckets

    assert [(large.id, large.events, large.values), (small.id, small.events, small.values)] == [
        ("large", 6000, 997),
        ("small", 300, 300),
    ]
    event_bytes = pages_of(path, "event", "event_id")
    assert abs(large.event_bytes - event_bytes * 6000 / 7800) <= 2 * PAGE
    assert abs(small.event_bytes - event_bytes * 300 / 7800) <= 2 * PAGE
    assert large.bytes == large.event_bytes + large.value_bytes


def test_the_trash_has_deleted_buckets_and_values_that_only_it_has(path: Path) -> None:
    space = space_of(path)

    least = pages_of(path, "event", "event_id") * 1500 / 7800 + len("only in the trash " * 500)
    assert least - 2 * PAGE < space.parts.trash < 3 * least
    assert "in the trash" not in [bucket.id for bucket in space.buckets]


def test_deleted_data_is_free_space(path: Path) -> None:
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)

    assert space_of(path).parts.free == int(db.pragma("freelist_count")) * PAGE > 10 * PAGE


def test_unreferenced_values_are_reported(path: Path) -> None:
    async def release() -> None:
        async with opened(path) as store:
            await store.trash.empty()
            await eventually_async(lambda: not count(path, "operation_event"))  # the purge runs in the background

    before = space_of(path).parts.unused
    asyncio.run(release())

    assert space_of(path).parts.unused - before >= len("only in the trash " * 500)


def test_years_share_the_space_of_the_buckets(path: Path) -> None:
    async def add() -> None:
        async with opened(path) as store:
            start = parse_timestamp("2024-06-01T00:00:00Z")
            await store.insert("small", [Event(start=start + n, data=b'{"app":"early"}') for n in range(100)])

    asyncio.run(add())
    space = space_of(path)

    assert [(year.year, year.events) for year in space.years] == [(2024, 100), (2026, 6300)]
    assert sum(year.bytes for year in space.years) == space.parts.events + space.parts.values
    small = space.buckets[1]
    assert space.years[0].bytes == pytest.approx(small.bytes / 4, abs=2)


def test_where_counting_takes_too_long_the_parts_are_estimated_and_still_add_up(path: Path) -> None:
    exact, estimated = space_of(path), space_of(path, max_read_s=0)

    assert not estimated.is_exact
    assert together(estimated) == estimated.file
    for part in ("events", "values", "trash"):
        assert getattr(estimated.parts, part) == pytest.approx(getattr(exact.parts, part), rel=0.35)
