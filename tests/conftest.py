"""What all tests share: Hypothesis profiles and a server of one's own."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.server import RunningServer

# Derandomised: the same examples in every run of `make test`. `make test-long` draws new ones.
settings.register_profile("test", derandomize=True, deadline=None)
settings.register_profile("long", max_examples=1000, deadline=None)
settings.load_profile("test")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RunningServer]:
    """A real server process with an empty database."""
    with RunningServer(tmp_path / "days.db") as server:
        yield server


@pytest.fixture(scope="module")
def shared_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """One server for all tests of a file, which keep to buckets of their own."""
    with RunningServer(tmp_path_factory.mktemp("server") / "days.db") as server:
        yield server
