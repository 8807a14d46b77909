"""A server that asks for keys, one for all tests of a file: each test keeps to keys and buckets of its own."""

from collections.abc import Iterator

import pytest

from tests.support.keyed_server import KeyedServer


@pytest.fixture(scope="module")
def keyed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KeyedServer]:
    with KeyedServer(tmp_path_factory.mktemp("server") / "days.db") as server:
        yield server
