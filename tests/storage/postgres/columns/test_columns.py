"""Columns read from PostgreSQL hold what those of SQLite hold, and one query sees one state."""

import asyncio
import signal
import sys
import tempfile
from collections.abc import Hashable, Iterator, Sequence
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dayline.config.sections import QuerySettings
from dayline.model.data import canonical_json
from dayline.model.errors import BucketNotFound, StoreUnusable
from dayline.model.event import Event
from dayline.model.time import EARLIEST, LATEST, SECOND, Microseconds, Period
from dayline.query.processes.command import postgres_environment, postgres_query_command
from dayline.query.processes.messages import QueryJob
from dayline.query.processes.workers import QueryWorkers
from dayline.storage.columns.source import ColumnSource, ReadReport, SourceBucket
from dayline.storage.postgres.columns.source import PostgresColumns
from dayline.storage.postgres.columns.state import ReadState
from dayline.storage.postgres.connection import connect
from dayline.transform.text import Clause, TextQuery
from tests.storage.postgres.filling import add_alias, delete_bucket, end_connections, make_bucket, put
from tests.storage.postgres.rows.generated import BOUNDS, EVENTS
from tests.support.profile import examples
from tests.support.storage.columns_read import CACHE_BYTES, Shown, shown, source_of
from tests.support.storage.opened import BEGIN, bucket, opened
from tests.support.waiting import PATIENCE_S, eventually

QUERIES: Final = (
    TextQuery(),
    TextQuery((Clause(words=("x",)),)),
    TextQuery((Clause(words=("s",), is_prefix=True), Clause(words=("x",), is_negated=True))),
    TextQuery((Clause(words=("x",), field="title", is_negated=True),)),
)

_names = count(1)


@pytest.fixture
def columns(address: str) -> Iterator[PostgresColumns]:
    made = PostgresColumns(address, "", cache_bytes=CACHE_BYTES)
    yield made
    made.close()


def event(second: float, event_id: int, **data: Any) -> Event:
    return Event(start=BEGIN + round(second * SECOND), duration=SECOND, data=canonical_json(data), id=event_id)


def all_of(source: ColumnSource, name: str) -> list[Shown]:
    return shown(source.events(name, EARLIEST, LATEST, ReadReport()))


def read_all(source: ColumnSource, name: str, start: Microseconds, end: Microseconds) -> list[object]:
    """Everything that can be read of a range of a bucket."""
    report = ReadReport()
    return [
        shown(source.events(name, start, end, report)),
        report.row_events,
        source.count(name, start, end),
        *(shown(source.matching(name, start, end, query, ReadReport())) for query in QUERIES),
    ]


def check_state(source: ColumnSource, name: str, span: tuple[int, int], known: dict[Hashable, list[Shown]]) -> None:
    """A state that was seen before means the same events, and none reaches out of the extent."""
    events = shown(source.events(name, *span, ReadReport()))
    state = source.state(name, *span)
    assert state is not None
    assert known.setdefault((name, span, state), events) == events
    extent = source.extent(name)
    assert all(extent is not None and extent[0] <= start and end <= extent[1] for _, start, end, _ in events)


@settings(
    max_examples=examples(75, daily=10),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    deadline=None,
)
@given(
    st.lists(st.lists(EVENTS, max_size=6), min_size=1, max_size=3),
    st.lists(st.tuples(BOUNDS, BOUNDS), min_size=1, max_size=3),
)
def test_both_stores_give_the_same_columns(
    address: str,
    columns: PostgresColumns,
    steps: list[list[Event]],
    ranges: list[tuple[Microseconds | None, Microseconds | None]],
) -> None:
    name = f"bucket-{next(_names)}"
    spans = [(EARLIEST if start is None else start, LATEST if end is None else end) for start, end in ranges]

    async def of_sqlite(path: Path) -> list[tuple[Sequence[Event], list[list[object]]]]:
        found: list[tuple[Sequence[Event], list[list[object]]]] = []
        async with opened(path) as store:
            await store.create_bucket(bucket(name))
            for events in steps:
                stored = (await store.insert(name, events)).events
                with source_of(path) as source:
                    found.append((stored, [read_all(source, name, *span) for span in spans]))
        return found

    with tempfile.TemporaryDirectory() as folder:
        expected = asyncio.run(of_sqlite(Path(folder) / "days.db"))
    make_bucket(address, name)
    known: dict[Hashable, list[Shown]] = {}
    for stored, read in expected:
        put(address, name, stored)
        with columns.snapshot() as source:
            assert [read_all(source, name, *span) for span in spans] == read
            for span in spans:
                check_state(source, name, span, known)


