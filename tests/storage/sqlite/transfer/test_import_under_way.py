"""A large import: recording continues, memory stays flat, and nothing is left lying about."""

import asyncio
import http.client
import threading
import time
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from dayline.config.data_folder import DataFile, data_file
from tests.support.calls.load import Watcher
from tests.support.maintenance.documents import document, write_document
from tests.support.server import RunningServer
from tests.support.storage.opened import beat, bucket, opened, sent
from tests.support.waiting import PATIENCE_S

EVENTS: Final = 20_000
PADDING: Final = 3_000  # of a title: some 60 MB, and far fewer rows than other files of that size have
MIB: Final = 1 << 20


class Story:
    """A large file is imported while a watcher keeps sending heartbeats and someone looks at the memory."""

    def __init__(self, server: RunningServer, file: Path) -> None:
        write_document(file, "large", events=EVENTS, values=500, padding=PADDING)
        self.size = file.stat().st_size
        server.create("window")
        self.memory_at_rest = memory_of(server.pid)
        watcher, observer = Watcher(server.port), Observer(server.pid)
        watcher.start()
        observer.start()
        self.report = import_file(server, file)
        for thread in (watcher, observer):
            thread.is_stopping = True
            thread.join()
        self.watcher, self.observer = watcher, observer
        self.count: int = server.get("/api/0/buckets/large/events/count").json
        self.beats: list[dict[str, Any]] = server.get("/api/0/buckets/window/events").json
        self.left_over = [path.name for path in server.database.parent.glob("*.d/scratch-*")]


class Observer(threading.Thread):
    """Notes the most memory that the server and its children had at one moment."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self._pid = pid
        self.is_stopping = False
        self.most = 0

    def run(self) -> None:
        while not self.is_stopping:
            self.most = max(self.most, memory_of(self._pid))
            time.sleep(0.02)


def memory_of(pid: int) -> int:
    """Resident bytes of a process and its children."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:  # it has just ended
        return 0
    resident = next((int(line.split()[1]) << 10 for line in status.splitlines() if line.startswith("VmRSS")), 0)
    return resident + sum(memory_of(int(child)) for child in children)


def import_file(server: RunningServer, file: Path) -> Any:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_S)
    with file.open("rb") as body:
        connection.request("POST", "/api/0/import", body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        answer = msgspec.json.decode(response.read())
    connection.close()
    assert response.status == 200, answer
    return answer


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Story:
    folder = tmp_path_factory.mktemp("import")
    with RunningServer(folder / "days.db") as server:
        return Story(server, folder / "large.json")


def test_every_event_of_a_large_file_arrives(story: Story) -> None:
    assert story.size > 50 * MIB
    assert story.report == {"buckets": 1, "imported": EVENTS, "skipped": 0, "invalid": 0}
    assert story.count == EVENTS


def test_heartbeats_are_answered_and_stored_during_an_import(story: Story) -> None:
    assert story.watcher.statuses == {200}
    assert len(story.beats) == story.watcher.sent > 0


def test_a_heartbeat_waits_for_one_slice_of_an_import_at_most(tmp_path: Path) -> None:
    write_document(tmp_path / "large.json", "large", events=EVENTS // 4)
    slices, waited = 0, list[int]()

    async def import_and_beat() -> None:
        async with opened(tmp_path / "days.db") as store:
            await store.create_bucket(bucket("window"))
            beats = list[asyncio.Future[Any]]()

            def on_progress(_done: int, _total: int, _imported: int) -> None:
                nonlocal slices
                slices += 1
                sent_at = slices
                beats.append(sent(store, "window", beat(10 * slices), pulsetime=0))
                beats[-1].add_done_callback(lambda _: waited.append(slices - sent_at))

            await store.import_files([tmp_path / "large.json"], on_progress=on_progress)
            await asyncio.gather(*beats)

    asyncio.run(import_and_beat())

    assert slices > 3
    assert len(waited) == slices
    assert max(waited) <= 1


def test_an_import_takes_little_memory_however_large_the_file(story: Story) -> None:
    assert story.observer.most < 250 * MIB


def test_an_import_leaves_no_files_behind(story: Story) -> None:
    assert story.left_over == []


def test_a_refused_import_leaves_no_files_behind(server: RunningServer) -> None:
    text = document("window", events=1000)[:-3]

    assert server.call("POST", "/api/0/import", raw=text).status == 400

    assert list(server.database.parent.glob("*.d/scratch-*")) == []
    assert server.get("/api/0/buckets/").json == {}


@pytest.mark.parametrize("name", ["days.db", "[n]ights.db"])
def test_what_an_interrupted_import_left_is_removed_at_the_next_start(tmp_path: Path, name: str) -> None:
    leftover = data_file(tmp_path / name, DataFile.SCRATCH, "x1y2z3")
    leftover.mkdir(parents=True)
    (leftover / "staged.db").write_bytes(b"x" * 1000)
    other = data_file(tmp_path / "nights.db", DataFile.SCRATCH, "x1y2z3")  # of another server in the same folder
    other.mkdir(parents=True)

    with RunningServer(tmp_path / name):
        assert not leftover.exists()
        assert other.exists()


def test_two_imports_at_once_are_both_done(server: RunningServer) -> None:
    bodies = [document(name, events=5000) for name in ("first", "second")]
    statuses: list[int] = []

    def send(body: bytes) -> None:
        statuses.append(server.call("POST", "/api/0/import", raw=body).status)

    threads = [threading.Thread(target=send, args=(body,)) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert statuses == [200, 200]
    assert [server.get(f"/api/0/buckets/{name}/events/count").json for name in ("first", "second")] == [5000, 5000]
