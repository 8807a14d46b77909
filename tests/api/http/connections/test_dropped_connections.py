"""A client that goes away in the middle of its requests is no error of the server, and leaves none in its log."""

import socket
import struct

import pytest

from tests.support.calls.raw_connection import RawConnection
from tests.support.server import RunningServer

QUERY = "start=2026-01-01&end=2026-02-01"


@pytest.mark.parametrize("is_reset", [False, True])
def test_pipelined_requests_of_a_client_that_has_gone_are_given_up(server: RunningServer, is_reset: bool) -> None:
    request = f"GET /api/1/summary?{QUERY} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()

    for _ in range(4):
        connection = socket.create_connection(("127.0.0.1", server.port))
        connection.sendall(request * 10)
        connection.recv(1)  # the first of them is answered
        if is_reset:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()

    with RawConnection(server) as last:  # the query process takes one after the other
        last.send(request)
        assert last.answer().status == 200
    assert "Exception" not in str(server.get("/api/0/log").json)
