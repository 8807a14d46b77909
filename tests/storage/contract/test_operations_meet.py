"""Two operations meet in one bucket: the second is rejected, or the result is that of one of the two serial orders."""

import asyncio
from typing import Final

import pytest

from tests.support.storage.engines import Engines
from tests.support.storage.pairs import OPERATIONS, Worlds, check_pair

PAIRS: Final = [(first, second) for first in OPERATIONS for second in OPERATIONS]
MEETING: Final = 3  # changes: the beginning and two slices
ON_POSTGRESQL: Final = ("deletion", "delete", "merge", "import")
ON_POSTGRES: Final = [
    (first, second)
    for first, second in PAIRS
    if OPERATIONS[first].is_sliced and (second in ON_POSTGRESQL or second.startswith("undo"))
]


@pytest.fixture(scope="module")
def worlds(files: Engines) -> Worlds:
    return Worlds(files)


@pytest.fixture(scope="module")
def worlds_on_postgres(servers: Engines) -> Worlds:
    return Worlds(servers)


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_two_operations_that_meet_end_as_if_one_came_after_the_other(worlds: Worlds, first: str, second: str) -> None:
    asyncio.run(check_pair(worlds, first, second, after=MEETING))


@pytest.mark.parametrize(("first", "second"), ON_POSTGRES)
def test_so_do_they_on_postgresql(worlds_on_postgres: Worlds, first: str, second: str) -> None:
    asyncio.run(check_pair(worlds_on_postgres, first, second, after=MEETING))
