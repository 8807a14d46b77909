"""Heartbeats merged in the database: by the rules of `transform/heartbeat.py`, once, and in one statement."""

import uuid
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dayline.model.access import Once
from dayline.model.data import canonical_json, same_data
from dayline.model.errors import AlreadyDone, BucketNotFound
from dayline.model.event import Event
from dayline.model.time import LATEST, SECOND, month_of
from dayline.storage.postgres.connection import Connection, connect, transaction
from dayline.storage.postgres.writing import heartbeats
from dayline.storage.postgres.writing.groups import Group, QueuedBeat, Written
from dayline.storage.postgres.writing.heartbeats import AlreadyCommitted, Beat, CommitMarker, TenantHeartbeats
from dayline.storage.postgres.writing.transaction import longest_bound
from dayline.storage.postgres.writing.values import ValueDictionary
from dayline.storage.postgres.writing.writer import Gathering
from tests.storage.postgres.filling import add_alias, make_bucket
from tests.support.postgres.cluster import Cluster
from tests.support.profile import examples

SERVER = str(uuid.uuid4())


def at(second: float, app: Any = "editor") -> Event:
    return Event(start=int(second * SECOND), data=canonical_json({"app": app}))


def to(bucket_id: str, event: Event, *, pulsetime: int = SECOND, tokens: Sequence[str] = ()) -> Beat:
    return Beat(bucket_id, event, pulsetime, tuple(Once(token=token, until=LATEST) for token in tokens))


@pytest.fixture
def db(address: str) -> Iterator[Connection]:
    with connect(address) as made:
        yield made


def beaten(db: Connection, number: int, *beats: Beat) -> list[Any]:
    [part] = heartbeats.beat(db, CommitMarker(server=SERVER, number=number), [TenantHeartbeats("", beats)])
    return list(part.outcomes)


def group_of(number: int, *beats: tuple[str, Beat]) -> Group:
    items = [QueuedBeat(tenant, beat, lambda outcome: None) for tenant, beat in beats]
    return Group(items, CommitMarker(server=SERVER, number=number))


def stored(db: Connection, tenant: str = "") -> list[tuple[str, float, float, str]]:
    """All events: the bucket, start and duration in seconds, and the text."""
    with transaction(db, tenant):
        rows = db.execute(
            "SELECT bucket.id, start, duration, json FROM event JOIN bucket ON bucket.key = event.bucket "
            "JOIN value ON value.bucket = event.bucket AND value.key = event.value ORDER BY event.id"
        ).fetchall()
    return [(bucket_id, start / SECOND, duration / SECOND, json) for bucket_id, start, duration, json in rows]


def in_tenant(db: Connection, statement: str) -> list[tuple[Any, ...]]:
    with transaction(db, ""):
        cursor = db.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []


def answers(written: Written) -> list[object]:
    return list(written.outcomes)


def test_a_second_try_of_a_commit_gives_the_answers_of_the_first(address: str, db: Connection) -> None:
    make_bucket(address, "a")
    group = group_of(1, ("", to("a", at(1))), ("", to("a", at(2))), ("", to("gone", at(2))))

    first = answers(group.write(db, ValueDictionary()))
    with connect(address) as other:
        again = group.write(other, ValueDictionary())

    assert isinstance(first[2], BucketNotFound)
    assert answers(again)[:2] == first[:2]
    assert isinstance(answers(again)[2], BucketNotFound)
    assert [state.bucket.end for each in again.changed for state in each.buckets] == [2 * SECOND]
    assert stored(db) == [("a", 1, 1, '{"app":"editor"}')]


def test_a_try_that_comes_long_after_those_that_followed_it_is_refused(address: str, db: Connection) -> None:
    # A connection that is believed lost may still bring what was sent through it.
    make_bucket(address, "a")
    for number in (1, 2, 3):
        beaten(db, number, to("a", at(number)))

    with connect(address) as late, pytest.raises(AlreadyCommitted):
        beaten(late, 1, to("a", at(100)))

    assert stored(db) == [("a", 1, 2, '{"app":"editor"}')]


def test_heartbeats_of_several_tenants_are_one_commit_and_are_answered_in_their_places(address: str) -> None:
    for tenant in ("", "ann", "ben"):
        with connect(address) as db, transaction(db, tenant):
            db.execute("INSERT INTO tenant(id) VALUES(%s) ON CONFLICT DO NOTHING", (tenant,))
        make_bucket(address, "a", tenant=tenant)
    group = group_of(1, ("ben", to("a", at(1, "b"))), ("ann", to("a", at(1, "a"))), ("ben", to("a", at(2, "b"))))

    with connect(address) as db:
        first = answers(group.write(db, ValueDictionary()))
        again = answers(group.write(db, ValueDictionary()))

        assert [msgspec.json.decode(each.data)["app"] for each in first if isinstance(each, Event)] == ["b", "a", "b"]
        assert again == first
        assert stored(db, "ann") == [("a", 1, 0, '{"app":"a"}')]
        assert stored(db, "ben") == [("a", 1, 1, '{"app":"b"}')]
        assert stored(db) == []


