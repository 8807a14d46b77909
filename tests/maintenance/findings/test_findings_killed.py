"""A server that is killed in the middle of fixing: what it had done by then is in the trash, and comes back."""

import contextlib
import http.client
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import apsw
import pytest

from tests.support.server import RunningServer
from tests.support.storage.disks import ServerOnDisk
from tests.support.waiting import eventually

PAIRS: Final = 3000
SLOW_S: Final = 0.3  # a flush: fixing takes longer than it takes to see it begin and to kill the server
FIX_PATH: Final = "/api/1/doctor/mend"
FIX: Final = {"kind": "duplicates", "bucket": "window"}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerOnDisk]:
    """With a bucket in which every event is there twice."""
    server = ServerOnDisk(tmp_path)
    server.start()
    server.create("window", type="currentwindow")
    events = [
        {"timestamp": f"2026-03-{1 + n // 3600:02}T10:{n // 60 % 60:02}:{n % 60:02}Z", "duration": 1, "data": {"n": n}}
        for n in range(PAIRS)
    ]
    assert server.post("/api/0/buckets/window/events", [*events, *events]).status == 200
    yield server
    server.stop()


def state_of(server: RunningServer) -> Any:
    return server.get("/api/0/buckets/window/events").json, server.get("/api/0/buckets/window/export").body


def fixed_events(db: apsw.Connection) -> int:
    return int(db.execute("SELECT coalesce(max(events), 0) FROM operation").get)


def fix_and_kill(server: ServerOnDisk, at_least: int) -> None:
    """Begin to fix, and kill the server as soon as this many events are done."""
    server.disk.slow(SLOW_S)

    def call() -> None:
        with contextlib.suppress(OSError, http.client.HTTPException):
            server.post(FIX_PATH, FIX)

    caller = threading.Thread(target=call)
    caller.start()
    db = apsw.Connection(str(server.database), flags=apsw.SQLITE_OPEN_READONLY)
    db.set_busy_timeout(1000)
    try:
        while fixed_events(db) < at_least:
            assert caller.is_alive(), "it was over before it was seen"
            time.sleep(0.001)  # the time is short
    finally:
        db.close()
        server.kill()
        caller.join()
        server.disk.quick()


def check_killed(server: ServerOnDisk, at_least: int) -> int:
    """Kill it in the middle, and see everything come back; how many events had been fixed."""
    before = state_of(server)
    fix_and_kill(server, at_least)
    server.start()

    [item] = server.get("/api/1/trash").json
    assert (item["kind"], item["bucket"]) == ("mend_events", "window")
    assert at_least <= item["events"] <= PAIRS
    assert server.get("/api/0/buckets/window/events/count").json == 2 * PAIRS - item["events"]
    eventually(lambda: server.get("/api/1/trash").json[0]["state"] == "done")
    assert server.post(f"/api/1/undo/{item['id']}").status == 200
    assert state_of(server) == before
    return int(item["events"])


def test_a_partial_fix_is_in_the_trash_and_undone_exactly(server: ServerOnDisk) -> None:
    assert check_killed(server, 1) < PAIRS


@pytest.mark.long
@pytest.mark.parametrize("at_least", range(1, PAIRS, PAIRS // 50))
def test_a_partial_fix_is_undone_wherever_it_was_interrupted(server: ServerOnDisk, at_least: int) -> None:
    check_killed(server, at_least)


def test_a_partial_fix_is_finished_by_fixing_again(server: ServerOnDisk) -> None:
    fix_and_kill(server, 1)
    server.start()

    assert server.post(FIX_PATH, FIX).status == 200

    assert server.get("/api/1/doctor?kinds=duplicates").json["findings"] == []
    assert server.get("/api/0/buckets/window/events/count").json == PAIRS
