"""The write-ahead log stays small while the server writes, and is gone when it stops."""

import asyncio
import http.client
import itertools
import socket
import threading
import time
from pathlib import Path
from typing import Any, Final

import apsw
import msgspec
import pytest

from dayline.storage.sqlite.file import checkpoint
from tests.support.maintenance.documents import document
from tests.support.server import RunningServer
from tests.support.storage.opened import beat, bucket, opened
from tests.support.waiting import PATIENCE_S, eventually

WRITERS: Final = 4
EVENTS_EACH: Final = 5_000
MIB: Final = 1 << 20
LARGEST_LOG: Final = 10 * MIB  # one that is never begun again would grow to 25 MiB
# The pages at which the log is moved, a sixteenth of what they are otherwise: so that little data shows it.
SMALL_LOG: Final = {
    "dayline.storage.sqlite.file.checkpoint:ENOUGH_PAGES": 60,
    "dayline.storage.sqlite.file.checkpoint:MAX_PAGES": 500,
    "dayline.storage.sqlite.file.checkpoint:LIMIT_PAGES": 1000,
    "dayline.storage.sqlite.file.checkpoint:HOLD_S": 60,  # the writer waits for the end, however slow the machine is
}


def log_of(server: RunningServer) -> Path:
    return server.database.with_name(f"{server.database.name}-wal")


def events(count: int, *, mark: str) -> list[dict[str, Any]]:
    """Events whose data are all different, as long as window titles are."""
    return [
        {
            "timestamp": f"2026-01-{1 + number % 28:02}T10:{number % 60:02}:00Z",
            "duration": 1,
            "data": {"title": f"{mark} {number} " + "of a considerable length " * 4},
        }
        for number in range(count)
    ]


class Writer(threading.Thread):
    """Inserts without a pause, on one connection."""

    def __init__(self, server: RunningServer, number: int) -> None:
        super().__init__(daemon=True)
        self._server = server
        self._number = number
        self.sent = 0

    def run(self) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self._server.port, timeout=PATIENCE_S)
        while self.sent < EVENTS_EACH:
            body = msgspec.json.encode(events(200, mark=f"{self._number}-{self.sent}"))
            connection.request("POST", "/api/0/buckets/window/events", body, {"Content-Type": "application/json"})
            response = connection.getresponse()
            response.read()
            assert response.status == 200
            self.sent += 200
        connection.close()


def largest_log_under_load(server: RunningServer) -> int:
    """Write from several sides; the log's largest size. A file never shrinks before it is truncated or removed."""
    server.create("window")
    writers = [Writer(server, number) for number in range(WRITERS)]
    for writer in writers:
        writer.start()
    largest = 0
    while any(writer.is_alive() for writer in writers):
        largest = max(largest, log_of(server).stat().st_size)
        time.sleep(0.01)
    assert [writer.sent for writer in writers] == [EVENTS_EACH] * WRITERS
    return largest


def test_the_log_stays_small_under_sustained_writes(tmp_path: Path) -> None:
    server = RunningServer(tmp_path / "days.db")
    server.constants = SMALL_LOG
    with server:
        largest = largest_log_under_load(server)

    assert 0 < largest < LARGEST_LOG


def test_a_reader_that_stays_too_long_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for name, pages in (("ENOUGH_PAGES", 10), ("MAX_PAGES", 20), ("LIMIT_PAGES", 40), ("STALLED_PAGES", 100)):
        monkeypatch.setattr(checkpoint, name, pages)
    monkeypatch.setattr(checkpoint, "PAUSE_S", 0.001)

    async def scenario() -> None:
        async with opened(tmp_path / "days.db") as store:
            await store.create_bucket(bucket("window"))
            reader = apsw.Connection(str(tmp_path / "days.db"), flags=apsw.SQLITE_OPEN_READONLY)
            reader.execute("BEGIN; SELECT count(*) FROM event").fetchall()
            while "a long-running reader prevents its reset" not in caplog.text:
                await store.insert("window", [beat(number, app=f"app {number}") for number in range(200)])
            reader.close()

    asyncio.run(scenario())


