"""A disk that becomes full under load, and has space again: nothing acknowledged is lost, nothing is half there."""

import re
import threading
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from dayline.runtime.sqlite_file import connect
from tests.storage.faults.impatient_server import CALM_S, ImpatientServer, logged, problems, until_reported, until_well
from tests.support.maintenance.documents import document
from tests.support.server import Answer, RunningServer
from tests.support.storage.disks import small_disk
from tests.support.storage.encrypting import encrypting, write_key
from tests.support.waiting import eventually

pytestmark = pytest.mark.root  # mounts a file system

WATCHERS: Final = 4
INSERTED_AT_ONCE: Final = 5
IMPORTED: Final = 100
OTHERS: Final = ("insert", "import", "redact")


def moment(number: int) -> str:
    return f"2026-01-01T{number // 3600:02}:{number // 60 % 60:02}:{number % 60:02}Z"


def event(number: int, **data: Any) -> dict[str, Any]:
    return {"timestamp": moment(number), "duration": 0, "data": data}


class Load:
    """Watchers and others at work, each sending the next thing when the last one is answered."""

    def __init__(self, server: RunningServer) -> None:
        self.server = server
        self.answered: dict[str, list[tuple[int, Answer]]] = {}
        self._is_over = threading.Event()

    def run(self, name: str, send: Callable[[int], Answer], pause_s: float) -> None:
        answers = self.answered[name] = []
        number = 0
        while not self._is_over.is_set():
            answers.append((number, send(number)))
            number += 1
            self._is_over.wait(pause_s)

    def end(self) -> None:
        self._is_over.set()

    def beat(self, watcher: str, number: int) -> Answer:
        # A new event with every third beat.
        path = f"/api/0/buckets/{watcher}/heartbeat?pulsetime=5"
        return self.server.post(path, event(number, app=f"{watcher} {number // 3}"))

    def insert(self, number: int) -> Answer:
        events = [event(number * 10 + part, batch=number) for part in range(INSERTED_AT_ONCE)]
        return self.server.post("/api/0/buckets/inserted/events", events)

    def import_(self, number: int) -> Answer:
        text = document(f"imported-{number}", events=IMPORTED, values=IMPORTED)
        return self.server.call("POST", "/api/0/import", raw=text)

    def redact(self, number: int) -> Answer:
        rule = {"buckets": ["inserted"], "field": "secret", "pattern": "s", "action": "redact"}
        return self.server.post("/api/1/privacy/apply", {"rules": [rule]})

    def statuses(self, name: str) -> set[int]:
        return {answer.status for _, answer in self.answered[name]}

    def good(self, name: str) -> list[tuple[int, Answer]]:
        return [(number, answer) for number, answer in self.answered[name] if answer.status == 200]

    def refused(self) -> list[Answer]:
        return [answer for answers in self.answered.values() for _, answer in answers if answer.status == 503]