def test_a_token_that_was_used_keeps_a_heartbeat_from_being_stored_again(address: str, db: Connection) -> None:
    make_bucket(address, "a")

    first = beaten(db, 1, to("a", at(1), tokens=["x"]), to("a", at(50), tokens=["x"]))
    second = beaten(db, 2, to("a", at(60), tokens=["y", "x"]), to("a", at(2), tokens=["z"]))

    assert isinstance(first[0], Event)
    assert isinstance(first[1], AlreadyDone)
    assert isinstance(second[0], AlreadyDone)
    assert stored(db) == [("a", 1, 1, '{"app":"editor"}')]


def test_the_token_of_a_heartbeat_without_a_bucket_may_come_again(address: str, db: Connection) -> None:
    [refused] = beaten(db, 1, to("a", at(1), tokens=["x"]))
    make_bucket(address, "a")
    [taken] = beaten(db, 2, to("a", at(1), tokens=["x"]))

    assert isinstance(refused, BucketNotFound)
    assert isinstance(taken, Event)


def test_heartbeats_by_an_alias_and_by_the_own_name_are_merged_in_one_order(address: str, db: Connection) -> None:
    make_bucket(address, "a")
    add_alias(address, "other", "a")

    beaten(db, 1, to("other", at(1)), to("a", at(2)), to("other", at(2.5, "browser")), to("a", at(3)))

    assert [(start, text) for _, start, _, text in stored(db)] == [
        (1, '{"app":"editor"}'),
        (2.5, '{"app":"browser"}'),
        (3, '{"app":"editor"}'),
    ]


def hash_of_all(text: bytes) -> int:
    return 7


def test_texts_of_the_same_hash_are_distinguished(
    address: str, db: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(heartbeats, "hash_of", hash_of_all)
    make_bucket(address, "a")
    apps = ["x", "y", "x", "z"]

    beaten(db, 1, *(to("a", at(second, app)) for second, app in enumerate(apps)))
    beaten(db, 2, to("a", at(4, "y")))

    assert [text for *_, text in stored(db)] == [f'{{"app":"{app}"}}' for app in [*apps, "y"]]
    assert in_tenant(db, "SELECT count(*), count(DISTINCT salt) FROM value") == [(3, 3)]


def test_the_event_keeps_the_form_of_its_numbers(address: str, db: Connection) -> None:
    make_bucket(address, "a")

    outcomes = beaten(db, 1, to("a", at(1, 1.0)), to("a", at(2, 1)), to("a", at(3, True)))

    assert [event.data for event in outcomes] == [b'{"app":1.0}', b'{"app":1.0}', b'{"app":true}']
    assert [text for *_, text in stored(db)] == ['{"app":1.0}', '{"app":true}']


def test_names_and_waits_beyond_what_a_database_holds_are_no_trouble(address: str, db: Connection) -> None:
    make_bucket(address, "a")

    outcomes = beaten(db, 1, to("a\0", at(1)), to("a", at(1)), to("a", at(2), pulsetime=10**30))

    assert isinstance(outcomes[0], BucketNotFound)
    assert stored(db) == [("a", 1, 1, '{"app":"editor"}')]


def test_an_event_that_continues_unseals_its_month_though_it_is_remembered(address: str, db: Connection) -> None:
    make_bucket(address, "a")
    beaten(db, 1, to("a", at(1)))
    beaten(db, 2, to("a", at(2)))
    in_tenant(db, "UPDATE month SET is_sealed = true")
    in_tenant(db, "UPDATE bucket SET version = version + 1")

    beaten(db, 3, to("a", at(3)))

    assert in_tenant(db, "SELECT is_sealed, changes, events FROM month") == [(False, 1, 1)]
    assert stored(db) == [("a", 1, 2, '{"app":"editor"}')]


def test_a_heartbeat_reads_as_little_of_full_tables_without_statistics(address: str, db: Connection) -> None:
    # The plans of the function are made once for a connection: here, while there is next to nothing.
    make_bucket(address, "a")
    for number in range(1, 10):
        beaten(db, number, to("a", at(number, number)))
    before = blocks_of(db, 10)

    with connect(address, is_owner=True) as owner:
        with transaction(owner, ""):
            owner.execute(
                "INSERT INTO bucket(tenant, id, type, client, hostname, created, data) "
                "SELECT '', 'b' || n, '', '', '', 0, '{}' FROM generate_series(1, 3000) n"
            )
            owner.execute(
                "INSERT INTO value(tenant, bucket, hash, json) SELECT '', 1, n, n FROM generate_series(1, 30000) n"
            )
            owner.execute("INSERT INTO event SELECT '', 1, n, n + 1000000, 0, 1 FROM generate_series(1, 30000) n")
            owner.execute("INSERT INTO once SELECT '', token, 9 FROM generate_series(1, 3000) AS token")
            owner.execute(
                "UPDATE bucket SET version = version + 1, tail_start = NULL WHERE id = 'a'"
            )  # as an insert does
        owner.execute("SELECT pg_stat_force_next_flush()")  # so that what this took is not counted later

    assert blocks_of(db, 11) < before + 100
    assert blocks_of(db, 12) < before + 100


def blocks_of(db: Connection, number: int) -> int:
    """How many blocks a new event and one that is extended take to write."""

    def read() -> int:
        db.execute("SELECT pg_stat_force_next_flush()")
        row = db.execute(
            "SELECT blks_hit + blks_read FROM pg_stat_database WHERE datname = current_database()"
        ).fetchone()
        assert row is not None
        return int(row[0])

    start = read()
    beaten(db, number, to("a", at(number, number), tokens=[f"token {number}"]), to("a", at(number + 0.5, number)))
    return read() - start


@pytest.fixture(scope="module")
def functions(postgres: Cluster) -> Iterator[Connection]:
    """A connection for the functions that look at no table."""
    with connect(postgres.new_database()) as made:
        yield made


# Whole ones that a double holds exactly: others are compared as they are written.
NUMBERS = st.sampled_from([0, 0.0, -0.0, 1, 1.0, -1, -1.0, 10, 10.0, 0.5, 1e-7, 10**16, 1e16, 10**22, 1e22, 5e-324])
LEAVES = st.one_of(
    NUMBERS,
    st.booleans(),
    st.none(),
    st.sampled_from(["", "1", "1.0", "1e5", ":1.0,", "a\0", "\\u0000", "ü", '"', "[2.0]"]),
)
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner))
OBJECTS = st.dictionaries(st.sampled_from(["a", "b", "é"]), VALUES, max_size=3)


