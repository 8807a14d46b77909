"""SIGTERM and Ctrl-C: what was accepted is finished, what cannot be is told, and the file is whole."""

import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import pytest

from tests.server import RunningServer
from tests.service.command import Service
from tests.storage.documents import document
from tests.storage.server_on_disk import ServerOnDisk
from tests.waiting import eventually

BEATS: Final = "/api/0/buckets/window/heartbeat?pulsetime=60"
SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)

# Requests under way get ten seconds; the tests have less.
IMPATIENT: Final = """
import dayline.api.server
dayline.api.server.DRAIN_S = 1
from dayline.cli.main import main
main()
"""


class ImpatientServer(RunningServer):
    """Waits one second for requests under way."""

    program = ("-c", IMPATIENT)


def event(second: int) -> dict[str, Any]:
    return {"timestamp": f"2026-01-01T10:00:{second:02}Z", "duration": 0, "data": {"app": "editor"}}


@pytest.fixture
def impatient(tmp_path: Path) -> Iterator[ImpatientServer]:
    with ImpatientServer(tmp_path / "days.db") as server:
        server.create("window")
        yield server


def seconds_to_stop(server: RunningServer) -> float:
    begun = time.monotonic()
    assert server.stop() == 0
    return time.monotonic() - begun


@pytest.mark.parametrize("number", SIGNALS)
def test_accepted_writes_are_finished_and_answered(tmp_path: Path, number: signal.Signals) -> None:
    with ServerOnDisk(tmp_path) as server, ThreadPoolExecutor() as pool:
        server.create("window")
        server.disk.slow(0.4)
        beat = pool.submit(server.post, BEATS, event(0))
        insert = pool.submit(server.post, "/api/0/buckets/window/events", [event(30)])
        made = pool.submit(server.create, "made")
        time.sleep(0.2)  # by now they have arrived, and the first commit is not yet done
        assert not beat.done()

        os.kill(server.pid, number)

        assert [future.result().status for future in (beat, insert, made)] == [200, 200, 200]
        server.disk.quick()
        assert server.stop() == 0
        server.start()
        assert server.get("/api/0/buckets/window/events/count").json == 2
        assert server.get("/api/0/buckets/made").status == 200


@pytest.mark.parametrize("number", SIGNALS)
def test_the_exit_status_is_zero_and_the_file_whole(tmp_path: Path, number: signal.Signals) -> None:
    with Service("--port", "0", "--database", str(tmp_path / "days.db"), home=tmp_path) as service:
        assert service.end(number) == 0

    assert not (tmp_path / "days.db-wal").exists()


def test_connections_that_are_idle_do_not_hold_up_the_end(server: RunningServer) -> None:
    idle = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(3)]
    idle[1].sendall(b"GET /api/0/info HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert idle[1].recv(4096).startswith(b"HTTP/1.1 200")
    idle[2].sendall(b"GET /api/0/info HTTP/1.1\r\nHost: local")

    assert seconds_to_stop(server) < 2

    for connection in idle:
        connection.close()


def is_refused(server: RunningServer) -> bool:
    try:
        server.get("/api/0/info")
    except (ConnectionRefusedError, ConnectionResetError):  # the latter where it stops listening just then
        return True
    return False


def test_no_new_connection_is_taken_once_it_stops(tmp_path: Path) -> None:
    with ServerOnDisk(tmp_path) as server, ThreadPoolExecutor() as pool:
        server.create("window")
        server.disk.slow(3)
        beat = pool.submit(server.post, BEATS, event(0))
        time.sleep(0.2)
        os.kill(server.pid, signal.SIGTERM)

        eventually(lambda: is_refused(server))
        assert not beat.done()
        assert beat.result().status == 200


def test_an_export_under_way_comes_to_its_end(server: RunningServer) -> None:
    server.call("POST", "/api/0/import", raw=document("large", events=60_000))
    reader = socket.create_connection(("127.0.0.1", server.port))
    reader.sendall(b"GET /api/0/export HTTP/1.1\r\nHost: localhost\r\n\r\n")
    text = reader.recv(1000)

    stopping = threading.Thread(target=server.stop)
    stopping.start()
    time.sleep(0.3)  # it has the signal, and most of the export is still to come
    while piece := reader.recv(1 << 20):
        text += piece
    stopping.join()
    reader.close()

    assert text.endswith(b"}}\r\n0\r\n\r\n")
    assert text.count(b'"timestamp"') == 60_000


def test_a_client_that_never_finishes_its_request_is_not_waited_for(impatient: ImpatientServer) -> None:
    # It was answered with a plain 500, and a traceback stood in the log: the server of the test fails when it ends so.
    with socket.create_connection(("127.0.0.1", impatient.port)) as half:
        half.sendall(
            b"POST /api/0/buckets/window/events HTTP/1.1\r\nHost: localhost\r\n"
            b"Content-Type: application/json\r\nContent-Length: 100\r\n\r\n[{"
        )
        time.sleep(0.2)

        assert seconds_to_stop(impatient) < 4

        answer = half.recv(4096)
        assert answer.startswith(b"HTTP/1.1 503")
        assert b"the server is stopping" in answer


def test_a_client_that_stops_reading_is_not_waited_for(impatient: ImpatientServer) -> None:
    impatient.call("POST", "/api/0/import", raw=document("large", events=100_000))
    with socket.create_connection(("127.0.0.1", impatient.port)) as reader:
        reader.sendall(b"GET /api/0/export HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert reader.recv(100).startswith(b"HTTP/1.1 200")

        assert seconds_to_stop(impatient) < 4

    assert not Path(f"{impatient.database}-wal").exists()


def test_an_import_that_takes_longer_than_the_server_waits_is_told_so(impatient: ImpatientServer) -> None:
    with ThreadPoolExecutor() as pool:
        text = document("large", events=400_000, values=50_000)
        imported = pool.submit(impatient.call, "POST", "/api/0/import", raw=text)
        time.sleep(0.5)

        assert seconds_to_stop(impatient) < 5

        assert imported.result().status == 503
        assert "stopping" in imported.result().message


def test_asked_twice_it_does_not_wait(server: RunningServer) -> None:
    with socket.create_connection(("127.0.0.1", server.port)) as half:
        half.sendall(
            b"POST /api/0/import HTTP/1.1\r\nHost: localhost\r\n"
            b"Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
        )
        time.sleep(0.2)
        os.kill(server.pid, signal.SIGINT)
        time.sleep(0.2)

        begun = time.monotonic()
        os.kill(server.pid, signal.SIGINT)
        server.stop()

        assert time.monotonic() - begun < 3
