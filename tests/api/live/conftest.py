"""Servers whose streams ping often and look at goals often, one for all tests of a file."""

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import pytest

from dayline.api.live.listener import StreamTuning
from tests.support.keyed_server import KeyedServer
from tests.support.server import RunningServer

Server = TypeVar("Server", bound=RunningServer)

OFTEN = StreamTuning(ping_s=0.3, goals_interval_s=0.3)


def streaming(folder: Path, tuning: StreamTuning = OFTEN, *, max_listeners: int = 64) -> RunningServer:
    """A server that asks for no key."""
    config = folder / "stream.toml"
    config.write_text(f"[stream]\nmax_listeners = {max_listeners}\n")
    return tuned(RunningServer(folder / "days.db", "--config", str(config)), tuning)


def tuned(server: Server, tuning: StreamTuning) -> Server:
    """The same server, with other timers and sizes of its streams."""
    server.constants = {"dayline.api.live.hub:Hub.tuning": tuning}
    return server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    with streaming(tmp_path_factory.mktemp("server")) as server:
        yield server


@pytest.fixture(scope="module")
def keyed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KeyedServer]:
    with tuned(KeyedServer(tmp_path_factory.mktemp("server") / "days.db"), OFTEN) as server:
        yield server
