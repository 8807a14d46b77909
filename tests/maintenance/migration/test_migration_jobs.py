"""A migration that a running server makes: found, copied while recording continues, proven, and taken back."""

import os
import signal
from collections.abc import Generator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.maintenance.jobs.ended_jobs import ended
from tests.support.maintenance.migrating import FEW, PYTHON, WINDOW, WINDOW_FEW, changed, contents, installed
from tests.support.server import Answer, RunningServer
from tests.support.storage.disks import ServerOnDisk
from tests.support.waiting import eventually

MIGRATIONS: Final = "/api/1/migrations"
SLOW_S: Final = 0.3  # a flush: a migration is under way for longer than it takes to stop it


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of someone who has used the Rust server."""
    folder = tmp_path_factory.mktemp("home")
    installed(folder)
    return folder


@pytest.fixture(scope="module")
def running(home: Path) -> Generator[ServerOnDisk]:
    with ServerOnDisk(home) as server:
        yield server


@pytest.fixture
def server(running: ServerOnDisk) -> ServerOnDisk:
    """One server for all, without what the test before has left."""
    running.disk.quick()
    for bucket_id in running.get("/api/0/buckets/").json:
        assert running.call("DELETE", f"/api/0/buckets/{bucket_id}").status == 200
    for key in running.get("/api/0/settings/").json:
        assert running.call("DELETE", f"/api/0/settings/{key}").status == 200
    return running


@pytest.fixture
def theirs(home: Path) -> Path:
    """Their database."""
    return installed(home)


def welcome(server: RunningServer) -> dict[str, Any]:
    answer = server.get("/api/1/welcome")
    assert answer.status == 200, answer.body
    found: dict[str, Any] = answer.json
    return found


def started(server: RunningServer, path: Path | str) -> dict[str, Any]:
    answer = server.post(MIGRATIONS, {"path": str(path)})
    assert answer.status == 202, answer.body
    job: dict[str, Any] = answer.json
    return job


def migrating_processes(server: RunningServer) -> list[int]:
    """Those of the server that migrate."""
    children = Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split()
    return [int(pid) for pid in children if b"migration.process" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def test_an_empty_server_shows_what_it_has_found(server: RunningServer, theirs: Path) -> None:
    before = contents(theirs.parent)

    reported = welcome(server)

    assert reported["is_empty"]
    assert reported["address"] == f"http://127.0.0.1:{server.port}"
    [found] = reported["found"]
    assert (found["path"], found["kind"]) == (str(theirs), "aw-server-rust")
    assert (found["buckets"], found["events"], found["problem"]) == (3, FEW, None)
    assert (found["first"], found["last"]) == ("2025-01-01T08:41:10.506Z", "2025-01-02T19:41:42.939Z")
    assert found["bytes"] == sum(len(content) for content in before.values())
    assert not found["already_migrated"]
    assert contents(theirs.parent) == before


def test_a_migration_is_proven_while_recording_continues(server: RunningServer, theirs: Path) -> None:
    beat = {"timestamp": "2026-01-01T10:00:00Z", "duration": 1, "data": {"app": "Editor", "title": "now"}}
    server.create(WINDOW, type="currentwindow")
    job = started(server, theirs)
    assert server.post(MIGRATIONS, {"path": str(theirs)}).status == 409  # one at a time

    def is_over() -> bool:
        assert server.post(f"/api/0/buckets/{WINDOW}/heartbeat?pulsetime=5", beat).status == 200
        return bool(server.get(f"/api/1/jobs/{job['id']}").json["state"] != "running")

    eventually(is_over)
    done = ended(server, job)
    assert (done["kind"], done["state"], done["error"]) == ("migration", "done", None)
    assert done["progress"] == {"done": FEW, "total": FEW}
    assert (done["result"]["buckets"], done["result"]["imported"]) == (3, FEW)
    proof = done["result"]["proof"]
    assert proof["is_proven"]
    assert proof["settings"]["copied"] == ["classes", "startOfDay"]
    window = next(bucket for bucket in proof["buckets"] if bucket["bucket"] == WINDOW)
    assert window["theirs"] == window["ours"]
    assert (window["theirs"]["events"], window["theirs"]["seconds"]) == (WINDOW_FEW, 2804.684)
    assert (window["theirs"]["checksum"][:12], window["others"]) == ("f93951c61f5d", 1)
    reported = welcome(server)
    assert not reported["is_empty"]
    assert reported["found"][0]["already_migrated"]
    assert list(server.database.parent.glob("*.d/scratch-*")) == []


def test_what_is_there_already_is_skipped_the_second_time(server: RunningServer, theirs: Path) -> None:
    longer = "UPDATE events SET endtime = endtime + ? WHERE id = (SELECT max(id) FROM events)"
    ended(server, started(server, theirs))
    changed(theirs, longer, 1_000_000)

    again = ended(server, started(server, theirs))["result"]
    changed(theirs, longer, -1_000_000)

    assert again["proof"]["is_proven"]
    assert (again["imported"], sum(bucket["extended"] for bucket in again["proof"]["buckets"])) == (0, 1)


def test_no_other_path_is_examined(server: RunningServer, theirs: Path) -> None:
    for path in ("/etc/passwd", "/nowhere/at/all", "", str(theirs.parent), str(theirs.with_name("sqlite.db-wal"))):
        refused: Answer = server.post(MIGRATIONS, {"path": path})

        assert (refused.status, refused.json["field"]) == (422, "path")
        assert refused.message == "the path is not a database listed by GET /api/1/welcome"


def test_a_cancelled_migration_is_taken_back_and_what_was_recorded_stays(server: ServerOnDisk, theirs: Path) -> None:
    server.create(WINDOW, type="currentwindow")
    beat = {"timestamp": "2026-01-01T10:00:00Z", "duration": 1, "data": {"app": "Editor"}}
    assert server.post(f"/api/0/buckets/{WINDOW}/events", beat).status == 200
    server.disk.slow(SLOW_S)
    job = started(server, theirs)
    eventually(lambda: len(server.get("/api/0/buckets/").json) > 1)

    cancelled = server.call("DELETE", f"/api/1/jobs/{job['id']}").json
    server.disk.quick()

    assert cancelled["state"] == "cancelled"
    assert "to the trash" in cancelled["error"]["message"]
    assert list(server.get("/api/0/buckets/").json) == [WINDOW]
    assert server.get("/api/0/settings/").json == {}
    assert any(item["bucket"].startswith("aw-watcher-web") for item in server.get("/api/1/trash").json)
    assert list(server.database.parent.glob("*.d/scratch-*")) == []


def test_a_process_that_dies_fails_its_job(server: ServerOnDisk, theirs: Path) -> None:
    server.disk.slow(SLOW_S)
    job = started(server, theirs)
    eventually(lambda: migrating_processes(server) != [])

    for pid in migrating_processes(server):
        os.kill(pid, signal.SIGKILL)

    failed = ended(server, job)
    assert failed["state"] == "failed"
    assert "process ended" in failed["error"]["message"]


def test_a_server_that_stops_leaves_what_is_stored_and_continues_later(server: ServerOnDisk, theirs: Path) -> None:
    server.disk.slow(SLOW_S)
    started(server, theirs)
    eventually(lambda: server.get("/api/0/buckets/").json != {})

    assert server.stop() == 0

    server.disk.quick()
    server.start()
    assert server.get("/api/0/buckets/").json != {}
    done = ended(server, started(server, theirs))
    assert done["result"]["proof"]["is_proven"]


def test_the_database_of_the_python_server_is_proven_beside_a_file_that_is_none(tmp_path: Path) -> None:
    installed(tmp_path, PYTHON)
    broken = installed(tmp_path)
    broken.write_bytes(b"SQLite format 3\0" + b"nothing of the kind" * 100)
    with RunningServer(tmp_path / "days.db") as server:
        found, none = welcome(server)["found"]
        assert (found["kind"], found["buckets"], found["events"]) == ("aw-server", 3, FEW)
        assert (found["first"], found["last"]) == ("2025-01-01T08:40:00.341Z", "2025-01-02T19:38:24.384Z")
        assert none["problem"]
        assert (none["buckets"], none["events"], none["already_migrated"]) == (0, 0, False)

        done, failed = (ended(server, started(server, one["path"])) for one in (found, none))

        assert done["result"]["proof"]["is_proven"]
        assert done["result"]["imported"] == FEW
        assert (failed["state"], str(broken) in failed["error"]["message"]) == ("failed", True)
        reported = welcome(server)
        assert [one["already_migrated"] for one in reported["found"]] == [True, False]
        assert {one["client"]: one["seen"] for one in reported["watchers"]} == {
            "aw-watcher-window": True,
            "aw-watcher-afk": True,
            "aw-watcher-web": True,
            "aw-watcher-vscode": False,
            "aw-watcher-android": False,
        }
