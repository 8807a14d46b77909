"""A server whose file turns out to be damaged restarts in place, and continues in a recovery file."""

import http.client
import shutil
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import pytest

from dayline.config.data_folder import DataFile, data_file
from dayline.storage.sqlite.repair.mark import mark_path, recovery_path
from tests.support.calls.listening import OpenStream
from tests.support.server import Answer, RunningServer
from tests.support.storage.damaging import PAGE, contents, fill_well, pages_of, spoil
from tests.support.waiting import PATIENCE_S, eventually

Events = dict[str, dict[int, Any]]


class Watcher:
    """Sends heartbeats one after the other, each a new event, for the length of a block or until the server dies."""

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
        with suppress(OSError, http.client.HTTPException):
            self._send()

    def _send(self) -> None:
        number = 0
        while not self._is_stopped.wait(0.005):
            minute, second = divmod(number, 60)
            beat = {"timestamp": f"2026-06-01T10:{minute:02}:{second:02}Z", "data": {"app": f"beat {number}"}}
            self.answers.append(self._server.post(self._path, beat))
            number += 1


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("filled") / "days.db"
    fill_well(path)
    return path


@pytest.fixture(scope="module")
def before(filled: Path) -> Events:
    """The events by bucket and id."""
    return contents(filled)


@pytest.fixture
def path(filled: Path, tmp_path: Path) -> Path:
    """A copy of the database, to be damaged."""
    shutil.copyfile(filled, tmp_path / "days.db")
    return tmp_path / "days.db"


CHECK_SOON: Final = {"dayline.maintenance.file_watch:FileWatch.initial_delay_s": 0.7}


@pytest.mark.parametrize("tree", ["event", "bucket_id"])
def test_damage_while_it_runs_costs_no_heartbeat(path: Path, before: Events, tree: str) -> None:
    pages = pages_of(path, tree)
    server = RunningServer(path)
    server.constants = CHECK_SOON

    with server, Watcher(server, "afk") as watcher:
        pid = server.pid
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
        assert is_restarted(pid)

    assert restarts(path) == 1
    assert {answer.status for answer in watcher.answers} == {200}
    assert queried.status == 200
    assert len(queried.json[0]) > 300  # those of before, and new ones
    after = contents(path)
    for answer in watcher.answers:
        assert after["afk"].pop(answer.json["id"]) == answer.json
    assert_nothing_new(before, after)


def is_restarted(pid: int) -> bool:
    """Whether the process runs the command that a server executes to restart."""
    return b"\0-m\0dayline\0serve\0" in Path(f"/proc/{pid}/cmdline").read_bytes()


def restarts(path: Path) -> int:
    """How often a server has restarted itself."""
    return data_file(path, DataFile.LOG).read_text().count('"message":"Restarting"')


def is_marked(path: Path, pid: int) -> bool:
    return mark_path(path).exists()


def has_recovery(path: Path, pid: int) -> bool:
    return recovery_path(path).exists()


def starts_again(path: Path, pid: int) -> bool:
    return is_restarted(pid)


@pytest.mark.parametrize(
    "has_come",
    [
        pytest.param(is_marked, id="when the damage is found"),
        pytest.param(has_recovery, id="when the recovery file is there"),
        pytest.param(starts_again, id="when it starts again"),
    ],
)
def test_a_kill_during_the_restart_loses_nothing_that_was_acknowledged(
    path: Path, before: Events, has_come: Callable[[Path, int], bool]
) -> None:
    pages = pages_of(path, "event")
    server = RunningServer(path)
    server.constants = CHECK_SOON
    server.start()
    pid = server.pid

    with Watcher(server, "afk") as watcher:
        eventually(lambda: len(watcher.answers) > 5)
        spoil(path, pages[len(pages) // 2].number)
        deadline = time.monotonic() + PATIENCE_S
        while not has_come(path, pid):
            assert time.monotonic() < deadline
            time.sleep(0.0005)  # each of these moments is short
        server.kill()
    with server:
        eventually(lambda: served(server) >= sum(map(len, before.values())) - pages[len(pages) // 2].cells)

    assert {answer.status for answer in watcher.answers} == {200}
    after = contents(path)
    for answer in watcher.answers:
        assert after["afk"].pop(answer.json["id"]) == answer.json
    for event in [event for key, event in after["afk"].items() if key not in before["afk"]]:
        assert event["data"]["app"] == f"beat {len(watcher.answers)}"  # stored, and killed before the response
        del after["afk"][event["id"]]
    assert_nothing_new(before, after)


def test_a_restart_that_did_not_help_is_not_repeated(path: Path, before: Events) -> None:
    pages = pages_of(path, "event")
    spoil(path, pages[len(pages) // 2].number)  # which only a check finds
    server = RunningServer(path)
    server.constants = {"dayline.maintenance.file_watch:FileWatch.initial_delay_s": 0.0}

    def problems() -> list[Any]:
        return [each for each in server.get("/api/1/health").json["problems"] if each["kind"] == "check"]

    try:
        server.start(DAYLINE_RESTARTED='{"host":"localhost","port":0,"sockets":[]}')
        pid = server.pid
        eventually(lambda: bool(problems()))
        [problem] = problems()
        beat = {"timestamp": "2026-06-01T10:00:00Z", "data": {"app": "still recorded"}}
        answer = server.post("/api/0/buckets/afk/heartbeat?pulsetime=0", beat)
        assert not is_restarted(pid)
    finally:
        server.stop()

    assert "days.db is damaged, and a restart did not switch to the recovery file" in problem["message"]
    assert restarts(path) == 0
    with server:  # started again, it uses the recovery file
        eventually(lambda: served(server) > sum(map(len, before.values())) - pages[len(pages) // 2].cells)
    assert contents(path)["afk"][answer.json["id"]] == answer.json


def test_damage_to_the_recovery_file_too_is_reported_without_a_restart(path: Path, before: Events) -> None:
    spoil(path, 1)
    server = RunningServer(path)
    with server:
        eventually(lambda: served(server) == sum(map(len, before.values())))

    def change() -> None:
        with suppress(OSError, http.client.HTTPException):
            server.post("/api/0/settings/theme", "light")

    def problems() -> list[str]:
        return [each["message"] for each in server.get("/api/1/health").json["problems"] if each["kind"] == "damage"]

    with server:
        pid, recovery = server.pid, recovery_path(path)
        assert len(problems()) == 1
        spoil(recovery, *range(1, recovery.stat().st_size // PAGE + 1))
        changing = threading.Thread(target=change)
        changing.start()
        eventually(lambda: any("days.db-recovery is damaged; 0 heartbeats are queued" in each for each in problems()))
        assert not is_restarted(pid)
    changing.join()

    assert restarts(path) == 0


def served(server: RunningServer) -> int:
    """How many events there are."""
    return sum(int(server.get(f"/api/0/buckets/{each}/events/count").json) for each in ("afk", "web", "window"))


def assert_nothing_new(before: Events, after: Events) -> None:
    for bucket_id, events in after.items():
        assert {key: event for key, event in events.items() if before[bucket_id].get(key) != event} == {}
