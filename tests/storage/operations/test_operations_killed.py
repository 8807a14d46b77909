"""A server is killed between two slices of an operation; after a restart, undoing everything restores the first export.

By then the operation is finished, or it has stopped where it was.
"""

import asyncio
import contextlib
from typing import Final

import pytest

from dayline.model.errors import DaylineError
from tests.storage.operations.killed_operation import run_until_killed
from tests.storage.operations.pairs import MEETING, OPERATIONS, World, Worlds, check_undo
from tests.support.storage.engines import Engines, files, rows, servers
from tests.support.waiting import eventually_async

__all__ = ["files", "servers"]

SLICED: Final = [name for name, operation in OPERATIONS.items() if operation.is_sliced]
# A merge is not undone while a later redaction of its bucket is in force, so there is nothing to kill.
_REJECTED: Final = [("undo of a merge", second) for second in ("undo of a redaction", "final redaction")]
PAIRS: Final = [(first, second) for first in SLICED for second in OPERATIONS if (first, second) not in _REJECTED]
_UNFINISHED: Final = (
    "SELECT key FROM operation WHERE state IN ('doing', 'undoing')",
    "SELECT key FROM redaction WHERE state IN ('applying', 'undoing') OR has_rest",
)


@pytest.fixture(scope="module")
def worlds(files: Engines) -> Worlds:
    return Worlds(files)


@pytest.fixture(scope="module")
def worlds_on_postgresql(servers: Engines) -> Worlds:
    return Worlds(servers)


@pytest.mark.parametrize("name", SLICED)
def test_an_operation_that_is_killed_can_be_undone_with_what_was_recorded_since(worlds: Worlds, name: str) -> None:
    asyncio.run(check_killed(worlds, name, "recording", after=MEETING))


@pytest.mark.long
@pytest.mark.parametrize("after", [1, 2, MEETING, 4, 5])
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_so_can_it_if_another_operation_follows(worlds: Worlds, first: str, second: str, after: int) -> None:
    asyncio.run(check_killed(worlds, first, second, after=after))


@pytest.mark.long
@pytest.mark.parametrize("name", SLICED)
def test_an_operation_that_is_killed_on_postgresql_can_be_undone(worlds_on_postgresql: Worlds, name: str) -> None:
    asyncio.run(check_killed(worlds_on_postgresql, name, "recording", after=MEETING))


async def check_killed(worlds: Worlds, first: str, second: str, *, after: int) -> None:
    """Kill the first operation, and let the second arrive as soon as the next server has started."""
    needs = frozenset((*OPERATIONS[first].needs, *OPERATIONS[second].needs))
    prepared = await worlds.prepared(needs)
    await asyncio.to_thread(run_until_killed, prepared, first, after=after)
    async with worlds.opened(prepared) as world:
        with contextlib.suppress(DaylineError):  # it may meet the operation, which is being finished
            await OPERATIONS[second].run(world)
        await eventually_async(lambda: not any(map(world.engine.select, _UNFINISHED)), pause_s=0.02)
        check_ids(world)
        if not (OPERATIONS[first].is_final or OPERATIONS[second].is_final):
            await check_undo(world, prepared.base)


def check_ids(world: World) -> None:
    [(distinct,)] = world.engine.select("SELECT count(DISTINCT id) FROM event")
    assert distinct == rows(world.engine, "event"), "an id was given twice"