def test_events_come_in_order_however_the_database_reads_them(address: str, columns: PostgresColumns) -> None:
    make_bucket(address, "b")
    for events in ([event(2, 5)], [event(1, 4)], [event(1, 3), event(3, 1)]):
        put(address, "b", events)
    with connect(address, is_owner=True) as db:
        for way in ("enable_indexscan", "enable_bitmapscan"):
            db.execute(f"ALTER DATABASE {db.info.dbname} SET {way} = off".encode())

    with columns.snapshot() as source:
        assert [each[0] for each in all_of(source, "b")] == [3, 4, 5, 1]


def test_a_search_reads_the_events_of_values_that_fit_alone(address: str, columns: PostgresColumns) -> None:
    make_bucket(address, "b", [event(number / 10, number, title=f"page {number % 7}") for number in range(1, 50)])

    for query, found in (
        (TextQuery((Clause(words=("3",)),)), 7),
        (TextQuery((Clause(words=("nowhere",)),)), 0),
        (TextQuery((Clause(words=("3",), is_negated=True),)), 42),
    ):
        report = ReadReport()
        with columns.snapshot() as source:
            assert len(source.matching("b", EARLIEST, LATEST, query, report).id) == found
        assert (report.looked_through, report.row_events) == (7, found)


def test_a_query_sees_one_state_and_the_next_query_later_changes(address: str, columns: PostgresColumns) -> None:
    make_bucket(address, "b", [event(0, 1)])
    with columns.snapshot() as source:
        before = source.state("b", EARLIEST, LATEST)
        put(address, "b", [event(1, 2)])
        make_bucket(address, "c")

        assert len(all_of(source, "b")) == 1
        assert source.count("b", EARLIEST, LATEST) == 1
        assert [found.id for found in source.buckets()] == ["b"]
        assert source.state("b", EARLIEST, LATEST) == before

    with columns.snapshot() as source:
        assert len(all_of(source, "b")) == 2
        assert [found.id for found in source.buckets()] == ["b", "c"]
        assert source.state("b", EARLIEST, LATEST) != before


def test_a_range_without_events_is_as_it_was_whatever_else_is_recorded(address: str, columns: PostgresColumns) -> None:
    states: list[Hashable] = []
    make_bucket(address, "b", [event(0, 1)])
    for number in (2, 3):
        put(address, "b", [event(number, number)])
        with columns.snapshot() as source:
            states.append(source.state("b", EARLIEST, EARLIEST + SECOND))

    assert states[0] is not None
    assert states[0] == states[1]


def test_buckets_are_reported_with_their_aliases_and_found_by_them(address: str, columns: PostgresColumns) -> None:
    for name in ("b", "deleted", "c"):
        make_bucket(address, name, [event(0, {"b": 1, "deleted": 2, "c": 3}[name])])
    make_bucket(address, "theirs", tenant="another tenant")
    for alias in ("ä", "Z", "a", "c"):
        add_alias(address, alias, "b")
    delete_bucket(address, "deleted")

    with columns.snapshot() as source:
        assert source.buckets() == [
            SourceBucket(id="b", hostname="laptop", type="test.type", aliases=("Z", "a", "c", "ä")),
            SourceBucket(id="c", hostname="laptop", type="test.type"),
        ]
        assert [[each[0] for each in all_of(source, name)] for name in ("b", "Z", "c")] == [[1], [1], [3]]
        for missing in ("deleted", "theirs", "a\0b"):
            with pytest.raises(BucketNotFound):
                source.count(missing, EARLIEST, LATEST)