def as_other_numbers(value: Any, *, to_floats: bool) -> Any:
    """The same value, its whole numbers written in the other way."""
    match value:
        case bool():
            return value
        case int() | float() if value == int(value):
            return float(value) if to_floats else int(value)
        case list():
            return [as_other_numbers(each, to_floats=to_floats) for each in value]  # pyright: ignore[reportUnknownVariableType]
        case dict():
            return {key: as_other_numbers(each, to_floats=to_floats) for key, each in value.items()}  # pyright: ignore[reportUnknownVariableType]
        case _:
            return value


@settings(max_examples=examples(600, daily=80))
@given(one=OBJECTS, other=OBJECTS, to_floats=st.booleans())
def test_data_are_equal_in_the_database_exactly_where_they_are_here(
    functions: psycopg.Connection[tuple[Any, ...]], one: dict[str, Any], other: dict[str, Any], to_floats: bool
) -> None:
    first = canonical_json(one)
    for second in (canonical_json(other), canonical_json(as_other_numbers(one, to_floats=to_floats))):
        row = functions.execute("SELECT same_data(%s, %s)", (first.decode(), second.decode())).fetchone()

        assert row == (same_data(first, second),)


@settings(max_examples=examples(300, daily=80))
@given(moment=st.integers(0, LATEST))
def test_months_and_bounds_are_the_same_in_the_database(
    functions: psycopg.Connection[tuple[Any, ...]], moment: int
) -> None:
    durations = [moment, -moment, 1 << moment.bit_length(), (1 << moment.bit_length()) + 1]
    row = functions.execute(
        "SELECT month_of(%s), array(SELECT longest_bound(d) FROM unnest(%s::bigint[]) AS d)", (moment, durations)
    ).fetchone()

    assert row == (month_of(moment), [longest_bound(duration) for duration in durations])


def test_heartbeats_are_gathered_where_many_come_and_for_a_part_of_a_commit() -> None:
    gathering = Gathering()
    assert gathering.seconds == 0

    gathering.note(30, 0.005)
    assert 0.001 < gathering.seconds < 0.0025

    gathering.note(30, 60)
    assert gathering.seconds < 0.005

    gathering.note(1, 0.005)
    assert gathering.seconds == 0
