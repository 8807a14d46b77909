"""Imports as jobs: what one would do, how far it is, what became of it; and it continues when no one looks."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from tests.maintenance.jobs.ended_jobs import ended
from tests.support.maintenance.documents import document
from tests.support.server import Answer, RunningServer
from tests.support.storage.disks import ServerOnDisk, small_disk
from tests.support.waiting import eventually

IMPORTS: Final = "/api/1/imports"
LARGE: Final = 6_000  # six slices
SLOW_S: Final = 0.3  # a flush: an import is under way for longer than it takes to look at it, or to cancel it
HEAD: Final = {"type": "test.type", "client": "test-client", "hostname": "test-host"}


def event(second: int, app: str = "editor") -> dict[str, Any]:
    return {"timestamp": f"2026-01-01T10:00:{second:02}Z", "duration": 1, "data": {"app": app}}


def exported(bucket_id: str, *events: object, **fields: object) -> dict[str, Any]:
    return {"buckets": {bucket_id: {"id": bucket_id, **HEAD, **fields, "events": list(events)}}}


def started(server: RunningServer, text: bytes) -> dict[str, Any]:
    answer = server.call("POST", IMPORTS, raw=text)
    assert answer.status == 202, answer.body
    job: dict[str, Any] = answer.json
    return job


def surveyed(server: RunningServer, body: object) -> dict[str, Any]:
    """What an import of one bucket would do to it."""
    answer = server.post(f"{IMPORTS}?dry_run=1", body)
    assert answer.status == 200, answer.body
    [bucket] = answer.json["buckets"]
    found: dict[str, Any] = bucket
    return found


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerOnDisk]:
    with ServerOnDisk(tmp_path_factory.mktemp("server")) as server:
        yield server


@pytest.fixture
def server(running: ServerOnDisk) -> ServerOnDisk:
    """One server for all, without the buckets and rules of the test before; its jobs stay."""
    running.disk.quick()
    for bucket_id in running.get("/api/0/buckets/").json:
        assert running.call("DELETE", f"/api/0/buckets/{bucket_id}").status == 200
    assert running.call("PUT", "/api/1/privacy/rules", []).status == 200
    return running


def jobs(server: RunningServer) -> list[str]:
    """The ids of those that are known."""
    return [job["id"] for job in server.get("/api/1/jobs").json["jobs"]]


@pytest.fixture(scope="module")
def large() -> bytes:
    return document("large", events=LARGE, values=LARGE // 3)


def test_an_import_is_answered_at_once_and_done_as_a_job(server: RunningServer) -> None:
    job = started(server, msgspec.json.encode(exported("window", event(0), event(1), event(1), {"no": "event"})))

    assert (job["kind"], job["finished"], job["result"], job["error"]) == ("import", None, None, None)
    done = ended(server, job)
    assert done["state"] == "done"
    assert done["result"] == {"buckets": 1, "imported": 2, "skipped": 1, "invalid": 1}
    assert done["progress"] == {"done": 2, "total": 2}
    assert done["started"] <= done["finished"]
    assert len(server.get("/api/0/buckets/window/events").json) == 2


def test_it_shows_how_far_it_is_while_recording_continues(server: ServerOnDisk, large: bytes) -> None:
    server.create("window")
    server.disk.slow(SLOW_S)
    job = started(server, large)
    seen: list[int] = []

    def is_done() -> bool:
        found = server.get(f"/api/1/jobs/{job['id']}").json
        seen.append(found["progress"]["done"])
        assert server.post("/api/0/buckets/window/heartbeat?pulsetime=5", event(0)).status == 200
        return bool(found["state"] == "done")

    eventually(is_done)
    assert seen == sorted(seen)
    assert any(0 < count < LARGE for count in seen)
    assert seen[-1] == LARGE


def test_a_cancelled_job_reports_what_was_imported(server: ServerOnDisk, large: bytes) -> None:
    server.disk.slow(SLOW_S)
    job = started(server, large)
    eventually(lambda: server.get(f"/api/1/jobs/{job['id']}").json["progress"]["done"] > 0)

    cancelled = server.call("DELETE", f"/api/1/jobs/{job['id']}").json
    server.disk.quick()

    assert cancelled["state"] == "cancelled"
    stored = server.get("/api/0/buckets/large/events/count").json
    assert 0 < stored < LARGE
    # The slice that was under way may have been committed too.
    reported = int(cancelled["error"]["message"].removeprefix("canceled: ").split()[0].replace(",", ""))
    assert 0 <= stored - reported <= 1000
    assert "send the document again" in cancelled["error"]["hint"]
    assert ended(server, started(server, large))["result"]["imported"] == LARGE - stored
    assert list(server.database.parent.glob("*.d/scratch-*")) == []


def test_cancelling_what_is_over_changes_nothing(server: RunningServer) -> None:
    done = ended(server, started(server, msgspec.json.encode(exported("window", event(0)))))

    assert server.call("DELETE", f"/api/1/jobs/{done['id']}").json == done


def test_a_document_that_cannot_be_used_fails_its_job_with_the_words_of_an_import(server: RunningServer) -> None:
    text = b'{"buckets": {"window": {"type": 1}}}'

    failed = ended(server, started(server, text))

    refused = server.call("POST", "/api/0/import", raw=text)
    assert failed["state"] == "failed"
    assert (failed["error"]["message"], failed["error"]["type"]) == (refused.message, refused.json["type"])
    assert server.get("/api/0/buckets/").json == {}


@pytest.mark.parametrize("wait_s", ["31", "0000000001000000", "1" * 5000, "-1", "1.5", "x"])
def test_a_job_is_waited_for_at_most_30_seconds(server: RunningServer, wait_s: str) -> None:
    job = ended(server, started(server, msgspec.json.encode(exported("window", event(0)))))

    answer = server.get(f"/api/1/jobs/{job['id']}?wait_s={wait_s}")

    assert (answer.status, answer.json["field"]) == (400, "wait_s")


def test_jobs_are_listed_the_newest_first(server: RunningServer) -> None:
    mine = [started(server, msgspec.json.encode(exported(name, event(0))))["id"] for name in ("one", "two", "three")]

    assert jobs(server)[:3] == mine[::-1]
    assert len(set(mine)) == 3


def test_an_unknown_job_is_reported(server: RunningServer) -> None:
    for method in ("GET", "DELETE"):
        answer: Answer = server.call(method, "/api/1/jobs/unknown")
        assert (answer.status, "after a restart" in answer.json["hint"]) == (404, True)


def test_a_server_that_stops_leaves_whole_slices(server: ServerOnDisk, large: bytes) -> None:
    server.disk.slow(SLOW_S)
    job = started(server, large)
    eventually(lambda: server.get(f"/api/1/jobs/{job['id']}").json["progress"]["done"] > 0)

    assert server.stop() == 0

    server.disk.quick()
    server.start()
    stored = server.get("/api/0/buckets/large/events/count").json
    assert 0 < stored < LARGE
    assert ended(server, started(server, large))["result"]["imported"] == LARGE - stored


def test_a_dry_run_shows_what_is_new_and_changes_nothing(server: RunningServer) -> None:
    body = exported("window", event(0), event(1), event(1), {"no": "event"}, {**event(2), "timestamp": "1800-01-01"})
    before = jobs(server)

    found = surveyed(server, body)

    assert found == {
        "id": "window", "is_new": True, "new": 2, "known": 1, "invalid": 2, "dropped": 0, "conflicts": [],
    }  # fmt: skip
    assert server.get("/api/0/buckets/").json == {}
    assert jobs(server) == before
    assert list(server.database.parent.glob("*.d/scratch-*")) == []


def test_a_dry_run_shows_what_is_there_already_and_which_fields_differ(server: RunningServer) -> None:
    ended(server, started(server, msgspec.json.encode(exported("window", event(0), event(1)))))

    found = surveyed(server, exported("window", event(1), event(2), hostname="another", data={"a": 1}))

    assert found == {
        "id": "window", "is_new": False, "new": 1, "known": 1, "invalid": 0, "dropped": 0,
        "conflicts": ["hostname", "data"],
    }  # fmt: skip


def test_a_dry_run_shows_what_privacy_rules_drop(server: RunningServer) -> None:
    rule = {"field": "app", "pattern": "secret", "action": "drop"}
    assert server.call("PUT", "/api/1/privacy/rules", [rule]).status == 200

    found = surveyed(server, exported("window", event(0), event(1, "secret")))

    assert (found["new"], found["dropped"]) == (1, 1)


def test_a_dry_run_agrees_with_the_import_that_follows(server: RunningServer, large: bytes) -> None:
    ended(server, started(server, document("large", events=LARGE // 3, values=LARGE // 3)))
    reported = server.call("POST", f"{IMPORTS}?dry_run=1", raw=large).json["buckets"][0]

    report = ended(server, started(server, large))["result"]

    assert (reported["new"], reported["known"]) == (report["imported"], report["skipped"])
    assert 0 < reported["known"] < LARGE


def test_a_dry_run_of_a_broken_document_is_refused_as_an_import_is(server: RunningServer) -> None:
    assert server.call("POST", f"{IMPORTS}?dry_run=1", raw=b'{"buckets": ').status == 400
    assert server.call("POST", f"{IMPORTS}?dry_run=perhaps", raw=b'{"buckets": {}}').status == 400


def test_an_import_with_a_token_is_started_once(server: RunningServer) -> None:
    body, token, before = exported("window", event(0)), {"Idempotency-Key": "once"}, len(jobs(server))

    statuses = [server.call("POST", IMPORTS, body, headers=token).status for _ in range(2)]

    assert statuses == [202, 409]
    assert len(jobs(server)) == before + 1


@pytest.mark.root
def test_a_full_disk_fails_the_job_with_the_reason(tmp_path: Path, large: bytes) -> None:
    with small_disk(tmp_path / "disk", mib=16) as disk, RunningServer(disk.path / "days.db") as server:
        job = started(server, large)
        disk.fill()

        failed = ended(server, job)

        assert failed["state"] == "failed"
        assert "the disk is full" in failed["error"]["message"]
        disk.empty()
        assert ended(server, started(server, document("small", events=10)))["state"] == "done"
