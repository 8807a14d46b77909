"""A server that does what a test scripts: the faults and forgeries that no real one can be made to show."""

import socket
import ssl
import threading
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import IO, Self

from msgspec import Struct

from tests.support.waiting import PATIENCE_S


class Received(Struct, frozen=True):
    """A request as it arrived. Names of headers are in lower case."""

    line: str
    headers: dict[str, str]
    body: bytes


# Bytes are sent as they are; None hangs up instead.
Step = bytes | Callable[[Received], bytes] | None


def answer(status: int, body: bytes = b"{}", content_type: str = "application/json", *headers: str) -> bytes:
    """A response with a length, so that the connection can be kept."""
    lines = [f"HTTP/1.1 {status} X", f"Content-Type: {content_type}", f"Content-Length: {len(body)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


class ScriptedServer:
    """Takes connections one after the other; each has the steps with which it answers its requests, and is closed."""

    def __init__(self, *connections: Sequence[Step], tls: ssl.SSLContext | None = None) -> None:
        self.received: list[Received] = []
        self.closed = [threading.Event() for _ in connections]
        self._tls = tls
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(PATIENCE_S)
        self._thread = threading.Thread(target=self._run, args=(connections,))

    @property
    def port(self) -> int:
        port: int = self._listener.getsockname()[1]
        return port

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # Wakes it where it waits for a connection that the test did not make.
        with socket.create_connection(("127.0.0.1", self.port)):
            self._listener.close()
        self._thread.join(PATIENCE_S)
        assert not self._thread.is_alive()

    def _run(self, connections: Sequence[Sequence[Step]]) -> None:
        for steps, closed in zip(connections, self.closed, strict=True):
            try:
                connection, _ = self._listener.accept()
            except OSError:  # the test is over
                return
            connection.settimeout(PATIENCE_S)
            try:
                self._serve(connection, steps)
            except OSError:  # the client has hung up
                pass
            finally:
                connection.close()
                closed.set()

    def _serve(self, connection: socket.socket, steps: Sequence[Step]) -> None:
        if self._tls is not None:
            connection = self._tls.wrap_socket(connection, server_side=True)
        with connection, connection.makefile("rb") as stream:
            for step in steps:
                request = read_request(stream)
                if request is None:
                    return
                self.received.append(request)
                if step is None:
                    return
                connection.sendall(step if isinstance(step, bytes) else step(request))


def read_request(stream: IO[bytes]) -> Received | None:
    """One request, or None where the client has closed the connection."""
    line = stream.readline().decode("ascii").strip()
    if not line:
        return None
    headers: dict[str, str] = {}
    while field := stream.readline().decode("ascii").strip():
        name, _, value = field.partition(":")
        headers[name.lower()] = value.strip()
    return Received(line, headers, stream.read(int(headers.get("content-length", "0"))))
