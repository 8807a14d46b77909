"""No word outlives the texts that it was in, and no search uses an index that does not fit them."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from dayline.model.privacy.rules import PrivacyRule
from dayline.storage.history.contract import TrashPolicy
from dayline.storage.postgres.columns.source import PostgresColumns
from dayline.storage.postgres.connection import connect, transaction
from dayline.storage.postgres.database import PostgresDatabase
from dayline.storage.postgres.derived.word_clearing import clear_slice, clear_words
from dayline.storage.postgres.derived.words import IndexedBucket, add, begin, has_words_to_index, state_of
from tests.storage.postgres.derived.indexing import (
    PAGES,
    change_text,
    check,
    events_of,
    found,
    index,
    key_of,
    query,
    without_ids,
    words_in,
)
from tests.storage.postgres.desk import Desk, at_a_desk
from tests.storage.postgres.filling import changing, delete_bucket, make_bucket
from tests.support.storage.columns_read import CACHE_BYTES
from tests.support.storage.opened import bucket
from tests.support.storage.redacting import order, planned_in_this_process
from tests.support.waiting import eventually


@pytest.fixture
def columns(address: str) -> Iterator[PostgresColumns]:
    made = PostgresColumns(address, "", cache_bytes=CACHE_BYTES)
    yield made
    made.close()


def test_an_index_of_changed_texts_is_not_used_and_rebuilt(address: str, columns: PostgresColumns) -> None:
    make_bucket(address, "a", events_of(PAGES))
    index(address)
    change_text(address, "a", PAGES[3], {"app": "Browser", "title": "nothing here"})

    assert check(columns, "a", query("rust")) == len(PAGES)
    assert len(found(columns, "a", query("nothing"))[0]) == 1
    with columns.snapshot() as source:
        assert source.words_like("a", "rsut") == []
    with connect(address) as db, transaction(db, ""):
        assert has_words_to_index(db, "", min_values=1000)

    index(address)
    assert check(columns, "a", query("rust")) == 0
    assert "3" not in words_in(address)
    assert "nothing" in words_in(address)


def test_texts_that_change_while_their_words_are_written_leave_none(address: str) -> None:
    make_bucket(address, "a", events_of(PAGES))
    place = IndexedBucket("", key_of(address, "a"))
    with connect(address) as db:
        with transaction(db, ""):
            begin(db, place, 0)
            mark = state_of(db, place).mark
        change_text(address, "a", PAGES[3], {"title": "nothing here"})
        assert mark is not None
        with transaction(db, ""):
            assert not add(db, place, mark, {"secret": [1]}, upto=1)

    assert words_in(address) == set()


def test_an_index_is_removed_after_its_writers_are_done(address: str) -> None:
    make_bucket(address, "a", events_of(PAGES))
    index(address)
    key = key_of(address, "a")

    async def scenario(at: Desk) -> None:
        with connect(address) as db:
            with transaction(db, ""):
                db.execute("SELECT 1 FROM word_mark WHERE tenant = '' FOR UPDATE")
                work = asyncio.create_task(clear_words(at.tenant_writer, key))
                await asyncio.sleep(0.15)
                await at.tenant_writer.use_tokens()  # other changes continue
                assert not work.done()
                assert words_in(address) != set()
            await work

    at_a_desk(address, scenario)
    assert words_in(address) == set()
    with connect(address) as db, transaction(db, ""):
        assert state_of(db, IndexedBucket("", key)).mark is None


def test_who_removes_an_index_stops_where_another_has_begun_a_new_one(address: str) -> None:
    make_bucket(address, "a", events_of(PAGES))
    index(address)
    place = IndexedBucket("", key_of(address, "a"))

    with connect(address) as db:
        with transaction(db, ""):
            assert clear_slice(db, place, is_begun=False) == "more"
        index(address)
        before = words_in(address)
        with transaction(db, ""):
            assert clear_slice(db, place, is_begun=True) == "nothing"
    assert "rust" in before
    assert words_in(address) == before


def test_the_words_of_a_bucket_in_the_trash_stay_and_those_of_one_that_is_gone_go(address: str) -> None:
    make_bucket(address, "a", events_of(PAGES))
    index(address)
    delete_bucket(address, "a")
    index(address)
    assert "rust" in words_in(address)

    # As a server would leave it that knows nothing of the index.
    with changing(address) as turn:
        for table in ("event", "value", "bucket"):
            turn.db.execute(f"DELETE FROM {table} WHERE tenant = ''".encode())
    index(address)
    assert words_in(address) == set()


def test_a_purged_bucket_takes_its_words_with_it(address: str) -> None:
    async def scenario() -> None:
        settings = TrashPolicy(days=0, interval_s=0.05)
        database = PostgresDatabase(address, asyncio.get_running_loop(), trash=settings, read_connections=2)
        try:
            store = database.store()
            await store.create_bucket(bucket("a"))
            await store.insert("a", without_ids(events_of(PAGES)))
            await asyncio.to_thread(index, address)
            assert "rust" in words_in(address)
            await store.delete_bucket("a")
            await asyncio.to_thread(eventually, lambda: words_in(address) == set())
        finally:
            await database.close()

    asyncio.run(scenario())


def test_after_a_redaction_is_final_no_word_of_it_is_left(address: str, columns: PostgresColumns) -> None:
    rule = PrivacyRule(name="hide", field="title", pattern="secret", action="rewrite", replacement="gone")
    secrets: list[dict[str, Any]] = [{"title": f"secret{number} {'rust' * (number % 2)}"} for number in range(6)]

    async def scenario() -> None:
        database = PostgresDatabase(address, asyncio.get_running_loop(), read_connections=2)
        try:
            store = database.store()
            await store.create_bucket(bucket("a"))
            await store.insert("a", without_ids(events_of([*PAGES, *secrets, {"title": "gone0 "}])))
            await asyncio.to_thread(index, address)
            redaction = await store.redactions.apply(order(rule))
            assert found(columns, "a", query("secret", is_prefix=True))[0] == []
            # The originals are still there, for undoing it; an index that is made concurrently has them.
            await asyncio.to_thread(index, address)
            assert check(columns, "a", query("gone", is_prefix=True)) == 0
            await store.redactions.make_final(redaction.id)
            assert not any(word.startswith("secret") for word in words_in(address))
            await asyncio.to_thread(index, address)
            assert check(columns, "a", query("gone", is_prefix=True)) == 0
            assert not any(word.startswith("secret") for word in words_in(address))
        finally:
            await database.close()

    with planned_in_this_process():
        asyncio.run(scenario())
