"""Headers may take 64 KiB (decision 20)."""

import pytest

from tests.support.calls.raw_connection import RawConnection, request
from tests.support.server import RunningServer

KIB = 1 << 10


def head(size: int) -> bytes:
    """A whole request whose headers are this many bytes long."""
    empty = len(request("GET", "/api/0/info", X="")) - len("GET /api/0/info HTTP/1.1\r\n")
    return request("GET", "/api/0/info", X="x" * (size - empty))


@pytest.mark.parametrize("size", [1 * KIB, 32 * KIB, 60 * KIB])
def test_long_headers_are_served(shared_server: RunningServer, size: int) -> None:
    with RawConnection(shared_server) as connection:
        connection.send(head(size))

        assert connection.answer().status == 200


@pytest.mark.parametrize("size", [66 * KIB, 100 * KIB, 200 * KIB, 1000 * KIB])
@pytest.mark.parametrize("piece", [4 * KIB, 2000 * KIB], ids=["in pieces", "at once"])
def test_longer_headers_are_413_with_the_limit_and_the_connection_is_closed(
    shared_server: RunningServer, size: int, piece: int
) -> None:
    text = head(size)

    with RawConnection(shared_server) as connection:
        try:
            for place in range(0, len(text), piece):
                connection.send(text[place : place + piece])
        except (BrokenPipeError, ConnectionResetError):
            pass  # it has hung up already
        try:
            answer = connection.answer()
        except ConnectionResetError:
            return  # so early that its response was lost with the connection
        assert (answer.status, answer.json["type"]) == (413, "TooLarge")
        assert "64 KiB" in answer.message
        assert answer.json["request_id"] == answer.headers["x-request-id"]
        assert connection.is_closed()


def send_many_headers(connection: RawConnection) -> None:
    for number in range(100_000):
        connection.send(b"X-%d: %s\r\n" % (number, b"x" * 200))


def test_headers_without_end_are_refused_at_the_limit(shared_server: RunningServer) -> None:
    with RawConnection(shared_server) as connection:
        connection.send(b"GET /api/0/info HTTP/1.1\r\nHost: localhost\r\n")

        with pytest.raises((BrokenPipeError, ConnectionResetError)):
            send_many_headers(connection)


def test_each_request_of_a_connection_has_the_whole_limit(shared_server: RunningServer) -> None:
    with RawConnection(shared_server) as connection:
        for _ in range(5):
            connection.send(head(40 * KIB))
            assert connection.answer().status == 200


def test_pipelined_requests_are_not_counted_together(shared_server: RunningServer) -> None:
    with RawConnection(shared_server) as connection:
        connection.send(head(30 * KIB) * 5)

        assert [connection.answer().status for _ in range(5)] == [200] * 5


def test_large_body_is_not_counted_as_headers(shared_server: RunningServer) -> None:
    assert shared_server.post("/api/0/settings/large", "x" * (300 * KIB)).status == 201
