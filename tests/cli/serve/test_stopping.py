"""SIGTERM and Ctrl-C: what was accepted is finished, what cannot be is reported, and the file is whole."""

import os
import signal
import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import pytest

from tests.support.calls.settled import until_settled
from tests.support.maintenance.documents import document
from tests.support.processes.command import Service
from tests.support.server import RunningServer
from tests.support.storage.slow_disk import Disk
from tests.support.waiting import PATIENCE_S, eventually

BEATS: Final = "/api/0/buckets/window/heartbeat?pulsetime=60"
SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)
END_OF_EXPORT: Final = b"}}\r\n0\r\n\r\n"
EVENTS: Final = 20_000  # a few megabytes of export: more than the system keeps for a client that does not read


class StoppingServer(RunningServer):
    """A server that waits `drain_s` for requests under way, on a disk that the test can stop."""

    def __init__(self, folder: Path, *, drain_s: float = PATIENCE_S) -> None:
        super().__init__(folder / "days.db")
        self.disk = Disk(folder / "disk")
        self.change = self.disk.change
        self.constants = {"dayline.api.http.server:DRAIN_S": drain_s}

    def start(self, **environment: str) -> None:
        super().start(**environment)
        self.create("window")


class ImpatientServer(StoppingServer):
    """A server that hardly waits for requests under way."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, drain_s=0.3)


def event(second: int) -> dict[str, Any]:
    return {"timestamp": f"2026-01-01T10:00:{second:02}Z", "duration": 0, "data": {"app": "editor"}}


def connected(server: RunningServer) -> socket.socket:
    """A connection whose client has little space for what it does not read."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16 << 10)
    connection.settimeout(PATIENCE_S)
    connection.connect(("127.0.0.1", server.port))
    return connection


def is_refused(server: RunningServer) -> bool:
    try:
        server.get("/api/0/info")
    except (ConnectionRefusedError, ConnectionResetError):  # the latter where it stops listening just then
        return True
    return False


@pytest.mark.parametrize("number", SIGNALS)
def test_accepted_writes_are_finished_and_answered(tmp_path: Path, number: signal.Signals) -> None:
    with StoppingServer(tmp_path) as server, ThreadPoolExecutor() as pool:
        server.disk.stick()
        beat = pool.submit(server.post, BEATS, event(0))
        insert = pool.submit(server.post, "/api/0/buckets/window/events", [event(30)])
        made = pool.submit(server.create, "made")
        until_settled(server, connections=3)

        os.kill(server.pid, number)
        eventually(lambda: is_refused(server))
        assert not beat.done()
        server.disk.quick()

        assert [future.result().status for future in (beat, insert, made)] == [200, 200, 200]
        assert server.wait() == 0
        server.start()
        assert server.get("/api/0/buckets/window/events/count").json == 2
        assert server.get("/api/0/buckets/made").status == 200


@pytest.mark.parametrize("number", SIGNALS)
def test_the_exit_status_is_zero_and_the_file_whole(tmp_path: Path, number: signal.Signals) -> None:
    with Service("--port", "0", "--database", str(tmp_path / "days.db"), home=tmp_path) as service:
        assert service.end(number) == 0

    assert not (tmp_path / "days.db-wal").exists()


def test_connections_that_are_idle_do_not_hold_up_the_end(tmp_path: Path) -> None:
    with StoppingServer(tmp_path) as server:
        idle = [connected(server) for _ in range(3)]
        idle[1].sendall(b"GET /api/0/info HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert idle[1].recv(4096).startswith(b"HTTP/1.1 200")
        idle[2].sendall(b"GET /api/0/info HTTP/1.1\r\nHost: local")

        assert server.stop() == 0

        for connection in idle:
            connection.close()


def test_no_new_connection_is_taken_once_it_stops(tmp_path: Path) -> None:
    with StoppingServer(tmp_path) as server, ThreadPoolExecutor() as pool:
        server.disk.stick()
        beat = pool.submit(server.post, BEATS, event(0))
        until_settled(server, connections=1)
        os.kill(server.pid, signal.SIGTERM)

        eventually(lambda: is_refused(server))
        assert not beat.done()
        server.disk.quick()
        assert beat.result().status == 200
        assert server.wait() == 0


def test_an_export_under_way_completes(tmp_path: Path) -> None:
    with StoppingServer(tmp_path) as server:
        server.call("POST", "/api/0/import", raw=document("large", events=EVENTS))
        with connected(server) as reader:
            reader.sendall(b"GET /api/0/export HTTP/1.1\r\nHost: localhost\r\n\r\n")
            pieces = [reader.recv(1000)]
            os.kill(server.pid, signal.SIGTERM)
            eventually(lambda: is_refused(server))

            while piece := reader.recv(1 << 20):
                pieces.append(piece)
        assert server.wait() == 0

    text = b"".join(pieces)
    assert text.endswith(END_OF_EXPORT)
    assert text.count(b'"timestamp"') == EVENTS


def test_a_client_that_never_finishes_its_request_is_not_waited_for(tmp_path: Path) -> None:
    # It was answered with a plain 500, and a traceback stood in the log: the server of the test fails when it ends so.
    with ImpatientServer(tmp_path) as server, connected(server) as half:
        half.sendall(
            b"POST /api/0/buckets/window/events HTTP/1.1\r\nHost: localhost\r\n"
            b"Content-Type: application/json\r\nContent-Length: 100\r\n\r\n[{"
        )
        until_settled(server, connections=1)

        assert server.stop() == 0

        answer = half.recv(4096)
        assert answer.startswith(b"HTTP/1.1 503")
        assert b"the server is stopping" in answer


def test_a_client_that_stops_reading_is_not_waited_for(tmp_path: Path) -> None:
    with ImpatientServer(tmp_path) as server:
        server.call("POST", "/api/0/import", raw=document("large", events=EVENTS))
        with connected(server) as reader:
            reader.sendall(b"GET /api/0/export HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert reader.recv(100).startswith(b"HTTP/1.1 200")

            assert server.stop() == 0

    assert not Path(f"{server.database}-wal").exists()


def test_an_import_that_takes_longer_than_the_server_waits_is_reported(tmp_path: Path) -> None:
    server = ImpatientServer(tmp_path)
    slices = {
        "dayline.storage.operations.background:SLICE_ROWS": 4,
        "dayline.storage.operations.background:_SMALLEST_SLICE": 1,
    }
    server.constants = {**server.constants, **slices}
    with server, ThreadPoolExecutor() as pool:
        server.disk.slow(0.2)  # for each of at least a thousand slices
        imported = pool.submit(server.call, "POST", "/api/0/import", raw=document("large", events=4000))
        eventually(lambda: server.get("/api/0/buckets/large").status == 200)

        os.kill(server.pid, signal.SIGTERM)
        answer = imported.result()
        server.disk.quick()

        assert answer.status == 503
        assert "stopping" in answer.message
        assert server.wait() == 0


def test_asked_twice_it_does_not_wait(tmp_path: Path) -> None:
    with StoppingServer(tmp_path) as server, connected(server) as half:
        half.sendall(
            b"POST /api/0/import HTTP/1.1\r\nHost: localhost\r\n"
            b"Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
        )
        until_settled(server, connections=1)
        os.kill(server.pid, signal.SIGINT)
        eventually(lambda: is_refused(server))

        os.kill(server.pid, signal.SIGINT)

        assert server.wait() == 0
