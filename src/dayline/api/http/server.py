"""Runs the application: sockets, signals, connection timers, and graceful shutdown."""

import asyncio
import signal
import socket
import ssl
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from email.utils import formatdate
from typing import Any, Final, cast

import uvicorn

from dayline.api.http.connection import HEAD_S, KEEP_ALIVE_S, Connection

DRAIN_S: Final = 10  # how long running requests may take to finish when the server stops
_CLOSE_S: Final = 1.0  # how long a client may take to close its end of a connection when the server stops
_RECEIVE_S: Final = 1.0  # how long a request may take to arrive completely when the server restarts
_POLL_S: Final = 0.01
_TICK_S: Final = 1.0
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


class Server(uvicorn.Server):
    """uvicorn's server with a tick of one second instead of a tenth, so that an idle server does almost nothing.

    `tls` applies to TCP; a Unix socket is not encrypted.
    """

    def __init__(
        self,
        app: Callable[..., Any],
        protocol: type[Connection],
        *,
        tls: ssl.SSLContext | None = None,
        on_ready: Callable[[], None],
        on_tick: Callable[[], None] = lambda: None,
        on_stopping: Callable[[], None],
        headers: Callable[[], list[tuple[bytes, bytes]]] = list,
    ) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=protocol,
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
        self._protocol = protocol
        self._tls = tls
        self._on_ready = on_ready
        self._on_tick = on_tick
        self._on_stopping = on_stopping
        self._extra_headers = headers  # for every response; called once a second
        self._stop = asyncio.Event()
        self.is_restarting = False

    def restart(self) -> None:
        """Stop so that the process can start again. Ignored while stopping; a later signal cancels the restart."""
        if not self._stop.is_set():
            self.is_restarting = True
            self._stop.set()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        # Replaces uvicorn's: it uses the same TLS for all sockets, and a handshake timeout of a minute.
        self._tick()
        self.servers = [await self._listen(sock) for sock in sockets or ()]
        self.started = True
        self._on_ready()

    async def _listen(self, sock: socket.socket) -> asyncio.Server:
        tls = None if sock.family not in (socket.AF_INET, socket.AF_INET6) else self._tls
        return await asyncio.get_running_loop().create_server(
            self._new_connection,
            sock=sock,
            backlog=self.config.backlog,
            ssl=tls,
            # The same limit as for the head of a request.
            ssl_handshake_timeout=None if tls is None else HEAD_S,
        )

    def _new_connection(self) -> Connection:
        return self._protocol(self.config, self.server_state, {})

    async def main_loop(self) -> None:
        while not self._stop.is_set():
            try:
                await asyncio.wait_for(self._stop.wait(), _TICK_S)
            except TimeoutError:
                self._tick()
        self._on_stopping()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if self.is_restarting:
            await self._receive()
        farewell = asyncio.create_task(self._hang_up())
        await super().shutdown(sockets)
        farewell.cancel()

    async def _receive(self) -> None:
        """Accept no more connections, and wait for requests that are arriving: clients do not expect this stop."""
        for server in self.servers:
            server.close()
        deadline = time.monotonic() + _RECEIVE_S
        while time.monotonic() < deadline and any(
            cast("Connection", connection).is_receiving() for connection in self.server_state.connections
        ):
            await asyncio.sleep(_POLL_S)

    async def _hang_up(self) -> None:
        """Abort connections that only wait for the client's TLS close notification, which idle clients do not send."""
        while True:
            await asyncio.sleep(_CLOSE_S)
            for connection in list(self.server_state.connections):
                transport = cast("Connection", connection).transport
                if transport.is_closing() and transport.get_write_buffer_size() == 0:
                    transport.abort()

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
            self.force_exit = True  # second signal: do not wait for slow clients
        self.is_restarting = False
        self.should_exit = True
        self._stop.set()

    def _tick(self) -> None:
        date = formatdate(time.time(), usegmt=True).encode()
        self.server_state.default_headers = [(b"date", date), *self._extra_headers()]
        for connection in list(self.server_state.connections):
            cast("Connection", connection).tick()  # this server uses no other protocol
        self._on_tick()
