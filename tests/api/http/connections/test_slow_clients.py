"""Clients that stop in the middle are hung up on; slow ones that continue are not (decision 20).

The waits of the server are cut to a second: what is tested is which of them ends which connection.
"""

import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import msgspec
import pytest

from dayline.api.http import connection as timing
from tests.api.remote_bucket import RemoteBucket, event
from tests.support.calls.clients import at
from tests.support.calls.raw_connection import RawConnection, request
from tests.support.server import RunningServer
from tests.support.waiting import PATIENCE_S

WAIT_S: Final = 1


def beat(bucket_id: str = "b", *, kind: str = "application/json") -> bytes:
    body = msgspec.json.encode(event(at("10:00:00")))
    return request("POST", f"/api/0/buckets/{bucket_id}/heartbeat?pulsetime=1", body, Content_Type=kind)


INFO: Final = request("GET", "/api/0/info")

# What is answered first, and what then stops in the middle.
STALLED: Final[dict[str, tuple[bytes, bytes]]] = {
    "nothing at all": (b"", b""),
    "a word of the request line": (b"", b"GE"),
    "half a header": (b"", b"GET /api/0/info HTTP/1.1\r\nHost: localhost\r\nX-Slow: "),
    "no end of the headers": (b"", b"GET /api/0/info HTTP/1.1\r\nHost: localhost\r\n"),
    "half of a second request": (INFO, b"GET /api/0/info HT"),
    "half of a request after a heartbeat": (beat(), b"GET /api/0/info HT"),
    "half of a heartbeat's headers after a heartbeat": (beat(), beat()[:40]),
    "half of a heartbeat": (b"", beat("empty")[:-5]),
    "half of a heartbeat on the ordinary path": (b"", beat("empty", kind="application/json; charset=utf-8")[:-5]),
    "half of a heartbeat in chunks": (
        b"",
        request(
            "POST",
            "/api/0/buckets/empty/heartbeat?pulsetime=1",
            Content_Type="application/json",
            Transfer_Encoding="chunked",
        )
        + b"5\r\n{",
    ),
}


@pytest.fixture(scope="module")
def impatient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server that waits a second for headers, two for bodies, and the usual time for the next request."""
    server = RunningServer(tmp_path_factory.mktemp("impatient") / "days.db")
    server.constants = {
        "dayline.api.http.connection:HEAD_S": WAIT_S,
        "dayline.api.http.connection:BODY_STALL_S": 2 * WAIT_S,
        "dayline.api.http.connection:MIN_BODY_BYTES_PER_S": 1,
    }
    with server:
        server.create("b")
        server.create("empty")
        yield server


@pytest.fixture(scope="module")
def stalled(impatient: RunningServer) -> Iterator[Mapping[str, RawConnection]]:
    """A connection for each of them, all waiting at the same time."""
    with ExitStack() as stack:
        connections: dict[str, RawConnection] = {}
        for name, (first, rest) in STALLED.items():
            connection = connections[name] = stack.enter_context(RawConnection(impatient, timeout_s=PATIENCE_S))
            if first:
                connection.send(first)
                assert connection.answer().status == 200
            connection.send(rest)
        yield connections


def test_waits_are_the_decided_ones() -> None:
    assert (timing.HEAD_S, timing.KEEP_ALIVE_S) == (10, 75)
    assert timing.BODY_STALL_S <= 60
    assert timing.MIN_BODY_BYTES_PER_S <= 1000  # slow lines are no attack


@pytest.mark.parametrize("name", STALLED)
def test_request_that_stops_in_the_middle_ends_the_connection(stalled: Mapping[str, RawConnection], name: str) -> None:
    assert stalled[name].is_closed()


def test_nothing_of_a_body_that_stops_is_stored(impatient: RunningServer, stalled: Mapping[str, RawConnection]) -> None:
    for name, (_, rest) in STALLED.items():
        if b"/empty/" in rest:
            assert stalled[name].is_closed()

    assert RemoteBucket(impatient, "empty").count() == 0


def drip(connection: RawConnection, *, seconds: float) -> None:
    begun = time.monotonic()
    while time.monotonic() - begun < seconds:
        connection.send(b"x")
        time.sleep(0.05)


def test_headers_that_drip_end_the_connection_all_the_same(impatient: RunningServer) -> None:
    with RawConnection(impatient) as connection:
        connection.send(b"GET /api/0/info HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")

        with pytest.raises((BrokenPipeError, ConnectionResetError)):
            drip(connection, seconds=PATIENCE_S)


def test_body_that_drips_is_read_to_its_end(impatient: RunningServer) -> None:
    text = beat()

    with RawConnection(impatient) as connection:
        connection.send(text[:-25])
        for byte in text[-25:]:
            connection.send(bytes([byte]))
            time.sleep(0.1)

        assert connection.answer().status == 200


def test_body_that_comes_too_slowly_ends_the_connection(tmp_path: Path) -> None:
    # Before, every byte started the wait again, and one a second kept a connection for days.
    server = RunningServer(tmp_path / "days.db")
    server.constants = {
        "dayline.api.http.connection:BODY_STALL_S": WAIT_S,
        "dayline.api.http.connection:MIN_BODY_BYTES_PER_S": 10**6,
    }

    with server, RawConnection(server) as connection:
        server.create("b")
        head = request("POST", "/api/0/buckets/b/events", Content_Type="application/json", Content_Length="1000000")
        connection.send(head)

        with pytest.raises((BrokenPipeError, ConnectionResetError)):
            drip(connection, seconds=PATIENCE_S)


def test_idle_connection_is_kept_for_longer_than_headers_may_take(impatient: RunningServer) -> None:
    with RawConnection(impatient) as after_beat, RawConnection(impatient) as after_info:
        for wait_s in (WAIT_S + 1.2, 0):
            for connection, text in ((after_beat, beat()), (after_info, INFO)):
                connection.send(text)
                assert connection.answer().status == 200
            time.sleep(wait_s)


def test_idle_connection_is_ended_at_last(tmp_path: Path) -> None:
    server = RunningServer(tmp_path / "days.db")
    server.constants = {"dayline.api.http.connection:KEEP_ALIVE_S": WAIT_S}

    with server, ExitStack() as stack:
        server.create("b")
        connections = [stack.enter_context(RawConnection(server, timeout_s=PATIENCE_S)) for _ in range(2)]
        for connection, text in zip(connections, (beat(), INFO), strict=True):
            connection.send(text)
            assert connection.answer().status == 200

        assert all(connection.is_closed() for connection in connections)
