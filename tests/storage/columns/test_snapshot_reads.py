"""A query reads the state of a bucket once, and again when it reads a newer state of the store."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, cast

from dayline.model.time import month_of, start_of_month
from dayline.storage.columns.cache import ColumnCache
from dayline.storage.columns.dictionaries import ValueColumns
from dayline.storage.columns.months import MonthStatistics
from dayline.storage.columns.snapshot import ColumnReader, Snapshot, ValueOwner

NOON = 1_772_712_000_000_000
START = start_of_month(month_of(NOON))


class Reader:
    """One bucket with one event, which may change with the state of the store."""

    def __init__(self) -> None:
        self.moment = 1
        self.start = NOON
        self.reads = 0

    @contextmanager
    def reading(self) -> Generator[int]:
        yield self.moment

    def owner(self, bucket_id: str) -> ValueOwner:
        return ValueOwner("epoch", 1, 0)

    def months(self, *_: object) -> list[MonthStatistics]:
        return [MonthStatistics(month_of(NOON), 1, 1, self.start + 1)]

    def segments(self, *_: object) -> None:
        return None

    def digest(self, *_: object) -> bytes:
        self.reads += 1
        return b"%d" % self.start


def snapshot_of(reader: Reader) -> Snapshot:
    cache = ColumnCache(1 << 20)
    return Snapshot(cast("ColumnReader", cast("Any", reader)), ValueColumns(cache, max_bytes=1 << 20), cache)


def test_a_state_is_read_once_per_state_of_the_store() -> None:
    reader = Reader()
    snapshot = snapshot_of(reader)

    states = [snapshot.state("window", START, NOON + 2) for _ in range(3)]

    assert reader.reads == 1
    assert len(set(states)) == 1


def test_another_range_is_another_state() -> None:
    reader = Reader()
    snapshot = snapshot_of(reader)

    assert snapshot.state("window", START, NOON + 2) is not None
    assert snapshot.state("window", START, NOON + 3) is not None
    assert reader.reads == 2


def test_a_newer_state_of_the_store_is_read_again() -> None:
    reader = Reader()
    snapshot = snapshot_of(reader)
    before, extent = snapshot.state("window", START, NOON + 2), snapshot.extent("window")

    reader.moment, reader.start = 2, start_of_month(month_of(NOON) + 2)

    assert snapshot.state("window", START, NOON + 2) != before
    assert snapshot.extent("window") != extent
