"""A lean keep-alive connection for timing requests: the client's own work should not be what is measured."""

import socket
from typing import NamedTuple, Self


class Answer(NamedTuple):
    """What came back."""

    status: int
    body: bytes


class Connection:
    """One connection to a server on loopback; answers are read whole."""

    def __init__(self, port: int, *, key: str | None = None, timeout_s: float = 60) -> None:
        self._host = f"127.0.0.1:{port}"
        self._key = "" if key is None else f"Authorization: Bearer {key}\r\n"
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=timeout_s)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._buffer = bytearray()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def get(self, path: str) -> Answer:
        """Ask for a path and wait for the response."""
        return self.send(f"GET {path} HTTP/1.1\r\nHost: {self._host}\r\n{self._key}\r\n".encode())

    def post(self, path: str, body: bytes, *, media: str = "application/json") -> Answer:
        """Send a body, of JSON by default, and wait for the response."""
        return self.send(self.post_bytes(path, body, media=media))

    def post_bytes(self, path: str, body: bytes, *, media: str = "application/json") -> bytes:
        """A request as it goes over the wire."""
        head = (
            f"POST {path} HTTP/1.1\r\nHost: {self._host}\r\n{self._key}"
            f"Content-Type: {media}\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        return head.encode() + body

    def send(self, request: bytes) -> Answer:
        """Send a request that is already bytes and wait for the response."""
        self._socket.sendall(request)
        head = self._until(b"\r\n\r\n").lower()
        status = int(head[9:12])
        if status in (204, 304):
            return Answer(status, b"")
        if b"transfer-encoding: chunked" in head:
            return Answer(status, self._chunks())
        return Answer(status, self._exactly(int(_header(head, b"content-length"))))

    def _chunks(self) -> bytes:
        body = bytearray()
        while size := int(self._until(b"\r\n"), 16):
            body += self._exactly(size)
            self._exactly(2)
        self._until(b"\r\n")
        return bytes(body)

    def _until(self, mark: bytes) -> bytes:
        searched = 0
        while (found := self._buffer.find(mark, searched)) < 0:
            searched = max(0, len(self._buffer) - len(mark))
            self._receive()
        return self._take(found + len(mark))

    def _exactly(self, size: int) -> bytes:
        while len(self._buffer) < size:
            self._receive()
        return self._take(size)

    def _take(self, size: int) -> bytes:
        taken = bytes(self._buffer[:size])
        del self._buffer[:size]
        return taken

    def _receive(self) -> None:
        data = self._socket.recv(1 << 18)
        if not data:
            raise ConnectionError("the server closed the connection in the middle of a response")
        self._buffer += data


def _header(head: bytes, name: bytes) -> bytes:
    start = head.index(b"\r\n" + name + b":") + len(name) + 3
    return head[start : head.index(b"\r\n", start)].strip()
