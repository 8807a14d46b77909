"""What is read from PostgreSQL is what SQLite gives for the same events, to the byte."""

import asyncio
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dayline.model.data import canonical_json
from dayline.model.errors import BucketNotFound, EventNotFound
from dayline.model.event import Event
from dayline.model.time import EARLIEST, LATEST, SECOND, Microseconds
from dayline.storage.postgres.connection import Readers
from dayline.storage.postgres.rows.reader import Reader
from dayline.storage.store import Store
from dayline.storage.writing.settings import set_setting
from tests.storage.postgres.filling import add_alias, changing, delete_bucket, make_bucket, put
from tests.storage.postgres.rows.generated import BOUNDS, EVENTS, TURNS
from tests.support.profile import examples
from tests.support.storage.opened import BEGIN, bucket, opened

pytestmark = pytest.mark.long  # the suites of tests/storage hold the rest every day

_names = count(1)


@pytest.fixture
def readers(address: str) -> Iterator[Readers]:
    # One connection: who held it between two pages would keep the next read waiting.
    made = Readers(address, most=1)
    yield made
    made.close()


@pytest.fixture
def reader(readers: Readers) -> Reader:
    return Reader(readers, "")


def event(second: float, *, lasting: float = 1, event_id: int, **data: Any) -> Event:
    start, duration = BEGIN + round(second * SECOND), round(lasting * SECOND)
    return Event(start=start, duration=duration, data=canonical_json(data), id=event_id)


def read_all(reader: Reader | Store, name: str, start: Microseconds | None, end: Microseconds | None) -> list[object]:
    """Everything that can be read of a bucket, and of a range of it."""
    return [
        *(joined(reader.events(name, start=start, end=end, limit=limit)) for limit in (None, 0, 1, 4)),
        joined(reader.whole_events(name, start=start, end=end)),
        joined(reader.exported_events(name)),
        joined(reader.exported_lines(name, "csv", '"head"'), b"\r\n"),
        joined(reader.exported_lines(name, "ndjson", '{"bucket":"%s",'), b"\n"),
        reader.count(name, start=start, end=end),
        reader.count(name, start=None, end=None),
        reader.counts(name, [EARLIEST, *TURNS, LATEST]),
        reader.counts(name, [EARLIEST]),
    ]


def joined(pages: Iterable[bytes], comma: bytes = b",") -> bytes:
    return comma.join(pages)


@settings(
    max_examples=examples(75, daily=10),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    deadline=None,
)
@given(st.lists(EVENTS, max_size=14), st.lists(st.tuples(BOUNDS, BOUNDS), min_size=1, max_size=4))
def test_both_stores_give_the_same_bytes(
    address: str, readers: Readers, events: list[Event], ranges: list[tuple[int | None, int | None]]
) -> None:
    name = f"bucket-{next(_names)}"

    async def of_sqlite(path: Path) -> tuple[Sequence[Event], list[list[object]]]:
        async with opened(path) as store:
            await store.create_bucket(bucket(name))
            stored = (await store.insert(name, events)).events
            return stored, [read_all(store, name, *each) for each in ranges]

    with tempfile.TemporaryDirectory() as folder:
        stored, expected = asyncio.run(of_sqlite(Path(folder) / "days.db"))
    tenant = name
    with changing(address, tenant) as turn:
        turn.db.execute("INSERT INTO tenant(id) VALUES(%s)", (tenant,))
    make_bucket(address, name, stored, tenant=tenant)

    for page in (2000, 3):
        reader = Reader(readers, tenant, page=page)
        assert [read_all(reader, name, *each) for each in ranges] == expected


def test_many_pages_are_one_series(address: str, reader: Reader) -> None:
    starts = [number // 3 for number in range(5000)]  # three of each: pages cannot all end between two starts
    make_bucket(address, "b", [event(start, event_id=number + 1) for number, start in enumerate(starts)])

    pages = list(reader.exported_events("b"))

    assert [page.count(b"timestamp") for page in pages] == [2000, 2001, 999]


def test_nothing_is_held_between_two_pages(address: str, readers: Readers) -> None:
    make_bucket(address, "b", [event(number, event_id=number) for number in range(1, 8)])
    reader = Reader(readers, "", page=3)

    pages = reader.events("b", start=None, end=None, limit=None)
    seen = [next(pages).count(b"timestamp"), reader.count("b", start=None, end=None)]

    assert [*seen, *(page.count(b"timestamp") for page in pages)] == [3, 7, 3, 1]


def test_an_export_leaves_out_what_was_inserted_after_its_first_page(address: str, readers: Readers) -> None:
    make_bucket(address, "b", [event(number, event_id=number) for number in range(1, 8)])
    pages = Reader(readers, "", page=3).exported_events("b")
    first = next(pages)

    put(address, "b", [event(0.5, event_id=8)])

    assert joined([first, *pages]).count(b"timestamp") == 7


def test_a_bucket_is_found_by_its_alias_unless_that_is_the_own_id_of_another(address: str, reader: Reader) -> None:
    make_bucket(address, "old", [event(0, event_id=1)])
    make_bucket(address, "other")
    add_alias(address, "before", "old")
    add_alias(address, "other", "old")

    assert reader.count("before", start=None, end=None) == 1
    assert reader.count("other", start=None, end=None) == 0


def test_a_bucket_that_is_not_there_is_not_found(address: str, reader: Reader) -> None:
    make_bucket(address, "deleted")
    add_alias(address, "alias of a deleted one", "deleted")
    delete_bucket(address, "deleted")
    make_bucket(address, "theirs", tenant="another tenant")
    reads: list[Callable[[str], object]] = [
        lambda name: reader.events(name, start=None, end=None, limit=None),
        lambda name: reader.whole_events(name, start=None, end=None),
        reader.exported_events,
        lambda name: reader.exported_lines(name, "csv", ""),
        lambda name: reader.count(name, start=None, end=None),
        lambda name: reader.counts(name, [0, 1]),
        lambda name: reader.event(name, 1),
    ]

    for name in ("never", "deleted", "alias of a deleted one", "a\0b", "theirs"):
        for read in reads:
            with pytest.raises(BucketNotFound):
                read(name)


def test_one_event_is_read_whole(address: str, reader: Reader) -> None:
    one = event(1, lasting=-3, event_id=5, app="editor")
    make_bucket(address, "b", [one])
    make_bucket(address, "c", [event(1, event_id=6)])

    assert reader.event("b", 5) == one
    for missing in (6, 7, 2**53 - 1):
        with pytest.raises(EventNotFound):
            reader.event("b", missing)


def test_settings_come_in_the_order_of_their_bytes_whatever_the_database_sorts_by(address: str) -> None:
    keys = ["b", "B", "a", "ä", "_", "z", "Z"]
    with changing(address) as turn:
        for key in keys:
            set_setting(turn, key, b"1", now=1)
    with changing(address, "another tenant") as turn:
        set_setting(turn, "theirs", b"1", now=1)

    with changing(address) as turn:
        assert list(turn.setting_values("setting")) == sorted(keys)
