"""A full disk: heartbeats wait for space, other writes fail with a reason, and nothing acknowledged is lost."""

import resource
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from dayline.storage.writing import holding
from tests.storage.sqlite.writing.pipelining import Pipeline
from tests.support.maintenance.documents import document
from tests.support.server import Answer, RunningServer
from tests.support.waiting import PATIENCE_S, eventually

BEATS: Final = "/api/0/buckets/window/heartbeat?pulsetime=5"
EVENTS: Final = "/api/0/buckets/window/events"
GIVE_UP: Final = "dayline.storage.writing.holding:GIVE_UP_S"
GIVE_UP_S: Final = 2
PIPELINES: Final = 5
BEATS_EACH: Final = 250  # few enough that one connection may have them all under way


def event(second: int, app: str = "editor", *, minute: int = 0) -> dict[str, Any]:
    return {"timestamp": f"2026-01-01T10:{minute:02}:{second:02}Z", "duration": 0, "data": {"app": app}}


def allow_files(server: RunningServer, size: int) -> None:
    """No file of the server's may grow beyond this. A write that would is refused by the system, as on a full disk."""
    resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def has_read_all(server: RunningServer) -> bool:
    """Whether the server has read everything that was sent to it."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    unread = [row[4].split(":")[1] for row in rows if int(row[1].split(":")[1], 16) == server.port]
    unsent = [row[4].split(":")[0] for row in rows if int(row[2].split(":")[1], 16) == server.port]
    return not any(int(size, 16) for size in [*unread, *unsent])


class Timed:
    """A response that someone waits for on a thread, and how long it took."""

    def __init__(self, pool: ThreadPoolExecutor, server: RunningServer, method: str, path: str, body: object) -> None:
        self._started = time.monotonic()
        self.took_s = 0.0
        self._future: Future[Answer] = pool.submit(server.call, method, path, body)
        self._future.add_done_callback(self._note)

    def _note(self, _: Future[Answer]) -> None:
        self.took_s = time.monotonic() - self._started

    @property
    def is_done(self) -> bool:
        return self._future.done()

    @property
    def answer(self) -> Answer:
        return self._future.result(timeout=PATIENCE_S)


class Story:
    """What happened while the disk was full, and after it."""

    def __init__(self, server: RunningServer) -> None:
        server.create("window")
        server.create("pipelined")
        assert server.post(EVENTS, [event(0, "inserted before")]).status == 200
        assert server.post(BEATS, event(1)).status == 200
        with ThreadPoolExecutor(max_workers=8) as pool:
            allow_files(server, 0)
            self.held = Timed(pool, server, "POST", BEATS, event(3))
            self.refused = [
                Timed(pool, server, "POST", EVENTS, [event(2, "inserted on a full disk")]),
                Timed(pool, server, "POST", "/api/0/settings/theme", "dark"),
                Timed(pool, server, "DELETE", "/api/0/buckets/pipelined", None),
                Timed(pool, server, "POST", "/api/0/buckets/new", {"client": "c", "type": "t", "hostname": "h"}),
            ]
            self.reads = [
                Timed(pool, server, "GET", path, None)
                for path in ("/api/0/info", "/api/0/buckets/", EVENTS, "/api/0/settings", "/api/0/export")
            ]
            for read in self.reads:
                assert read.answer.status
            self.were_read_on_a_full_disk = not self.held.is_done
            for write in self.refused:
                assert write.answer.status
            self.was_held_to_the_end = not self.held.is_done
            pipelines = [Pipeline(server.port) for _ in range(PIPELINES)]
            for number, pipeline in enumerate(pipelines):
                pipeline.send("pipelined", [event(0, f"{number}-{beat}") for beat in range(BEATS_EACH)])
            # It refuses what it cannot hold as soon as it has read it.
            eventually(lambda: has_read_all(server))
            server.get("/api/0/info")
            allow_files(server, resource.RLIM_INFINITY)
            self.held_answer = self.held.answer
            self.pipelined = [pipeline.answers(BEATS_EACH) for pipeline in pipelines]
            for pipeline in pipelines:
                pipeline.close()
        self.after = server.post(EVENTS, [event(4, "inserted after")])
        self.events: list[dict[str, Any]] = server.get(EVENTS).json
        self.pipelined_events: list[dict[str, Any]] = server.get("/api/0/buckets/pipelined/events").json
        eventually(lambda: "can be written again" in str(server.get("/api/0/log").json))
        self.log = [record["message"] for record in server.get("/api/0/log").json]
        self.settings = server.get("/api/0/settings").json
        self.buckets = server.get("/api/0/buckets/").json


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    server = RunningServer(tmp_path_factory.mktemp("full") / "days.db")
    server.constants = {GIVE_UP: GIVE_UP_S}
    with server:
        yield Story(server)


def test_a_heartbeat_is_held_for_as_long_as_the_disk_is_full(story: Story) -> None:
    assert story.was_held_to_the_end


def test_a_held_heartbeat_is_answered_when_there_is_space_again(story: Story) -> None:
    assert story.held_answer.status == 200
    assert story.held_answer.json["duration"] == 2.0
    assert story.held_answer.json in story.events


def test_other_writes_are_refused_after_ten_seconds(story: Story) -> None:
    assert holding.GIVE_UP_S == 10  # here less, so that no one waits for it
    assert [write.answer.status for write in story.refused] == [503, 503, 503, 503]
    assert all(write.took_s >= GIVE_UP_S for write in story.refused)


def test_a_rejected_write_has_a_reason_and_a_retry_time(story: Story) -> None:
    for write in story.refused:
        assert int(write.answer.headers["retry-after"]) > 0
        assert "cannot be written" in write.answer.message
        assert write.answer.json["type"] == "StoreBusy"


def test_a_refused_write_leaves_nothing_behind(story: Story) -> None:
    assert "inserted on a full disk" not in [item["data"]["app"] for item in story.events]
    assert story.settings == {}
    assert story.buckets.keys() == {"window", "pipelined"}


def test_reads_continue_while_the_disk_is_full(story: Story) -> None:
    assert [read.answer.status for read in story.reads] == [200] * 5
    assert story.were_read_on_a_full_disk


def test_what_was_acknowledged_before_is_still_there(story: Story) -> None:
    assert "inserted before" in [item["data"]["app"] for item in story.events]


def test_writes_are_taken_again_without_a_restart(story: Story) -> None:
    assert story.after.status == 200
    assert "inserted after" in [item["data"]["app"] for item in story.events]


def test_a_thousand_heartbeats_are_held_and_no_more(story: Story) -> None:
    statuses = [status for answers in story.pipelined for status, _ in answers]

    # One of the thousand is the lone heartbeat of before, and some may be what the audit log has to write.
    assert holding.HEARTBEATS_HELD - 10 <= statuses.count(200) < holding.HEARTBEATS_HELD
    assert statuses.count(503) == PIPELINES * BEATS_EACH - statuses.count(200)


def test_every_held_heartbeat_is_stored_and_no_refused_one(story: Story) -> None:
    reported = [body["data"]["app"] for answers in story.pipelined for status, body in answers if status == 200]

    assert sorted(reported) == sorted(item["data"]["app"] for item in story.pipelined_events)


def test_answers_on_one_connection_keep_the_order_of_its_heartbeats(story: Story) -> None:
    # One heartbeat of a connection is held, a later one refused at once: the refusal has to wait for its turn.
    for number, answers in enumerate(story.pipelined):
        for position, (status, body) in enumerate(answers):
            assert status == 503 or body["data"]["app"] == f"{number}-{position}"


def test_the_log_shows_when_it_began_and_when_it_was_over(story: Story) -> None:
    begins = [message for message in story.log if message.startswith("Cannot write to the database")]

    assert len(begins) == 1
    assert "The database can be written again" in story.log


def test_a_server_that_stops_answers_held_heartbeats_without_waiting(tmp_path: Path) -> None:
    server = RunningServer(tmp_path / "days.db")
    server.constants = {GIVE_UP: PATIENCE_S}  # it would have to wait for longer than this test does
    with server, ThreadPoolExecutor() as pool:
        server.create("window")
        assert server.post(BEATS, event(0)).status == 200
        allow_files(server, 0)
        held = Timed(pool, server, "POST", BEATS, event(1))
        eventually(lambda: "Cannot write" in str(server.get("/api/0/log").json))

        assert server.stop() == 0

        assert held.answer.status == 503
        assert "stopping" in held.answer.message


def test_a_full_disk_does_not_fill_the_log_with_tracebacks(tmp_path: Path) -> None:
    # The log lies on the same disk. Each record that could not be written used to print a traceback to the terminal;
    # the server of the test fails when it ends with one.
    with RunningServer(tmp_path / "days.db") as server, ThreadPoolExecutor() as pool:
        server.create("window")
        allow_files(server, 0)
        held = Timed(pool, server, "POST", BEATS, event(1))
        eventually(lambda: "Cannot write" in str(server.get("/api/0/log").json))
        allow_files(server, resource.RLIM_INFINITY)

        assert held.answer.status == 200


def test_an_import_without_disk_space_fails_and_changes_nothing(server: RunningServer) -> None:
    text = document("large", events=20_000)
    allow_files(server, 1 << 20)

    answer = server.call("POST", "/api/0/import", raw=text)

    allow_files(server, resource.RLIM_INFINITY)
    assert answer.status == 503
    assert "retry-after" in answer.headers
    assert server.get("/api/0/buckets/").json == {}
    assert list(server.database.parent.glob("*.d/scratch-*")) == []
    assert server.call("POST", "/api/0/import", raw=text).json["imported"] == 20_000


def test_an_import_that_runs_out_of_space_reports_its_progress_and_resumes_when_sent_again(
    tmp_path: Path,
) -> None:
    text = document("large", events=20_000, values=20_000)
    server = RunningServer(tmp_path / "days.db")
    server.constants = {GIVE_UP: GIVE_UP_S}
    with server:
        check_interrupted_import(server, text)


def check_interrupted_import(server: RunningServer, text: bytes) -> None:
    allow_files(server, len(text) + 1)  # enough to take it in and to stage it, not enough for the database's log

    answer = server.call("POST", "/api/0/import", raw=text)

    assert answer.status == 503
    assert "events of the import are stored" in answer.message
    allow_files(server, resource.RLIM_INFINITY)
    assert server.call("POST", "/api/0/import", raw=text).status == 200
    assert server.get("/api/0/buckets/large/events/count").json == 20_000


def test_an_import_without_space_for_its_rows_fails_and_changes_nothing(server: RunningServer) -> None:
    content = msgspec.json.decode(document("large", events=20_000, values=20_000))
    events = content["buckets"]["large"]["events"]
    events[0], events[-1] = events[-1], events[0]  # out of order, so that they have to be sorted
    text = msgspec.json.encode(content)
    allow_files(server, len(text) + 1)  # enough to take the document in, not enough to sort it

    answer = server.call("POST", "/api/0/import", raw=text)

    assert answer.status == 503
    assert "before it changed anything" in answer.message
