"""A disk that does not answer, or a file that another user holds: recording waits, everything else continues."""

import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import apsw
import pytest

from tests.support.server import Answer, RunningServer
from tests.support.storage.disks import ServerOnDisk
from tests.support.waiting import PATIENCE_S, eventually

BUSY_TIMEOUTS: Final = [
    f"dayline.storage.sqlite.{module}:BUSY_TIMEOUT_MS" for module in ("file.connection", "writing.writer")
]
BEATS: Final = "/api/0/buckets/window/heartbeat?pulsetime=60"
READS: Final = (
    "/api/0/info",
    "/api/0/buckets/",
    "/api/0/buckets/window",
    "/api/0/buckets/window/events",
    "/api/0/buckets/window/events/count",
    "/api/0/settings",
    "/api/0/export",
    "/api/0/log",
)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerOnDisk]:
    with ServerOnDisk(tmp_path) as server:
        server.create("window")
        try:
            yield server
        finally:
            server.disk.quick()


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor() as pool:
        yield pool


def event(second: int) -> dict[str, Any]:
    return {"timestamp": f"2026-01-01T10:00:{second:02}Z", "duration": 0, "data": {"app": "editor"}}


def sent(server: RunningServer, pool: ThreadPoolExecutor, second: int) -> Future[Answer]:
    """A heartbeat under way."""
    return pool.submit(server.post, BEATS, event(second))


def check_reads(server: RunningServer) -> None:
    """Every kind of read is answered now."""
    for path in READS:
        assert server.get(path).status == 200


def test_a_commit_that_is_stuck_on_the_thread_does_not_stop_reads(
    server: ServerOnDisk, pool: ThreadPoolExecutor
) -> None:
    server.disk.slow(0.02)
    server.post(BEATS, event(0))  # slow: from here on commits are with the thread
    server.disk.stick()
    stuck = sent(server, pool, 1)
    queued = sent(server, pool, 2)
    eventually(lambda: server.disk.has_stuck_flush)

    check_reads(server)

    assert not stuck.done()
    assert not queued.done()
    server.disk.quick()
    assert [stuck.result().status, queued.result().status] == [200, 200]
    assert server.get("/api/0/buckets/window/events").json[0]["duration"] == 2.0


def test_nothing_is_shown_before_its_commit(server: ServerOnDisk, pool: ThreadPoolExecutor) -> None:
    server.disk.slow(0.02)
    server.post(BEATS, event(0))
    server.disk.stick()
    stuck = sent(server, pool, 30)
    made = pool.submit(server.create, "new")

    eventually(lambda: server.disk.has_stuck_flush)
    assert server.get("/api/0/buckets/window").json["metadata"]["end"] == "2026-01-01T10:00:00Z"
    assert server.get("/api/0/buckets/window/events").json[0]["duration"] == 0.0
    assert server.get("/api/0/buckets/new").status == 404

    server.disk.quick()
    assert (stuck.result().status, made.result().status) == (200, 200)
    assert server.get("/api/0/buckets/window").json["metadata"]["end"] == "2026-01-01T10:00:30Z"


def test_a_write_behind_a_stuck_commit_is_reported_after_ten_seconds(
    server: ServerOnDisk, pool: ThreadPoolExecutor
) -> None:
    server.disk.slow(0.02)
    server.post(BEATS, event(0))
    server.disk.stick()
    stuck = sent(server, pool, 1)
    eventually(lambda: server.disk.has_stuck_flush)

    begun = time.monotonic()
    behind = pool.submit(server.create, "new")
    try:
        answer = behind.result(timeout=PATIENCE_S)
    finally:
        server.disk.quick()

    assert answer.status == 503
    assert "retry-after" in answer.headers
    assert time.monotonic() - begun > 9
    assert stuck.result().status == 200
    assert server.get("/api/0/buckets/new").status == 404


def test_a_file_that_another_program_holds_does_not_stop_reads(tmp_path: Path, pool: ThreadPoolExecutor) -> None:
    server = RunningServer(tmp_path / "days.db")
    server.constants = dict.fromkeys(BUSY_TIMEOUTS, 10**9)  # a wait within SQLite would not come back
    with server:
        server.create("window")
        for second in range(20):  # enough that commits are trusted to the event loop
            server.post(BEATS, event(second))
        other = apsw.Connection(str(server.database))
        other.set_busy_timeout(int(PATIENCE_S * 1000))  # the server may be writing something of its own
        other.execute("BEGIN IMMEDIATE")

        held = sent(server, pool, 30)
        check_reads(server)

        assert not held.done()
        other.execute("ROLLBACK")
        other.close()
        assert held.result().status == 200


def test_a_file_that_another_program_holds_for_a_moment_refuses_no_write(
    tmp_path: Path, pool: ThreadPoolExecutor
) -> None:
    server = RunningServer(tmp_path / "days.db")
    server.constants = dict.fromkeys(BUSY_TIMEOUTS, 50)
    with server:
        server.create("window")
        other = apsw.Connection(str(server.database))
        other.set_busy_timeout(int(PATIENCE_S * 1000))  # the server may be writing something of its own
        other.execute("BEGIN IMMEDIATE")
        made = pool.submit(server.create, "new")

        eventually(lambda: "Cannot write" in str(server.get("/api/0/log").json))  # longer than SQLite itself waits
        other.execute("ROLLBACK")
        other.close()

        assert made.result().status == 200
