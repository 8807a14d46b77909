"""What others do while events are fixed: it is neither lost nor mistaken for what was found."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dayline.maintenance.findings import inspector as inspector_module
from dayline.maintenance.findings.finders import DuplicateFinder
from dayline.maintenance.findings.scan import scan
from dayline.model.errors import Conflict, StoreBusy
from dayline.model.upkeep.findings import FixRequest
from dayline.storage.history.contract import CorrectionResult, EventCorrection
from dayline.storage.opening import open_rows
from dayline.storage.operations.background import SlicePace
from dayline.storage.postgres.writing.writer import SLICE_ROWS
from dayline.storage.store import Store
from dayline.storage.writing import holding
from tests.support.maintenance.finding import event, inspected, watcher
from tests.support.storage.engines import Engine, Engines, SqliteEngine
from tests.support.storage.opened import events_of
from tests.support.storage.slow_disk import Disk
from tests.support.waiting import PATIENCE_S

PAIRS = 600
Rest = Callable[[], Awaitable[dict[str, CorrectionResult]]]


def first_slice(engine: Engine) -> int:
    """How many events are fixed at once, in the beginning."""
    return SlicePace().rows if isinstance(engine, SqliteEngine) else SLICE_ROWS


def fixes_of(engine: Engine) -> list[EventCorrection]:
    """What would be fixed of duplicates."""
    finder = DuplicateFinder()
    with open_rows(engine.rows_place) as rows:
        [bucket] = rows.buckets()
        return [fix for page in rows.pages(bucket.key) for fix in finder.look(page)]


@asynccontextmanager
async def half_way(engine: Engine) -> AsyncGenerator[tuple[Store, Rest]]:
    """A store in which every event is there twice, and the rest of its fix, which has paused after a slice."""
    has_paused, may_continue = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def paused(fixes: list[EventCorrection]) -> Iterator[EventCorrection]:
        yield from fixes[: first_slice(engine)]
        loop.call_soon_threadsafe(has_paused.set)
        may_continue.wait(PATIENCE_S)
        yield from fixes[first_slice(engine) :]

    async with inspected(engine) as (store, _):
        await store.create_bucket(watcher("window"))
        await store.insert("window", [event(second, 1) for second in range(PAIRS) for _ in range(2)])
        fixing = asyncio.create_task(store.correct_events({"window": paused(fixes_of(engine))}))
        await has_paused.wait()

        async def rest() -> dict[str, CorrectionResult]:
            may_continue.set()
            return await fixing

        try:
            yield store, rest
        finally:
            may_continue.set()
            await asyncio.gather(fixing, return_exceptions=True)


def test_an_act_that_is_under_way_is_listed_and_not_undone(engine: Engine) -> None:
    async def scenario() -> None:
        async with half_way(engine) as (store, rest):
            [item] = store.trash.all()
            assert (item.state, item.events) == ("doing", first_slice(engine))
            with pytest.raises(Conflict, match="is still running"):
                await store.trash.undo(item.id)

            outcome = (await rest())["window"]

            assert (outcome.removed, outcome.undo) == (PAIRS, item.id)
            await store.trash.undo(item.id)
            assert len(events_of(store, "window")) == 2 * PAIRS

    asyncio.run(scenario())


def test_the_trash_does_not_delete_what_is_being_fixed(engine: Engine) -> None:
    async def scenario() -> None:
        async with half_way(engine) as (store, rest):
            [item] = store.trash.all()
            assert await store.trash.empty() == 0
            with pytest.raises(Conflict, match="is still running"):
                await store.trash.empty(item.id)

            assert (await rest())["window"].removed == PAIRS
            await store.trash.undo(item.id)
            assert len(events_of(store, "window")) == 2 * PAIRS

    asyncio.run(scenario())


def test_a_bucket_whose_events_are_being_corrected_is_not_deleted(engine: Engine) -> None:
    async def scenario() -> None:
        async with half_way(engine) as (store, rest):
            with pytest.raises(Conflict, match=r'events of "window" are being corrected \(\d+ events so far\)'):
                await store.delete_bucket("window")

            await rest()
            await store.delete_bucket("window")

    asyncio.run(scenario())


def test_what_was_fixed_before_the_disk_was_full_can_be_undone(files: Engines, tmp_path: Path) -> None:
    engine, disk = files.new(), Disk(tmp_path / "disk")

    async def scenario() -> None:
        async with half_way(engine) as (store, rest):
            disk.fill()
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(holding, "GIVE_UP_S", 0.1)
                with pytest.raises(StoreBusy) as raised:
                    await rest()
            disk.quick()

            [item] = store.trash.all()
            assert raised.value.hint == f"undo the corrections made so far with: dayline undo {item.id}"
            assert item.events == first_slice(engine)
            await store.trash.undo(item.id)
            assert len(events_of(store, "window")) == 2 * PAIRS

    with disk.mounted():
        asyncio.run(scenario())


def test_an_event_that_was_changed_since_it_was_found_is_left_alone(engine: Engine) -> None:
    async def meddle(store: Store) -> None:
        await store.delete_event("window", 1)  # the first of a pair: the other is no duplicate any more
        await store.insert("window", [msgspec.structs.replace(event(10, 3, "new"), id=4)])

    async def scenario() -> None:
        loop = asyncio.get_running_loop()
        async with inspected(engine) as (store, inspector):

            def scan_and_meddle(*arguments: Any) -> Any:
                result = scan(*arguments)
                asyncio.run_coroutine_threadsafe(meddle(store), loop).result()
                return result

            await store.create_bucket(watcher("window"))
            await store.insert("window", [event(second, 1) for second in (0, 0, 10, 10, 20, 20)])
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(inspector_module, "scan", scan_and_meddle)
                [done] = (await inspector.fix(store, FixRequest(kind="duplicates"))).buckets

            assert (done.removed, done.skipped) == (1, 2)
            assert sorted(one["id"] for one in events_of(store, "window")) == [2, 3, 4, 5]

    asyncio.run(scenario())