def test_a_reader_does_not_make_checkpoints_follow_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, pages in (("ENOUGH_PAGES", 10), ("MAX_PAGES", 100), ("LIMIT_PAGES", 1_000_000)):
        monkeypatch.setattr(checkpoint, name, pages)
    monkeypatch.setattr(checkpoint, "PAUSE_S", 3600)
    checkpoints: list[int] = []
    made = checkpoint.Checkpointer._checkpoint  # pyright: ignore[reportPrivateUsage]

    def counted(self: checkpoint.Checkpointer, db: apsw.Connection) -> None:
        checkpoints.append(self._pages)  # pyright: ignore[reportPrivateUsage]
        made(self, db)

    monkeypatch.setattr(checkpoint.Checkpointer, "_checkpoint", counted)
    log = tmp_path / "days.db-wal"

    async def scenario() -> None:
        async with opened(tmp_path / "days.db") as store:
            await store.create_bucket(bucket("window"))
            reader = apsw.Connection(str(tmp_path / "days.db"), flags=apsw.SQLITE_OPEN_READONLY)
            reader.execute("BEGIN; SELECT count(*) FROM event").fetchall()
            for number in itertools.count():
                await store.insert("window", [beat(number, app=f"app {number}")])
                if log.stat().st_size > 1000 * 4096:
                    break
            await asyncio.to_thread(eventually, lambda: len(checkpoints) > 1)
            await asyncio.sleep(0.3)  # without a pause there would be dozens
            reader.close()

    asyncio.run(scenario())
    # One for each hundred pages that were added, however many commits that were.
    assert all(later - earlier >= 100 for earlier, later in itertools.pairwise(checkpoints) if later > 100)


def test_a_server_that_was_stopped_leaves_one_whole_file(tmp_path: Path) -> None:
    with RunningServer(tmp_path / "days.db") as server:
        server.create("window")
        server.post("/api/0/buckets/window/events", events(500, mark="kept"))
        assert log_of(server).exists()

        assert server.stop() == 0

        assert not log_of(server).exists()
        assert not server.database.with_name("days.db-shm").exists()
        # Immutable: nothing but the file itself is looked at.
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        db = apsw.Connection(f"{server.database.as_uri()}?immutable=1", flags=flags)
        assert db.execute("SELECT count(*) FROM event").get == 500
        assert db.execute("PRAGMA integrity_check").get == "ok"
        db.close()


def test_an_export_that_is_read_slowly_does_not_hold_up_the_log(server: RunningServer) -> None:
    server.call("POST", "/api/0/import", raw=document("large", events=8_000, padding=2_000))
    server.create("window")
    slow = socket.create_connection(("127.0.0.1", server.port))
    slow.sendall(b"GET /api/0/export HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    assert slow.recv(100).startswith(b"HTTP/1.1 200")

    # Written after the export began: a reader that held its view of the file would keep these in the log.
    for number in range(3):
        server.post("/api/0/buckets/window/events", events(500, mark=str(number)))
    db = apsw.Connection(str(server.database))

    def is_all_moved() -> bool:
        try:
            pages, moved = db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
        except apsw.BusyError:  # the server is at it itself
            return False
        return pages == moved

    eventually(is_all_moved)
    db.close()
    rest = rest_of(slow)
    assert len(rest) > 12 * MIB, "too little for the export to have been held up at all"
    assert rest.endswith(b"}}\r\n0\r\n\r\n")


def rest_of(connection: socket.socket) -> bytes:
    """What is still to come of a response."""
    pieces: list[bytes] = []
    while piece := connection.recv(1 << 20):
        pieces.append(piece)
    connection.close()
    return b"".join(pieces)
