"""The full text of values: the index finds exactly what a look through all texts finds, whatever happened before."""

import asyncio
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dayline.transform.text import Clause, TextQuery, clause_of
from tests.support.privacy import rule
from tests.support.profile import examples
from tests.support.storage.building import built_in_this_process
from tests.support.storage.engines import Engine, Engines
from tests.support.storage.opened import events_of
from tests.support.storage.redacting import order, planned_in_this_process
from tests.support.storage.searching import (
    CLAUSES,
    DATA,
    STEPS,
    check,
    event,
    machine_of,
    play,
    query_of,
    search_index,
)

pytestmark = pytest.mark.encrypted

SLOW: Final = [HealthCheck.too_slow]
SERIES = st.lists(STEPS, min_size=4, max_size=12)
QUERIES = st.lists(st.lists(CLAUSES, max_size=3).map(query_of), min_size=3, max_size=3)
VALUES = st.lists(DATA, min_size=1, max_size=20)
ASKED = st.lists(st.lists(CLAUSES, min_size=1, max_size=3), max_size=12)


@settings(max_examples=settings().max_examples // 4, suppress_health_check=SLOW)
@given(SERIES, QUERIES)
def test_after_any_series_of_changes_search_finds_what_a_look_through_everything_finds(
    files: Engines, steps: list[tuple[Any, ...]], queries: list[TextQuery]
) -> None:
    with built_in_this_process(), planned_in_this_process():
        asyncio.run(play(files.new(), steps, queries))


@settings(max_examples=examples(18, daily=3), suppress_health_check=SLOW)
@given(SERIES, QUERIES)
def test_so_it_does_after_any_series_through_two_servers_on_postgresql(
    servers: Engines, steps: list[tuple[Any, ...]], queries: list[TextQuery]
) -> None:
    with built_in_this_process(), planned_in_this_process():
        asyncio.run(play(servers.new(servers=2), steps, queries))


@settings(max_examples=settings().max_examples // 2, suppress_health_check=SLOW)
@given(VALUES, ASKED)
def test_the_index_finds_what_a_look_through_the_texts_finds(
    files: Engines, data: list[dict[str, Any]], asked: list[list[Clause | None]]
) -> None:
    with built_in_this_process():
        asyncio.run(search_index(files.new(), data, map(query_of, asked)))


def test_search_finds_text_that_is_recorded_after_the_newest_texts_were_purged(engine: Engine) -> None:
    # On SQLite the new text got the key of a purged one, which the index takes for indexed: neither it nor the look
    # through newer texts found the event.
    async def scenario() -> None:
        async with machine_of(engine) as machine:
            await machine.store.insert("a", [event(0, {"title": "kept"})])
            await machine.store.insert("b", [event(second, {"title": f"purged {second}"}) for second in range(5)])
            await machine.build()
            await machine.store.delete_bucket("b")
            await machine.purge()

            await machine.store.insert("a", [event(9, {"title": "recorded afterwards"})])

            query = query_of([clause_of("recorded", is_prefix=False)])
            check(machine.columns, machine.store, "a", query)
            await machine.build()
            assert check(machine.columns, machine.store, "a", query).looked_through == 0

    with built_in_this_process():
        asyncio.run(scenario())


def test_search_finds_text_of_a_bucket_that_was_not_there_when_the_others_were_indexed(engine: Engine) -> None:
    async def scenario() -> None:
        async with machine_of(engine) as machine:
            await machine.store.insert("a", [event(0, {"title": "restored"})])
            await machine.store.insert("b", [event(0, {"title": "kept"})])
            await machine.store.delete_bucket("a")
            await machine.build()

            await machine.step("undo")

            query = query_of([clause_of("restored", is_prefix=False)])
            assert check(machine.columns, machine.store, "a", query).looked_through > 0
            await machine.build()
            assert check(machine.columns, machine.store, "a", query).looked_through == 0

    with built_in_this_process():
        asyncio.run(scenario())


def test_search_finds_no_text_of_a_bucket_that_was_redacted_in_the_trash(engine: Engine) -> None:
    async def scenario() -> None:
        async with machine_of(engine) as machine:
            await machine.store.insert("a", [event(0, {"title": "a secret"})])
            await machine.build()
            deletion = await machine.store.delete_bucket("a")
            await machine.store.redactions.apply(order(rule("secret", replacement="hidden")))
            await machine.store.trash.undo(deletion)

            for word, count in (("secret", 0), ("hidden", 1)):
                query = query_of([clause_of(word, is_prefix=False)])
                check(machine.columns, machine.store, "a", query)
                assert len(events_of(machine.store, "a")) == 1
                assert sum(word in str(found["data"]) for found in events_of(machine.store, "a")) == count

    with built_in_this_process(), planned_in_this_process():
        asyncio.run(scenario())
