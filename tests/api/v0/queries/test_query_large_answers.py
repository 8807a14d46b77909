"""Responses of many megabytes go out as they are read, and a client that stops reading keeps no one waiting."""

import os
import signal
import socket
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec
import pytest

from tests.support.calls.clients import DAY, at, configured, query, query_1, query_processes, results
from tests.support.calls.raw_connection import request
from tests.support.calls.settled import until_settled
from tests.support.server import RunningServer
from tests.support.waiting import PATIENCE_S

EVENTS: Final = 3_000
TEXT: Final = "x" * 1500  # in each: together more than is answered in one piece
ALL: Final = 'RETURN = query_bucket("many");'
# More than the system keeps for a client that does not read.
MORE: Final = 'many = query_bucket("many"); RETURN = [many, many, many, many];'
STALL_S: Final = 1

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes as Linux shows them")


def fill(server: RunningServer) -> None:
    """Give a server many events."""
    events = [
        {
            "timestamp": at(f"{n // 3600:02}:{n // 60 % 60:02}:{n % 60:02}"),
            "duration": 0.5,
            "data": {"n": n, "text": TEXT},
        }
        for n in range(EVENTS)
    ]
    document = {"many": {"type": "t", "client": "c", "hostname": "h", "events": events}}
    assert server.post("/api/0/import", {"buckets": document}).status == 200


@pytest.fixture(scope="module")
def patient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server with one query process and many events."""
    folder = tmp_path_factory.mktemp("patient")
    with RunningServer(folder / "days.db", *configured(folder, workers=1)) as server:
        fill(server)
        yield server


@pytest.fixture
def impatient(tmp_path: Path) -> Iterator[RunningServer]:
    """The same, but clients have a second to take a piece."""
    server = RunningServer(tmp_path / "days.db", *configured(tmp_path, workers=1))
    server.constants = {"dayline.api.v0.queries:STALL_S": STALL_S}
    with server:
        fill(server)
        yield server


@contextmanager
def begun(server: RunningServer) -> Generator[socket.socket]:
    """A connection on which a large response has begun, and no one reads on."""
    body = msgspec.json.encode({"query": [MORE], "timeperiods": [DAY]})
    with socket.socket() as connection:
        connection.settimeout(PATIENCE_S)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 64 << 10)
        connection.connect(("127.0.0.1", server.port))
        connection.sendall(request("POST", "/api/0/query/", body))
        assert connection.recv(15) == b"HTTP/1.1 200 OK"
        until_settled(server, connections=1)  # all that the system keeps for it is full
        yield connection


def rest_of(connection: socket.socket) -> bytes:
    """What arrives until the server hangs up."""
    received = b""
    try:
        while piece := connection.recv(1 << 20):
            received += piece
    except ConnectionResetError:
        pass
    return received


def test_every_event_arrives(patient: RunningServer) -> None:
    answer = query(patient, ALL)

    assert answer.status == 200
    assert int(answer.headers["content-length"]) == len(answer.body) > 4 << 20
    assert [one["data"]["n"] for one in answer.json[0]] == list(range(EVENTS))[::-1]


def test_a_large_answer_ends_with_the_time_that_it_took(patient: RunningServer) -> None:
    answer = query_1(patient, ALL)

    assert len(answer.json["results"][0]) == EVENTS
    assert answer.json["statistics"]["events_read"] == EVENTS
    assert answer.json["statistics"]["result_bytes"] > 4 << 20


def test_the_process_is_used_again_after_a_large_answer(patient: RunningServer) -> None:
    results(patient, "RETURN = 1;")
    before = query_processes(patient)
    query(patient, ALL)

    assert results(patient, "RETURN = 1;") == [1.0]
    assert query_processes(patient) == before


def test_a_client_that_takes_nothing_loses_the_rest_and_the_process_is_free(impatient: RunningServer) -> None:
    with begun(impatient) as connection:
        [process] = query_processes(impatient)

        assert results(impatient, "RETURN = 1;") == [1.0]

        assert query_processes(impatient) != {process}
        assert not rest_of(connection).endswith(b"]]]")


def test_a_client_that_reads_slowly_gets_everything(patient: RunningServer) -> None:
    with begun(patient) as connection:
        received = b""
        while not received.endswith(b"]]]"):
            portion = len(received) + (4 << 20)
            while len(received) < portion and (piece := connection.recv(1 << 20)):
                received += piece
                if received.endswith(b"]]]"):
                    break
            until_settled(patient)  # it waits for the client again

    head, _, body = received.partition(b"\r\n\r\n")
    assert f"content-length: {len(body)}".encode() in head


def test_a_client_that_disconnects_in_the_middle_frees_the_process(patient: RunningServer) -> None:
    with begun(patient):
        pass

    assert results(patient, "RETURN = 1;") == [1.0]


def test_a_process_killed_in_the_middle_of_an_answer_ends_the_connection(patient: RunningServer) -> None:
    with begun(patient) as connection:
        [process] = query_processes(patient)
        os.kill(process, signal.SIGKILL)

        assert not rest_of(connection).endswith(b"]]]")

    assert results(patient, "RETURN = 1;") == [1.0]


def test_a_client_that_takes_nothing_does_not_hold_up_the_end_of_the_server(tmp_path: Path) -> None:
    server = RunningServer(tmp_path / "days.db")
    server.constants = {"dayline.api.http.server:DRAIN_S": 2 * PATIENCE_S}
    with server:
        fill(server)
        with begun(server):
            assert server.stop() == 0


def test_an_answer_larger_than_allowed_is_refused_and_not_cut_off(tmp_path: Path) -> None:
    with RunningServer(tmp_path / "days.db", *configured(tmp_path, result_mib=1)) as server:
        answer = query(server, 'a = "0123456789abcdef";', *["a = a + a;"] * 17, "RETURN = a;")

        assert answer.status == 400
        assert "larger than 1,048,576 bytes" in answer.message
