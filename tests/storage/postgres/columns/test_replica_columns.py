"""What a query process reads from a standby is what the primary has acknowledged, or it is read from the primary."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from typing import Final, TypeVar

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dayline.model.data import canonical_json
from dayline.model.errors import ReplicaUnusable
from dayline.model.event import Event
from dayline.model.time import EARLIEST, LATEST, SECOND
from dayline.storage.columns.source import ColumnSource, ReadReport
from dayline.storage.postgres.columns import state
from dayline.storage.postgres.columns.source import PostgresColumns
from dayline.storage.postgres.connection import connect
from dayline.storage.postgres.replica.standby import Primary, Standby, marked_primary_of
from dayline.storage.postgres.replica.watch import Lag
from dayline.storage.postgres.schema.migrate import migrate
from tests.storage.postgres.filling import make_bucket, put
from tests.support.postgres.cluster import QUICK, Cluster, cluster, following
from tests.support.postgres.servers import Pair, at, pair
from tests.support.profile import examples
from tests.support.storage.columns_read import CACHE_BYTES, Shown, shown
from tests.support.storage.opened import BEGIN
from tests.support.waiting import PATIENCE_S, eventually

T = TypeVar("T")

_numbers = count(1)
STEPS: Final = ("write", "ask", "ask the primary", "pause", "resume", "lose the standby", "lose the primary")


@pytest.fixture(scope="module")
def both() -> Iterator[Pair]:
    with pair() as made:
        yield made


@pytest.fixture(scope="module")
def address(both: Pair) -> str:
    """A database of the primary; tests that share it keep to buckets of their own."""
    made = both.primary.new_database()
    marked(made)
    return made


def marked(address: str) -> Primary:
    """What a server does first of all."""
    with connect(address) as db:
        return marked_primary_of(db)


def event() -> Event:
    number = next(_numbers)
    return Event(start=BEGIN + number * SECOND, duration=SECOND, data=canonical_json({"n": number % 3}), id=number)


def read(source: ColumnSource, bucket: str = "b") -> list[Shown]:
    return shown(source.events(bucket, EARLIEST, LATEST, ReadReport()))


def asked(columns: PostgresColumns, question: Callable[[ColumnSource], T]) -> T:
    """As a query process asks: the standby, and where that cannot be, the primary."""
    try:
        with columns.snapshot(may_read_replica=True) as source:
            return question(source)
    except ReplicaUnusable:
        with columns.snapshot() as source:
            return question(source)


def lose_connections(address: str) -> None:
    with psycopg.connect(address, autocommit=True) as db:
        db.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND application_name = 'dayline'"
        )


@given(steps=st.lists(st.sampled_from(STEPS), max_size=12))
@settings(max_examples=examples(25, daily=4), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_answers_never_go_back_behind_what_was_written(both: Pair, address: str, steps: list[str]) -> None:
    bucket = f"bucket {next(_numbers)}"
    columns = PostgresColumns(address, "", cache_bytes=CACHE_BYTES, replica=at(both.standby, address))
    make_bucket(address, bucket, [event()])
    states: dict[object, list[Shown]] = {}
    written = 1

    def look(source: ColumnSource) -> int:
        found = read(source, bucket)
        # What is kept under a state is of that state, wherever it was read.
        assert states.setdefault(source.state(bucket, EARLIEST, LATEST), found) == found
        return len(found)

    try:
        for step in steps:
            match step:
                case "write":
                    put(address, bucket, [event()])
                    written += 1
                case "ask":
                    assert asked(columns, look) == written
                case "ask the primary":
                    with columns.snapshot() as source:
                        assert look(source) == written
                case "pause":
                    both.pause()
                case "resume":
                    both.resume()
                case "lose the standby":
                    lose_connections(at(both.standby, address))
                case _:
                    lose_connections(address)
        assert asked(columns, look) == written
    finally:
        both.resume()
        columns.close()


def test_only_a_standby_of_the_same_database_is_read(both: Pair, postgres: Cluster) -> None:
    address, other = both.primary.new_database(), both.primary.new_database()
    marked(address)
    marked(other)
    for replica in (at(both.standby, other), address, postgres.new_database()):
        columns = PostgresColumns(address, "", cache_bytes=CACHE_BYTES, replica=replica)
        with pytest.raises(ReplicaUnusable), columns.snapshot(may_read_replica=True) as source:
            source.buckets()
        columns.close()


def test_a_standby_that_hangs_is_given_up(both: Pair) -> None:
    address = both.primary.new_database()
    marked(address)
    columns = PostgresColumns(address, "", cache_bytes=CACHE_BYTES, replica=at(both.standby, address))
    assert asked(columns, lambda source: source.buckets()) == []
    both.standby.stand_still()
    try:
        # Answered by the primary while the standby still stands still.
        assert asked(columns, lambda source: source.buckets()) == []
    finally:
        both.standby.resume()
        columns.close()


def test_a_query_whose_rows_are_removed_under_it_is_asked_to_use_the_primary(
    both: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    for limit in ("WAIT_S", "ANSWER_S"):  # no query may find the standby behind or slow
        monkeypatch.setattr(state, limit, PATIENCE_S)
    address = both.primary.new_database()
    marked(address)
    make_bucket(address, "b", [event() for _ in range(500)])
    columns = PostgresColumns(address, "", cache_bytes=0, replica=at(both.standby, address))
    with psycopg.connect(both.standby.address(), autocommit=True) as db:
        db.execute("ALTER SYSTEM SET max_standby_streaming_delay = 0")
        db.execute("SELECT pg_reload_conf()")

    def has_tables() -> bool:
        with suppress(ReplicaUnusable), columns.snapshot(may_read_replica=True) as source:
            return read(source) != []
        return False

    try:
        eventually(has_tables)
        with columns.snapshot(may_read_replica=True) as source:
            assert len(read(source)) == 500
            with psycopg.connect(address, autocommit=True) as db:
                db.execute("DELETE FROM dayline.event")
                db.execute("VACUUM dayline.event")
            with pytest.raises(ReplicaUnusable):  # one of them, when it has been replayed
                eventually(lambda: read(source) == [])
        assert "conflict with recovery" in (both.standby.folder / "log").read_text()
    finally:
        columns.close()
        with psycopg.connect(both.standby.address(), autocommit=True) as db:
            db.execute("ALTER SYSTEM RESET max_standby_streaming_delay")
            db.execute("SELECT pg_reload_conf()")


def test_a_standby_that_did_not_follow_to_the_new_primary_is_not_read_though_its_log_is_longer() -> None:
    with cluster() as first, following(first, QUICK) as left, following(first, QUICK, name="third") as promoted:
        migrate(first.address())
        marked(first.address())
        make_bucket(first.address(), "b", [event()])
        columns = PostgresColumns(first.address(), "", cache_bytes=CACHE_BYTES, replica=left.address())
        assert asked(columns, lambda source: len(read(source))) == 1
        columns.close()
        with psycopg.connect(promoted.address(), autocommit=True) as db:
            eventually(lambda: db.execute("SELECT count(*) FROM dayline.event").fetchone() == (1,))
        promoted.stop()
        put(first.address(), "b", [event() for _ in range(2000)])  # which only the one that is left behind gets
        with connect(first.address()) as db:
            flushed = marked_primary_of(db).flushed
        columns = PostgresColumns(first.address(), "", cache_bytes=CACHE_BYTES, replica=left.address())
        assert asked(columns, lambda source: len(read(source))) == 2001
        columns.close()
        first.kill()
        promoted.start()
        promoted.promote()

        put(promoted.address(), "b", [event()])
        assert marked(promoted.address()).flushed < flushed
        columns = PostgresColumns(promoted.address(), "", cache_bytes=CACHE_BYTES, replica=left.address())
        with pytest.raises(ReplicaUnusable), columns.snapshot(may_read_replica=True) as source:
            read(source)
        assert asked(columns, lambda source: len(read(source))) == 2
        columns.close()


def primary(flushed: int, *, timeline: str = "1") -> Primary:
    return Primary("a", timeline, "e", f"a/{timeline}", flushed)


def standby(replayed: int, *, timeline: str = "1") -> Standby:
    return Standby(is_standby=True, system="a", database="e", line=f"a/{timeline}", replayed=replayed)


def test_the_lag_is_the_time_for_which_something_has_been_missing() -> None:
    lag = Lag()
    lag.take(primary(100), 0)
    assert lag.of(standby(100), 0.5) == 0
    lag.take(primary(100), 10)  # no one has written
    assert lag.of(standby(100), 10) == 0
    lag.take(primary(200), 11)
    assert lag.of(standby(100), 11.5) == 0.5
    lag.take(primary(300), 12)
    assert lag.of(standby(150), 14) == 3
    assert lag.of(standby(200), 14) == 2
    assert lag.of(standby(300), 14) == 0


def test_of_a_standby_without_the_line_of_the_new_primary_everything_is_missing() -> None:
    lag = Lag()
    lag.take(primary(500), 0)
    lag.take(primary(90, timeline="2"), 5)
    assert lag.of(standby(500), 8) == 3
    assert lag.of(standby(90, timeline="2"), 8) == 0
