"""A connection that sends many heartbeats without waiting for a response."""

import http.client
import socket
from typing import Any

import msgspec


class Pipeline:
    """Heartbeats go out at once; the responses are read later, in the order in which they come."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=60)

    def send(self, bucket_id: str, beats: list[dict[str, Any]]) -> None:
        for beat in beats:
            body = msgspec.json.encode(beat)
            self._socket.sendall(
                b"POST /api/0/buckets/%s/heartbeat?pulsetime=0 HTTP/1.1\r\nHost: localhost\r\n"
                b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
                % (bucket_id.encode(), len(body), body)
            )

    def answers(self, count: int) -> list[tuple[int, Any]]:
        """The next answers: status and body."""
        file = self._socket.makefile("rb")
        try:
            return [_answer(file) for _ in range(count)]
        finally:
            file.close()

    def close(self) -> None:
        self._socket.close()


def _answer(file: Any) -> tuple[int, Any]:
    status = int(file.readline().split()[1])
    headers = http.client.parse_headers(file)
    return status, msgspec.json.decode(file.read(int(headers["content-length"])))
