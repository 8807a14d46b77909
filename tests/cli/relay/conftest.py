"""A server, and a relay before it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.relay.running_relay import RunningRelay
from tests.support.server import RunningServer


@pytest.fixture
def relay(server: RunningServer, tmp_path: Path) -> Iterator[RunningRelay]:
    """A relay to an open server on this computer."""
    with RunningRelay(tmp_path / "queue.db", server.url) as relay:
        yield relay


@pytest.fixture(scope="module")
def shared_relay(shared_server: RunningServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningRelay]:
    """One relay for all tests of a file, which keep to buckets of their own."""
    with RunningRelay(tmp_path_factory.mktemp("relay") / "queue.db", shared_server.url) as relay:
        yield relay
