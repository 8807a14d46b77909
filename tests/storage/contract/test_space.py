"""The report of disk space: its parts add up to the whole, on every engine."""

import msgspec
import pytest

from dayline.model.event import Event
from dayline.model.time import parse_timestamp
from dayline.model.upkeep.space import FileSpace
from dayline.storage.retention.space import divide
from tests.support.storage.engine_upkeep import Keeping, fill_bucket, play, together
from tests.support.storage.engines import Engine
from tests.support.storage.opened import beat


def measured(engine: Engine) -> FileSpace:
    """What takes space with events of two years in a large bucket and a small one, and others in the trash."""
    found: list[FileSpace] = []

    async def fill(at: Keeping) -> None:
        await fill_bucket(at.store, "large", 3000)
        await fill_bucket(at.store, "small", 200)
        early = parse_timestamp("2024-06-01T00:00:00Z")
        await at.store.insert("small", [Event(start=early + n, data=b'{"app":"early"}') for n in range(100)])
        await fill_bucket(at.store, "in the trash", 1500)
        await at.store.delete_bucket("in the trash")
        await at.store.delete_bucket("window")
        found.append((await at.upkeep.measure()).database)

    play(engine, fill)
    return found[0]


def test_buckets_and_years_have_their_share_on_every_engine(engine: Engine) -> None:
    space = measured(engine)

    assert space.file == together(space) > 0
    assert all(part >= 0 for part in msgspec.structs.astuple(space.parts))
    large, small = space.buckets
    assert [(large.id, large.events, large.values), (small.id, small.events, small.values)] == [
        ("large", 3000, 997),
        ("small", 300, 201),
    ]
    assert large.event_bytes == pytest.approx(10 * small.event_bytes, rel=0.01)
    assert large.value_bytes > 4 * small.value_bytes > 0
    assert [(year.year, year.events) for year in space.years] == [(2024, 100), (2026, 3200)]
    assert sum(year.bytes for year in space.years) == space.parts.events + space.parts.values
    assert space.parts.trash > large.event_bytes / 2


def test_what_is_measured_continues_where_something_was_written(engine: Engine) -> None:
    async def write(at: Keeping) -> None:
        before = at.upkeep.stamp()
        assert at.upkeep.stamp() == before
        await at.store.insert("window", [beat(1)])
        assert at.upkeep.stamp() != before

    play(engine, write)


def test_bytes_are_shared_without_losing_any() -> None:
    assert divide(10, [1, 1, 1]) == [3, 4, 3]
    assert divide(7, [0, 5, 0]) == [0, 7, 0]
    assert divide(7, []) == []
    assert sum(divide(1_000_003, [0.1 * n for n in range(97)])) == 1_000_003
