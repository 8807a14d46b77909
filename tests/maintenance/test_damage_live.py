"""A file that is damaged while a server uses it is left without an end to anything."""

import threading
from pathlib import Path
from typing import Any

import pytest

from tests.server import Answer, RunningServer
from tests.storage.damaging import contents, fill_well, pages_of, spoil
from tests.stream.listening import OpenStream
from tests.waiting import PATIENCE_S, eventually


class Watcher:
    """Sends heartbeats one after the other, each a new event, for the length of a block."""

    def __init__(self, server: RunningServer, bucket_id: str) -> None:
        self._path = f"/api/0/buckets/{bucket_id}/heartbeat?pulsetime=0"
        self._server = server
        self._is_stopped = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self.answers: list[Answer] = []

    def __enter__(self) -> "Watcher":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_stopped.set()
        self._thread.join()

    def _run(self) -> None:
        number = 0
        while not self._is_stopped.wait(0.005):
            minute, second = divmod(number, 60)
            beat = {"timestamp": f"2026-06-01T10:{minute:02}:{second:02}Z", "data": {"app": f"beat {number}"}}
            self.answers.append(self._server.post(self._path, beat))
            number += 1


@pytest.mark.parametrize("tree", ["event", "bucket_id"])
def test_damage_while_it_runs_costs_no_heartbeat(tmp_path: Path, tree: str) -> None:
    path = tmp_path / "days.db"
    fill_well(path)
    before, pages = contents(path), pages_of(path, tree)
    server = RunningServer(path)
    server.constants = {"dayline.maintenance.file_watch:FileWatch.initial_delay_s": 0.7}

    with server, Watcher(server, "afk") as watcher:
        eventually(lambda: len(watcher.answers) > 5)
        with OpenStream(server) as stream:
            last_id = stream.next("hello").id
            # In the middle of its tree: what heartbeats change is in the log, and would be written over it.
            spoil(path, pages[len(pages) // 2].number)
            eventually(lambda: server.get("/api/1/health").json["status"] == "degraded")
            assert stream.is_over.wait(PATIENCE_S)
        with OpenStream(server, last_id=last_id) as stream:
            assert [stream.next().event, stream.next().event] == ["hello", "reset"]
        heard = len(watcher.answers)
        eventually(lambda: len(watcher.answers) > heard + 5)
        eventually(lambda: served(server) >= sum(map(len, before.values())) - pages[len(pages) // 2].cells)
        assert server.get("/api/0/info").headers["warning"].startswith("199 dayline ")
        query = {"timeperiods": ["2026-01-01/2026-12-31"], "query": ["RETURN = query_bucket('afk');"]}
        queried = server.post("/api/0/query/", query)

    assert {answer.status for answer in watcher.answers} == {200}
    assert queried.status == 200
    assert len(queried.json[0]) > 300  # those of before, and new ones
    after = contents(path)
    for answer in watcher.answers:
        assert after["afk"].pop(answer.json["id"]) == answer.json
    assert_nothing_new(before, after)


def served(server: RunningServer) -> int:
    """How many events there are."""
    return sum(int(server.get(f"/api/0/buckets/{each}/events/count").json) for each in ("afk", "web", "window"))


def assert_nothing_new(before: dict[str, dict[int, Any]], after: dict[str, dict[int, Any]]) -> None:
    for bucket_id, events in after.items():
        assert {key: event for key, event in events.items() if before[bucket_id].get(key) != event} == {}
