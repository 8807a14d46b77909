"""The index of words on PostgreSQL: it finds what a look through the texts finds, and never outlives them."""

import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from dayline.model.data import canonical_json
from dayline.storage.postgres.columns.rows import KEYS, TEXTS
from dayline.storage.postgres.columns.source import PostgresColumns
from dayline.storage.postgres.columns.text_search import FIND
from dayline.storage.postgres.connection import connect, transaction
from dayline.storage.postgres.derived import word_indexer
from dayline.storage.postgres.derived import words as postings
from dayline.storage.postgres.derived import words as word_rows
from dayline.storage.postgres.derived.words import IndexedBucket, add, begin, has_words_to_index, state_of
from dayline.transform.text import Clause, TextQuery, clause_of
from tests.storage.postgres.derived.indexing import PAGES, check, events_of, index, key_of, numbers, query, words_in
from tests.storage.postgres.filling import changing, make_bucket, put
from tests.support.postgres.cluster import Cluster
from tests.support.profile import examples
from tests.support.storage.columns_read import CACHE_BYTES
from tests.support.storage.searching import CLAUSES, DATA, counted, query_of
from tests.support.waiting import eventually

MANY: Final[list[dict[str, Any]]] = [{"title": f"word{number} x"} for number in range(3000)]


@pytest.fixture(scope="module")
def shared(postgres: Cluster) -> str:
    return postgres.new_database()


@pytest.fixture
def columns(address: str) -> Iterator[PostgresColumns]:
    made = PostgresColumns(address, "", cache_bytes=CACHE_BYTES)
    yield made
    made.close()


@settings(max_examples=examples(60, daily=8), suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(DATA, min_size=1, max_size=20),
    st.lists(st.lists(CLAUSES, min_size=1, max_size=3).map(query_of), min_size=4, max_size=12),
    st.integers(1, 8),
)
def test_the_index_finds_what_a_look_through_the_texts_finds(
    shared: str, data: list[dict[str, Any]], queries: list[TextQuery], page: int
) -> None:
    tenant = f"tenant {next(numbers)}"
    make_bucket(shared, "a", events_of(data), tenant=tenant)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(word_indexer, "PAGE", page)
        patch.setattr(word_rows, "PART_PLACES", 20)
        index(shared, tenant)

    columns, words = PostgresColumns(shared, tenant, cache_bytes=CACHE_BYTES), counted(data)
    try:
        assert {check(columns, "a", asked) for asked in queries if asked.clauses} <= {0}
        with columns.snapshot() as source:
            for word in words:
                alike = source.words_like("a", word)
                assert dict(alike) == {
                    other: times for other, times in words.items()
                    if other[0] == word[0] and abs(len(other) - len(word)) <= 2
                }  # fmt: skip
                assert [times for _, times in alike] == sorted((times for _, times in alike), reverse=True)
    finally:
        columns.close()


def test_what_comes_after_the_index_is_found_too_and_added_to_it(address: str, columns: PostgresColumns) -> None:
    make_bucket(address, "a", events_of(PAGES))
    index(address)
    put(address, "a", events_of([{"title": "rust by night"}]))

    assert check(columns, "a", query("rust")) == 1
    assert check(columns, "a", query("night")) == 1

    index(address)
    assert check(columns, "a", query("rust")) == 0
    with columns.snapshot() as source:
        assert source.words_like("a", "rsut") == [("rust", 31)]
    with connect(address) as db, transaction(db, ""):
        assert db.execute("SELECT count(*) FROM word_places WHERE word = 'rust'").fetchone() == (1,)


def test_few_new_values_are_not_worth_a_process(address: str) -> None:
    make_bucket(address, "a", events_of(PAGES[:6]))
    make_bucket(address, "b", events_of(PAGES[:4]))

    with connect(address) as db, transaction(db, ""):
        assert not has_words_to_index(db, "", min_values=11)
        assert has_words_to_index(db, "", min_values=10)
    index(address)
    with connect(address) as db, transaction(db, ""):
        assert not has_words_to_index(db, "", min_values=1)


SLOW_INDEXER: Final = """
import sys
from dayline.storage.postgres.derived import word_indexer
word_indexer.PAGE = 5
word_indexer.index_words(sys.stdin.read(), "")
"""


