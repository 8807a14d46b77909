"""Who made a change, and with which others, is written in the transactions of the change itself."""

import asyncio
from typing import Final

import pytest
from msgspec.structs import replace

from dayline.model.time import SECOND, format_timestamp
from dayline.model.upkeep.undo import JournalNote
from dayline.storage.store import Store
from tests.storage.operations.pairs import GAP, MEETING, OPERATIONS, Gate, Worlds, in_slices, until_idle
from tests.support.storage.engines import Engines
from tests.support.storage.opened import BEGIN

NOTE: Final = JournalNote(by="browser", group="g")
IN_SLICES: Final = ("deletion", "merge", "redaction")


@pytest.fixture(scope="module", params=["files", "servers"])
def worlds(request: pytest.FixtureRequest) -> Worlds:
    engines: Engines = request.getfixturevalue(request.param)
    return Worlds(engines)


def notes_of(store: Store) -> list[tuple[str, str, str]]:
    return [(item.by, item.group, item.state) for item in store.trash.all()]


@pytest.mark.parametrize("name", IN_SLICES)
def test_a_change_in_slices_is_listed_with_its_note_from_its_first_commit_on(worlds: Worlds, name: str) -> None:
    # The note was written after the change, and a merge in slices overwrote it.
    async def test() -> None:
        async with worlds.serving(), worlds.opened(await worlds.prepared(frozenset())) as world:
            await until_idle(world)
            under_way: list[tuple[str, str, str]] = []

            async def look() -> None:
                under_way.extend(notes_of(world.store))

            with in_slices(Gate(MEETING, look)):
                await OPERATIONS[name].run(replace(world, store=world.store.noted(NOTE)))
            assert under_way == [("browser", "g", "doing")]
            assert notes_of(world.store) == [("browser", "g", "done")]

    asyncio.run(test())


def test_a_change_in_slices_is_listed_with_the_time_of_its_events(worlds: Worlds) -> None:
    async def test() -> None:
        async with worlds.serving(), worlds.opened(await worlds.prepared(frozenset())) as world:
            with in_slices():
                await OPERATIONS["deletion"].run(replace(world, store=world.store.noted(NOTE)))
            [item] = world.store.trash.all()
            assert (item.start, item.end) == (
                format_timestamp(BEGIN + 10 * GAP),
                format_timestamp(BEGIN + 79 * GAP + 20 * SECOND),
            )

    asyncio.run(test())


def test_an_undo_in_slices_leaves_the_note(worlds: Worlds) -> None:
    async def test() -> None:
        async with worlds.serving(), worlds.opened(await worlds.prepared(frozenset())) as world:
            noted = world.store.noted(NOTE)
            with in_slices():
                await OPERATIONS["deletion"].run(replace(world, store=noted))
            [item] = world.store.trash.all()
            await until_idle(world)
            under_way: list[tuple[str, str, str]] = []

            async def look() -> None:
                under_way.extend(notes_of(world.store))

            with in_slices(Gate(MEETING, look)):
                await world.store.trash.undo(item.id)
            assert under_way == [("browser", "g", "undoing")]

    asyncio.run(test())
