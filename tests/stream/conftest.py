"""Servers whose streams ping often and look at goals often, one for all tests of a file."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.keyed_server import KeyedServer
from tests.server import RunningServer

SETTINGS = "[stream]\nping_s = 0.3\ngoal_s = 0.3\n"


def streaming(folder: Path, settings: str = SETTINGS) -> RunningServer:
    """A server with these settings that asks for no key."""
    config = folder / "stream.toml"
    config.write_text(settings)
    return RunningServer(folder / "days.db", "--config", str(config))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    with streaming(tmp_path_factory.mktemp("server")) as server:
        yield server


@pytest.fixture(scope="module")
def keyed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KeyedServer]:
    with KeyedServer(tmp_path_factory.mktemp("server") / "days.db", settings=SETTINGS) as server:
        yield server