def test_an_indexer_that_is_killed_leaves_an_index_that_is_right_as_far_as_it_goes(
    address: str, columns: PostgresColumns
) -> None:
    values = [{"title": f"page {number} of rust"} for number in range(4000)]
    make_bucket(address, "a", events_of(values))
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW_INDEXER],
        stdin=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert process.stdin is not None
    process.stdin.write(address.encode())
    process.stdin.close()

    eventually(lambda: words_in(address) != set())
    process.kill()
    process.wait()

    asked = query_of([clause_of("page 12", is_prefix=True), clause_of("rus", is_prefix=True)])
    assert 0 < check(columns, "a", asked) < len(values)
    index(address)
    assert check(columns, "a", asked) == 0
    with columns.snapshot() as source:
        assert source.words_like("a", "pgae") == [("page", len(values))]


def test_of_two_that_add_the_same_values_one_does(address: str) -> None:
    make_bucket(address, "a", events_of(PAGES))
    place = IndexedBucket("", key_of(address, "a"))
    with connect(address) as db, transaction(db, ""):
        begin(db, place, 0)
        mark = state_of(db, place).mark
        assert mark is not None
        assert add(db, place, mark, {"rust": [1]}, upto=1)
        assert not add(db, place, mark, {"rust": [1]}, upto=1)


def test_who_records_and_who_indexes_do_not_wait_for_each_other(address: str) -> None:
    make_bucket(address, "a", events_of(PAGES))
    place = IndexedBucket("", key_of(address, "a"))
    with connect(address) as db, changing(address) as turn:
        for each in (db, turn.db):
            each.execute("SET lock_timeout = '5s'")
        with transaction(db, ""):
            begin(db, place, 0)
        with transaction(db, ""):
            mark = state_of(db, place).mark
            assert mark is not None
            assert add(db, place, mark, {"rust": [1]}, upto=1)  # before the other one locks the bucket, and after
            turn.value_numbers([(turn.find("a"), canonical_json({"title": "new"}))])
            assert add(db, place, replace(mark, upto=1), {"rust": [2]}, upto=2)


def test_an_indexer_leaves_the_work_to_another_that_is_at_it(address: str) -> None:
    make_bucket(address, "a", events_of(PAGES))
    with connect(address) as db:
        db.execute("SELECT pg_advisory_lock(%s, hashtext(''))", (word_indexer.LOCK,))
        index(address)
        assert words_in(address) == set()
        db.execute("SELECT pg_advisory_unlock_all()")

    index(address)
    assert words_in(address) != set()


def test_a_value_with_more_words_than_there_are_places_is_looked_through(
    address: str, columns: PostgresColumns, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postings, "_MAX_POSITIONS", 8)
    long = {"title": "rust again and again and again and again"}
    make_bucket(address, "a", events_of([*PAGES, long, {"deep": ["rust", "rust", "rust", "rust", "rust"]}]))
    index(address)

    for asked in (
        query("rust"),
        query("again and"),
        query("rust again"),
        TextQuery((Clause(words=("again",), is_negated=True),)),
        TextQuery((Clause(words=("rust",)), Clause(words=("again",), is_negated=True))),
    ):
        assert check(columns, "a", asked) == 2
    assert "again" not in words_in(address)


def test_a_search_reads_only_the_rows_of_its_words_under_row_security(address: str) -> None:
    # Of operators that PostgreSQL does not take for leakproof, row security would let none use an index.
    make_bucket(address, "a", events_of(MANY))
    index(address)
    asked = {"tenant": "", "bucket": key_of(address, "a"), "dictionary": 0, "lows": ["word12"], "highs": ["word13"]}

    with connect(address) as db, transaction(db, ""):
        plan = "\n".join(line for (line,) in db.execute(f"EXPLAIN {FIND}".encode(), asked).fetchall())
    assert "word >= asked.low" in plan.split("word_places_pkey")[1].split("Index Cond:")[1].splitlines()[0]


def test_values_that_are_not_indexed_are_found_by_their_key_where_the_planner_knows_nothing_of_them(
    address: str,
) -> None:
    make_bucket(address, "a", events_of(MANY))
    with connect(address, is_owner=True) as db:
        db.execute("ANALYZE")
    make_bucket(address, "new", events_of(MANY), tenant="new")

    with connect(address) as db, transaction(db, "new"):
        [(key,)] = db.execute("SELECT key FROM bucket").fetchall()
        for statement, asked in (
            (KEYS, ("new", key, 100)),
            (TEXTS, {"tenant": "new", "bucket": key, "keys": [4000, 4001]}),
        ):
            plan = "\n".join(line for (line,) in db.execute(f"EXPLAIN {statement}".encode(), asked).fetchall())
            assert "using value_pkey" in plan