def test_a_bucket_without_events_has_no_extent(address: str, columns: PostgresColumns) -> None:
    make_bucket(address, "b")

    with columns.snapshot() as source:
        assert source.extent("b") is None
        assert all_of(source, "b") == []
        assert source.words_like("b", "word") == []


def test_a_connection_that_was_lost_between_two_queries_is_opened_again(address: str, columns: PostgresColumns) -> None:
    make_bucket(address, "b", [event(0, 1)])
    states: list[Hashable] = []
    for _ in range(2):
        with columns.snapshot() as source:
            assert len(all_of(source, "b")) == 1
            states.append(source.state("b", EARLIEST, LATEST))
        with connect(address, is_owner=True) as db:
            end_connections(db)

    # The server that answers now may have lost commits of the one before.
    assert states[0] != states[1]


def test_a_query_whose_connection_is_lost_is_reported_and_the_next_one_answered(
    address: str, columns: PostgresColumns
) -> None:
    make_bucket(address, "b", [event(0, 1)])
    with columns.snapshot() as source:
        source.buckets()
        with connect(address, is_owner=True) as db:
            end_connections(db)

        with pytest.raises(StoreUnusable, match="cannot be read"):
            all_of(source, "b")

    with columns.snapshot() as source:
        assert len(all_of(source, "b")) == 1


def test_a_database_that_cannot_be_reached_is_unusable(tmp_path: Path) -> None:
    columns = PostgresColumns(f"postgresql://postgres@/none?host={tmp_path}", "", cache_bytes=CACHE_BYTES)

    with columns.snapshot() as source, pytest.raises(StoreUnusable):
        source.buckets()
    columns.close()


FOREVER: Final = f"SELECT pg_sleep({10 * PATIENCE_S:.0f})"


class _GivenUp(BaseException):
    """What a signal raises in the middle of a query."""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
def test_a_query_that_is_given_up_in_the_middle_ends_in_the_database_too(address: str) -> None:
    def give_up(number: int, frame: FrameType | None) -> None:
        raise _GivenUp

    state = ReadState(address, "")
    before = signal.signal(signal.SIGALRM, give_up)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(_GivenUp), state.reading() as db:
            db.execute(FOREVER.encode())
    finally:
        signal.signal(signal.SIGALRM, before)
    state.release()

    with state.reading() as db:
        assert db.execute("SELECT 1").fetchone() == (1,)
    state.close()
    with connect(address, is_owner=True) as db:
        sleeping = f"SELECT count(*) FROM pg_stat_activity WHERE query = '{FOREVER}' AND state = 'active'"
        eventually(lambda: db.execute(sleeping.encode()).fetchone() == (0,))


def test_a_query_process_reads_the_database_and_does_not_show_its_address(address: str) -> None:
    make_bucket(address, "b", [event(0, 1, app="editor"), event(5, 2, app="editor")], tenant="tenant")
    work = QueryJob(
        text='RETURN = query_bucket_eventcount("b");', periods=[Period(start=BEGIN, end=BEGIN + 3 * SECOND)]
    )

    async def run() -> tuple[bytes, str]:
        command = postgres_query_command(QuerySettings())
        workers = QueryWorkers(command, QuerySettings(), environment=postgres_environment(address))
        try:
            answered = await workers.of("tenant").run(work, client="", seconds=30)
            assert isinstance(answered.body, bytes)
            return answered.body, " ".join(command)
        finally:
            await workers.close()

    body, command = asyncio.run(run())

    assert body == b"[1.0]"
    assert "postgres" not in command
