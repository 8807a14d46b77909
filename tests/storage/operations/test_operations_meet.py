"""Two operations meet in one bucket: the second is rejected, or the result is that of one of the two serial orders.

Afterwards everything is undone in reverse order, which restores the first export.
"""

import asyncio
from typing import Final

import pytest

from tests.storage.operations.pairs import MEETING, OPERATIONS, Worlds, check_pair
from tests.support.storage.engines import Engines

PAIRS: Final = [(first, second) for first in OPERATIONS for second in OPERATIONS]
DESTRUCTIVE: Final = {"deletion", "delete", "merge", "import", *(name for name in OPERATIONS if "undo" in name)}
ON_POSTGRESQL: Final = [
    (first, second) for first, second in PAIRS if OPERATIONS[first].is_sliced and second in DESTRUCTIVE
]
SOONER_OR_LATER: Final = (1, 2, 4, 5, 6, 8, 12)


@pytest.fixture(scope="module")
def worlds(files: Engines) -> Worlds:
    return Worlds(files)


@pytest.fixture(scope="module")
def worlds_on_postgresql(servers: Engines) -> Worlds:
    return Worlds(servers)


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_operations_that_meet_end_as_if_one_came_after_the_other(worlds: Worlds, first: str, second: str) -> None:
    asyncio.run(check_pair(worlds, first, second, after=MEETING))


@pytest.mark.parametrize(("first", "second"), ON_POSTGRESQL)
def test_operations_that_meet_end_in_order_on_postgresql(worlds_on_postgresql: Worlds, first: str, second: str) -> None:
    asyncio.run(check_pair(worlds_on_postgresql, first, second, after=MEETING))


@pytest.mark.long
@pytest.mark.parametrize("after", SOONER_OR_LATER)
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_operations_that_meet_sooner_or_later_end_as_if_one_came_after_the_other(
    worlds: Worlds, first: str, second: str, after: int
) -> None:
    asyncio.run(check_pair(worlds, first, second, after=after))


@pytest.mark.long
@pytest.mark.parametrize("after", [1, MEETING, 5])
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_operations_that_meet_sooner_or_later_end_in_order_on_postgresql(
    worlds_on_postgresql: Worlds, first: str, second: str, after: int
) -> None:
    asyncio.run(check_pair(worlds_on_postgresql, first, second, after=after))
