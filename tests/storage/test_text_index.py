"""The full text of values: the index finds exactly what a look through all texts finds, whatever happened before."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import apsw
import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dayline.model.data import canonical_json
from dayline.model.event import Event
from dayline.model.time import SECOND
from dayline.storage.sqlite.derived.builder import build
from dayline.storage.sqlite.derived.check import check_derived
from dayline.storage.sqlite.derived.file import derived_path, epoch_of, stored_texts
from dayline.storage.sqlite.derived.job import BuildJob
from dayline.storage.sqlite.derived.text_index import TextIndex
from dayline.storage.sqlite.file.connection import open_reader
from dayline.transform.text import Clause, TextQuery, clause_of
from tests.examples import examples
from tests.storage.building import built_in_this_process
from tests.storage.engines import Engine, Engines, SqliteEngine
from tests.storage.redacting import planned_in_this_process
from tests.storage.searching import (
    BUCKETS,
    CLAUSES,
    DATA,
    JANUARY,
    STEPS,
    Machine,
    check,
    event,
    play,
    query_of,
    search_index,
)
from tests.waiting import eventually

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


SLOW_BUILDER: Final = """
from dayline.storage.sqlite.derived import builder
builder.PAGE = 5
builder.main()
"""


def test_a_builder_that_is_killed_leaves_an_index_that_is_right_as_far_as_it_goes(tmp_path: Path) -> None:
    path = tmp_path / "days.db"
    events = [
        Event(start=JANUARY + number * SECOND, data=canonical_json({"title": f"page {number} of rust"}))
        for number in range(4000)
    ]

    async def scenario() -> None:
        machine = Machine(SqliteEngine(tmp_path))
        try:
            await machine.create("a")
            await machine.store.insert("a", events)
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-c", SLOW_BUILDER, str(path), stdin=PIPE, stdout=DEVNULL,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            )  # fmt: skip
            talk = asyncio.create_task(process.communicate(msgspec.json.encode(BuildJob(places=[]))))
            await asyncio.to_thread(eventually, lambda: indexed_upto(path) > 0)
            process.send_signal(signal.SIGKILL)
            await talk
            query = query_of([clause_of("page 12", is_prefix=True), clause_of("rus", is_prefix=True)])
            left = check(machine.columns, machine.store, "a", query).looked_through
            assert 0 < left < len(events)
            build(path, BuildJob(places=[]))
            assert check(machine.columns, machine.store, "a", query).looked_through == 0
            with machine.columns.snapshot() as source:
                assert source.words_like("a", "pgae") == [("page", len(events))]
        finally:
            await machine.close()

    asyncio.run(scenario())


def test_search_finds_text_that_is_recorded_after_the_newest_texts_were_purged(engine: Engine) -> None:
    # On SQLite the new text got the key of a purged one, which the index takes for indexed: neither it nor the look
    # through newer texts found the event.
    async def scenario() -> None:
        machine = Machine(engine)
        try:
            for bucket_id in BUCKETS:
                await machine.create(bucket_id)
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
        finally:
            await machine.close()

    with built_in_this_process():
        asyncio.run(scenario())


def test_an_index_that_lacks_a_value_is_found_by_the_doctor(tmp_path: Path) -> None:
    path = tmp_path / "days.db"
    events = [Event(start=JANUARY + number, data=canonical_json({"title": f"page {number}"})) for number in range(20)]

    async def scenario() -> None:
        machine = Machine(SqliteEngine(tmp_path))
        try:
            await machine.create("a")
            await machine.store.insert("a", events)
            await machine.build()
        finally:
            await machine.close()

    with built_in_this_process():
        asyncio.run(scenario())
    assert check_derived(path) == []

    with closing(apsw.Connection(str(derived_path(path)))) as db:
        TextIndex(db).begin(1, 0)
        TextIndex(db).add(1, [], upto=20)
    assert check_derived(path) == ["a: the full-text index differs from the dictionary in 20 values"]


def indexed_upto(path: Path) -> int:
    """Up to which value some bucket is indexed."""
    db = open_reader(path)
    try:
        marks = stored_texts(derived_path(path), epoch=epoch_of(db))
    finally:
        db.close()
    return max((indexed.upto for indexed in marks.indexed.values()), default=0) if marks is not None else 0
