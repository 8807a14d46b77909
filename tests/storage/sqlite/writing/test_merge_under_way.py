"""While many events are merged, and while that is undone, heartbeats are neither lost nor doubled.

Killed at any moment, the server continues at its next start, to the same end.
"""

import contextlib
import http.client
import random
import threading
import time
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from tests.support.maintenance.documents import document
from tests.support.server import RunningServer
from tests.support.waiting import PATIENCE_S, eventually

MANY: Final = 6_000
SOME: Final = 2_000
BOTH: Final = ("old", "other")
HISTORY: Final = "end=2026-12-31T00:00:00Z"
BEATS: Final = "start=2027-01-01T00:00:00Z"


class Watcher(threading.Thread):
    """Beats as often as it can to a bucket of one id; every beat is an event of its own."""

    def __init__(self, server: RunningServer, bucket_id: str) -> None:
        super().__init__(daemon=True)
        self._port = server.port
        self._path = f"/api/0/buckets/{bucket_id}/heartbeat?pulsetime=0"
        self.is_stopping = False
        self.sent = 0

    def run(self) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=PATIENCE_S)
        while not self.is_stopping:
            number = self.sent
            moment = f"2027-01-01T{number // 3600:02}:{number // 60 % 60:02}:{number % 60:02}Z"
            body = msgspec.json.encode({"timestamp": moment, "data": {"beat": number}})
            connection.request("POST", self._path, body, {"Content-Type": "application/json"})
            response = connection.getresponse()
            response.read()
            assert response.status == 200
            self.sent += 1
            time.sleep(0.001)
        connection.close()

    def more(self, beats: int) -> None:
        """Wait for some more."""
        now = self.sent
        eventually(lambda: self.sent > now + beats)


def fill(server: RunningServer, events: int) -> None:
    """Two buckets, with some events that both have."""
    server.call("POST", "/api/0/import", raw=document("old", events=events, values=events // 5))
    server.call("POST", "/api/0/import", raw=document("other", events=100, values=events // 5))


def events(server: RunningServer, bucket_id: str, part: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = server.get(f"/api/0/buckets/{bucket_id}/events?{part}").json
    return found


def test_heartbeats_continue_through_a_merge_and_its_undoing(server: RunningServer) -> None:
    fill(server, MANY)
    before = [events(server, bucket_id, HISTORY) for bucket_id in BOTH]
    watcher = Watcher(server, "old")
    watcher.start()
    watcher.more(20)

    before_merge = watcher.sent
    merged = server.post("/api/1/buckets/old/merge", {"into": "other"}).json
    during, copied = watcher.sent, events(server, "other", HISTORY)
    watcher.more(20)
    undone = server.post(f"/api/1/undo/{merged['undo']}")
    watcher.more(20)
    watcher.is_stopping = True
    watcher.join()

    assert (merged["skipped"], len(copied), undone.status) == (100, MANY, 200)
    assert during > before_merge
    assert [events(server, bucket_id, HISTORY) for bucket_id in BOTH] == before
    beats = [event["data"]["beat"] for bucket_id in BOTH for event in events(server, bucket_id, BEATS)]
    assert sorted(beats) == list(range(watcher.sent))


def test_an_event_recorded_right_after_a_kill_gets_no_id_of_the_merge(server: RunningServer) -> None:
    fill(server, MANY)
    server.create("third")

    def merge() -> None:
        with contextlib.suppress(OSError, http.client.HTTPException):
            server.post("/api/1/buckets/old/merge", {"into": "other"})

    caller = threading.Thread(target=merge)
    caller.start()
    eventually(lambda: server.get("/api/0/buckets/other/events/count").json > 100)  # the first slice is copied
    server.kill()
    caller.join()
    server.start()
    recorded = [{"timestamp": f"2027-01-01T00:00:{second:02}Z", "data": {"app": "new"}} for second in range(60)]
    assert server.post("/api/0/buckets/third/events", recorded).status == 200
    eventually(lambda: all(item["state"] == "done" for item in server.get("/api/1/trash").json))

    ids = [event["id"] for bucket_id in ("other", "third") for event in events(server, bucket_id, "")]
    assert len(set(ids)) == len(ids) == MANY + 60
    [merged] = server.get("/api/1/trash").json
    assert server.post(f"/api/1/undo/{merged['id']}").status == 200


class Life:
    """A server that is killed again and again while it merges, and while it undoes that."""

    def __init__(self, folder: Path) -> None:
        self.server = RunningServer(folder / "days.db")
        self.server.start()
        fill(self.server, SOME)
        self.apart = self.seen()
        begun = time.monotonic()
        self.merged_undo: int = self.server.post("/api/1/buckets/old/merge", {"into": "other"}).json["undo"]
        self.usual_s = time.monotonic() - begun
        self.together = self.shown("other")
        assert len(self.together) == SOME
        self.server.post(f"/api/1/undo/{self.merged_undo}")
        assert self.seen() == self.apart

    def shown(self, bucket_id: str) -> list[tuple[Any, ...]]:
        """Without ids, which a merge assigns again."""
        found = events(self.server, bucket_id, HISTORY)
        return sorted((event["timestamp"], event["duration"], event["data"]["title"]) for event in found)

    def seen(self) -> Any:
        buckets = self.server.get("/api/0/buckets/").json
        return buckets, {bucket_id: events(self.server, bucket_id, "") for bucket_id in buckets}

    def call_and_kill(self, path: str, body: object, after_s: float) -> None:
        def call() -> None:
            with contextlib.suppress(OSError, http.client.HTTPException):
                self.server.post(path, body)

        caller = threading.Thread(target=call)
        caller.start()
        time.sleep(after_s)
        self.server.kill()
        caller.join()
        self.server.start()
        eventually(lambda: all(item["state"] == "done" for item in self.server.get("/api/1/trash").json))
        eventually(self.is_at_rest)

    def is_at_rest(self) -> bool:
        """Whether nothing is being undone: then either both buckets are there and the trash is empty, or neither."""
        has_both: bool = "old" in self.server.get("/api/0/buckets/").json
        trash: list[Any] = self.server.get("/api/1/trash").json
        return has_both == (not trash)

    def round(self, chance: random.Random) -> bool:
        """Merge and undo, both killed at some moment; whether the merge had begun."""
        self.call_and_kill("/api/1/buckets/old/merge", {"into": "other"}, chance.uniform(0.0, 1.1) * self.usual_s)
        trash = self.server.get("/api/1/trash").json
        if not trash:
            assert self.seen() == self.apart
            return False
        assert self.shown("other") == self.shown("old") == self.together
        path = f"/api/1/undo/{trash[0]['id']}"
        self.call_and_kill(path, None, chance.uniform(0.0, 1.1) * self.usual_s)
        if self.server.get("/api/1/trash").json:
            assert self.shown("other") == self.together
            assert self.server.post(path).status == 200
        assert self.seen() == self.apart
        return True


def killed(folder: Path, *, rounds: int, seed: int) -> None:
    life, chance = Life(folder), random.Random(seed)
    try:
        begun = sum([life.round(chance) for _ in range(rounds)])
        while not begun:  # killed too early each time: the machine is busy
            begun = life.round(chance)
    finally:
        life.server.stop()


def test_a_merge_killed_at_any_time_ends_the_same(tmp_path: Path) -> None:
    killed(tmp_path, rounds=2, seed=6)


@pytest.mark.long
def test_a_merge_killed_at_many_random_times_ends_the_same(tmp_path: Path) -> None:
    killed(tmp_path, rounds=50, seed=time.time_ns())
