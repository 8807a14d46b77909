"""Events that are edited after a redaction has read its plan for them, and before it drops them."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Any

import pytest
from msgspec import structs

from dayline.model.data import canonical_json
from dayline.model.time import SECOND
from dayline.storage.redaction.records import PlannedEvent
from dayline.storage.redaction.rows import RedactionRows
from dayline.storage.redaction.work import Steps
from dayline.storage.store import Store
from tests.support.privacy import rule
from tests.support.storage.engines import Engine
from tests.support.storage.opened import BEGIN
from tests.support.storage.redacting import event, order, rows_of, store_of, titles


def edited_between(
    patch: pytest.MonkeyPatch, loop: asyncio.AbstractEventLoop, edit: Callable[[], Awaitable[object]]
) -> list[int]:
    """Edit after the first page of events to be dropped was read; returns the sizes of the pages."""
    each = Steps.each
    sizes: list[int] = []

    async def edit_all() -> None:
        await edit()

    def read(pages: Iterator[list[Any]]) -> Iterator[list[Any]]:
        for page in pages:
            if isinstance(page[0], PlannedEvent):
                sizes.append(len(page))
                if len(sizes) == 1:
                    asyncio.run_coroutine_threadsafe(edit_all(), loop).result()
            yield page

    def meeting(
        self: Steps, step: Callable[[Sequence[Any], RedactionRows], None], pages: Iterator[list[Any]]
    ) -> Awaitable[bool]:
        return each(self, step, read(pages))

    patch.setattr(Steps, "each", meeting)
    return sizes


async def edit_four(store: Store, ids: list[int]) -> None:
    public = canonical_json({"title": "public"})
    await store.edits.edit("window", ids[0], lambda stored: structs.replace(stored.event, data=public))
    await store.edits.edit("window", ids[1], lambda stored: structs.replace(stored.event, duration=7 * SECOND))
    await store.edits.edit("window", ids[2], lambda stored: structs.replace(stored.event, start=BEGIN + 25 * SECOND))
    await store.edits.edit("window", ids[3], lambda stored: None)


def test_an_event_with_other_data_stays_and_those_with_other_times_are_dropped_as_they_are(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> None:
        seconds = (0, 10, 20, 30)
        async with store_of(engine, *(event(second, "secret") for second in seconds), event(40, "kept")) as store:
            ids = sorted(rows_of(store, "window"))
            sizes = edited_between(monkeypatch, asyncio.get_running_loop(), lambda: edit_four(store, ids))

            redaction = await store.redactions.apply(order(rule("secret", action="drop")))

            assert sizes == [4]
            assert titles(store) == ["public", "kept"]
            await store.redactions.undo(redaction.id)
            rows = rows_of(store, "window")
            assert [rows[event_id][0][17:] for event_id in ids if event_id in rows] == ["00Z", "10Z", "25Z", "40Z"]
            assert [rows[event_id][1] for event_id in ids if event_id in rows] == [1, 7, 1, 1]
            assert titles(store) == ["public", "secret", "secret", "kept"]

    asyncio.run(scenario())


def test_both_halves_of_an_event_split_during_the_redaction_are_dropped_and_restored(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The second half stayed, without data.
    async def scenario() -> None:
        async with store_of(engine, *(event(second, "secret") for second in (0, 10)), event(40, "kept")) as store:
            first, *_ = sorted(rows_of(store, "window"))

            async def split() -> None:
                await store.edits.split("window", first, BEGIN + SECOND // 2, check=lambda stored: None)

            sizes = edited_between(monkeypatch, asyncio.get_running_loop(), split)
            redaction = await store.redactions.apply(order(rule("secret", action="drop")))

            assert sizes == [2, 1]
            assert titles(store) == ["kept"]
            await store.redactions.undo(redaction.id)
            assert titles(store) == ["secret", "secret", "secret", "kept"]

    asyncio.run(scenario())


def test_an_event_that_moves_before_the_page_being_read_is_dropped(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> None:
        months = [event(second, "secret") for second in (10, 40 * 86_400)]
        async with store_of(engine, *months, event(40, "kept")) as store:
            last = sorted(rows_of(store, "window"))[1]

            async def move() -> None:
                await store.edits.edit("window", last, lambda stored: structs.replace(stored.event, start=BEGIN))

            sizes = edited_between(monkeypatch, asyncio.get_running_loop(), move)
            await store.redactions.apply(order(rule("secret", action="drop")))

            assert sizes == [1, 1]
            assert titles(store) == ["kept"]

    asyncio.run(scenario())