class Story:
    """What happened on a disk that was full for a while."""

    def __init__(self, folder: Path, *flags: str) -> None:
        with small_disk(folder / "disk", mib=24) as disk:
            server = ImpatientServer(disk.path / "days.db", *flags, constants={CALM_S: 2.0})
            with server:
                self._play(server, disk.fill, disk.empty)
            db = connect(disk.path / "days.db")
            self.integrity = db.pragma("integrity_check")
            db.close()
            self.left_over = [file.name for file in disk.path.glob("*.d/scratch-*")]

    def _play(self, server: RunningServer, fill: Callable[[], None], empty: Callable[[], None]) -> None:
        self.pid = server.pid
        self.load = load = Load(server)
        self.watchers = [f"watcher-{number}" for number in range(WATCHERS)]
        for bucket in (*self.watchers, "inserted"):
            server.create(bucket)
        with self._at_work(load):
            eventually(lambda: all(load.answered.get(name) for name in OTHERS))
            fill()
            self.problem = until_reported(server, "the disk is full")
            eventually(lambda: all(503 in load.statuses(name) for name in OTHERS))  # each kind has met it
            before = {name: len(load.answered[name]) for name in self.watchers}
            empty()
            until_well(server)
            eventually(lambda: all(len(load.answered[name]) > count + 5 for name, count in before.items()))
            eventually(lambda: all(load.answered[name][-1][1].status == 200 for name in OTHERS))
        self.problems_after = problems(server)
        self.begins = logged(server, "Cannot write to the database")
        self.ends = logged(server, "can be written again")
        self.log = [record["message"] for record in server.get("/api/0/log").json]
        self.pid_after = server.pid
        exported = server.get("/api/0/export").json["buckets"]
        self.events: dict[str, list[dict[str, Any]]] = {name: bucket["events"] for name, bucket in exported.items()}

    @contextmanager
    def _at_work(self, load: Load) -> Generator[None]:
        sending: dict[str, Callable[[int], Answer]] = {
            **{name: partial(load.beat, name) for name in self.watchers},
            **dict(zip(OTHERS, (load.insert, load.import_, load.redact), strict=True)),
        }
        with ThreadPoolExecutor(max_workers=len(sending)) as pool:
            for name, send in sending.items():
                pool.submit(load.run, name, send, 0.1 if name in OTHERS else 0.03)
            try:
                yield
            finally:
                load.end()


@pytest.fixture(scope="module", params=["plain", "encrypted"])
def story(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Story:
    folder = tmp_path_factory.mktemp("full")
    if request.param == "plain":
        return Story(folder)
    with encrypting():
        return Story(folder, "--encrypt", "--encryption-key-file", str(write_key(folder / "key")))


def test_every_heartbeat_was_held_and_none_rejected(story: Story) -> None:
    assert {status for watcher in story.watchers for status in story.load.statuses(watcher)} == {200}


def test_every_acknowledged_heartbeat_is_stored(story: Story) -> None:
    for watcher in story.watchers:
        sent = max(number for number, _ in story.load.good(watcher))
        stored = {item["data"]["app"]: item for item in story.events[watcher]}
        assert stored.keys() == {f"{watcher} {number}" for number in range(sent // 3 + 1)}
        assert len(stored) == len(story.events[watcher])
        assert all(item["duration"] == 2.0 for item in list(stored.values())[1:])


def test_every_acknowledged_insert_is_stored_once_and_whole_and_no_rejected_one(story: Story) -> None:
    stored = [item["data"]["batch"] for item in story.events["inserted"]]

    expected = sorted(number for number, _ in story.load.good("insert") for _ in range(INSERTED_AT_ONCE))
    assert sorted(stored) == expected


def test_every_acknowledged_import_is_stored_whole(story: Story) -> None:
    good = story.load.good("import")

    assert good
    assert all(len(story.events[f"imported-{number}"]) == IMPORTED for number, _ in good)


def test_a_rejection_names_the_full_disk_its_free_space_and_its_path(story: Story) -> None:
    refused = story.load.refused()

    assert len(refused) >= 3
    for answer in refused:
        # How much is free is looked up when it is reported: there may be space again by then.
        assert re.search(r"the disk is full: [\d.]+ \w+ of 24\.0 MiB free in ", answer.message)
        assert int(answer.headers["retry-after"]) > 0
        assert msgspec.json.decode(answer.body)["hint"]


def test_health_reports_the_disk_and_no_longer_when_it_is_over(story: Story) -> None:
    assert story.problem["kind"] == "disk"
    assert re.search(r"\d (heartbeat is|heartbeats are) queued", story.problem["message"])
    assert "free some disk space" in story.problem["hint"]
    assert story.problems_after == []


def test_the_log_has_one_line_for_the_fault_and_one_for_its_end(story: Story) -> None:
    assert (len(story.begins), len(story.ends)) == (1, 1), story.log


def test_it_continues_without_a_restart(story: Story) -> None:
    assert story.pid == story.pid_after


def test_the_file_is_whole_and_nothing_is_left_beside_it(story: Story) -> None:
    assert (story.integrity, story.left_over) == ("ok", [])
