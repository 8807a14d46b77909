"""Runs the application: sockets, signals, the clock of the connections, and an orderly end."""

import asyncio
import signal
import socket
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from email.utils import formatdate
from typing import Final, cast

import uvicorn

from dayline.api.call import Services
from dayline.api.connection import KEEP_ALIVE_S, Connection
from dayline.api.dispatch import make_app
from dayline.api.hotlane import HotLane, protocol_for

DRAIN_S: Final = 10  # how long requests under way may take to finish when the server stops
_TICK_S: Final = 1.0
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


class Server(uvicorn.Server):
    """uvicorn's server with a clock of one second rather than a tenth: an idle server does next to nothing."""

    def __init__(self, services: Services, *, on_ready: Callable[[], None], on_stopping: Callable[[], None]) -> None:
        lane = HotLane(services.store, services.hosts)
        super().__init__(
            uvicorn.Config(
                make_app(services),
                http=protocol_for(lane),
                ws="none",
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                timeout_keep_alive=KEEP_ALIVE_S,
                timeout_graceful_shutdown=DRAIN_S,
            )
        )
        self._on_ready = on_ready
        self._on_stopping = on_stopping
        self._stop = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        self._tick()
        await super().startup(sockets)
        self._on_ready()

    async def main_loop(self) -> None:
        while not self._stop.is_set():
            try:
                await asyncio.wait_for(self._stop.wait(), _TICK_S)
            except TimeoutError:
                self._tick()
        self._on_stopping()

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        loop = asyncio.get_running_loop()
        try:
            for number in _SIGNALS:
                loop.add_signal_handler(number, self._on_signal)
        except NotImplementedError:  # Windows
            for number in _SIGNALS:
                signal.signal(number, lambda _number, _frame: loop.call_soon_threadsafe(self._on_signal))
        yield

    def _on_signal(self) -> None:
        if self._stop.is_set():
            self.force_exit = True  # asked twice: do not wait for slow clients
        self.should_exit = True
        self._stop.set()

    def _tick(self) -> None:
        date = formatdate(time.time(), usegmt=True).encode()
        self.server_state.default_headers = [(b"date", date)]
        for connection in list(self.server_state.connections):
            cast("Connection", connection).tick()  # the only protocol that this server is given
