"""A connection that sends bytes as they are and reads answers one by one: for what no HTTP client would send."""

import socket
from types import TracebackType
from typing import Self

from tests.support.server import Answer, RunningServer
from tests.support.waiting import PATIENCE_S


class RawConnection:
    """A TCP connection to a server. Reading fails after `timeout_s` instead of waiting for ever."""

    def __init__(self, server: RunningServer, *, timeout_s: float = PATIENCE_S) -> None:
        self._socket = socket.create_connection(("127.0.0.1", server.port), timeout=timeout_s)
        self._file = self._socket.makefile("rb")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
        self._socket.close()

    def send(self, data: bytes) -> None:
        self._socket.sendall(data)

    def answer(self, *, to_head: bool = False) -> Answer:
        """The next response; its body ends where its headers say."""
        line = self._file.readline()
        assert line.startswith(b"HTTP/1.1 "), line
        status, headers = int(line.split()[1]), self._headers()
        if to_head or status in (100, 204, 304):
            return Answer(status, headers, b"")
        if headers.get("transfer-encoding") == "chunked":
            return Answer(status, headers, self._chunks())
        return Answer(status, headers, self._file.read(int(headers["content-length"])))

    def rest(self) -> bytes:
        """Everything up to the end of the connection."""
        return self._file.read()

    def is_closed(self) -> bool:
        """Whether the server has hung up without another byte; waits for it."""
        try:
            return self._file.read(1) == b""
        except ConnectionResetError:
            return True

    def _headers(self) -> dict[str, str]:
        headers: dict[str, str] = {}
        while (line := self._file.readline()) not in (b"\r\n", b""):
            name, _, value = line.decode("latin-1").partition(":")
            headers[name.strip().lower()] = value.strip()
        return headers

    def _chunks(self) -> bytes:
        body = b""
        while (size := int(self._file.readline(), 16)) > 0:
            body += self._file.read(size)
            self._file.readline()
        self._file.readline()
        return body


def request(method: str, target: str, body: bytes = b"", *, version: str = "1.1", **headers: str) -> bytes:
    """The bytes of a request. Underscores in header names stand for hyphens."""
    fields = {"Host": "localhost"} | {name.replace("_", "-"): value for name, value in headers.items()}
    if body:
        fields = {"Content-Type": "application/json", "Content-Length": str(len(body))} | fields
    lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"{method} {target} HTTP/{version}\r\n{lines}\r\n".encode("latin-1") + body
