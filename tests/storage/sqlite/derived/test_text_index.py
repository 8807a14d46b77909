"""The full-text index of a file: built by a process that can be killed, and checked by the doctor."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import DEVNULL
from contextlib import closing
from pathlib import Path
from typing import Final

import apsw

from dayline.model.data import canonical_json
from dayline.model.event import Event
from dayline.model.time import SECOND
from dayline.storage.sqlite.derived.builder import build
from dayline.storage.sqlite.derived.check import check_derived
from dayline.storage.sqlite.derived.file import derived_path, epoch_of, stored_texts
from dayline.storage.sqlite.derived.text_index import TextIndex
from dayline.storage.sqlite.file.connection import open_reader
from dayline.transform.text import clause_of
from tests.support.storage.building import built_in_this_process
from tests.support.storage.engines import SqliteEngine
from tests.support.storage.searching import (
    JANUARY,
    Machine,
    check,
    query_of,
)
from tests.support.waiting import eventually

SLOW_BUILDER: Final = """
import sys
from pathlib import Path
from dayline.storage.sqlite.derived import builder
builder.PAGE = 5
builder.build(Path(sys.argv[1]), [])
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
                sys.executable, "-c", SLOW_BUILDER, str(path), stdout=DEVNULL,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            )  # fmt: skip
            talk = asyncio.create_task(process.wait())
            await asyncio.to_thread(eventually, lambda: indexed_upto(path) > 0)
            process.send_signal(signal.SIGKILL)
            await talk
            query = query_of([clause_of("page 12", is_prefix=True), clause_of("rus", is_prefix=True)])
            left = check(machine.columns, machine.store, "a", query).looked_through
            assert 0 < left < len(events)
            build(path, [])
            assert check(machine.columns, machine.store, "a", query).looked_through == 0
            with machine.columns.snapshot() as source:
                assert source.words_like("a", "pgae") == [("page", len(events))]
        finally:
            await machine.close()

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
