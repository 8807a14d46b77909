"""`/api/1/doctor` at a real server."""

from typing import Final

import pytest

from tests.support.server import RunningServer

EVENT = {"timestamp": "2026-01-01T10:00:00Z", "duration": 60, "data": {"app": "editor"}}

FIX_PATH: Final = "/api/1/doctor/mend"


@pytest.fixture(scope="module")
def server(shared_server: RunningServer) -> RunningServer:
    for bucket_id in ("window", "other"):
        shared_server.create(bucket_id, type="currentwindow")
        shared_server.post(f"/api/0/buckets/{bucket_id}/events", [EVENT, EVENT])
    return shared_server


def test_findings_are_reported_for_one_bucket_or_all(server: RunningServer) -> None:
    answer = server.get("/api/1/doctor?kinds=duplicates,gaps").json
    assert (answer["buckets"], answer["events"]) == (2, 4)
    assert [(one["kind"], one["bucket"], one["count"], one["seconds"]) for one in answer["findings"]] == [
        ("duplicates", "window", 1, 60.0),
        ("duplicates", "other", 1, 60.0),
    ]

    [only] = server.get("/api/1/doctor?kinds=duplicates&bucket=other").json["findings"]

    assert only == answer["findings"][1]


def test_fixing_answers_with_what_undoes_it(server: RunningServer) -> None:
    before = server.get("/api/0/export").body
    body = {"kind": "duplicates"}
    planned = server.post(FIX_PATH, {**body, "dry_run": True}).json
    assert (planned["removed"], [bucket["undo"] for bucket in planned["buckets"]]) == (2, [None, None])
    assert server.get("/api/0/export").body == before

    done = server.post(FIX_PATH, body).json

    assert done["removed"] == 2
    assert server.get("/api/0/buckets/window/events/count").json == 1
    for bucket in done["buckets"]:
        assert server.post(f"/api/1/undo/{bucket['undo']}").status == 200
    assert server.get("/api/0/export").body == before


def test_each_fix_has_its_own_line_in_the_audit_log(server: RunningServer) -> None:
    for _ in range(2):
        server.post(FIX_PATH, {"kind": "negative"})

    lines = [line for line in server.get("/api/1/audit").json["lines"] if line["call"] == "fix_findings"]

    assert [line["count"] for line in lines[:2]] == [1, 1]


@pytest.mark.parametrize(
    ("call", "status", "words"),
    [
        ("/api/1/doctor?kinds=dust", 400, "unknown kind of finding 'dust'"),
        ("/api/1/doctor?gap_minutes=soon", 400, "gap_minutes must be a number"),
        ("/api/1/doctor?gap_minutes=0", 400, "gap_minutes must be a number"),
        ("/api/1/doctor?gap_minutes=nan", 400, "gap_minutes must be a number"),
        ("/api/1/doctor?bucket=nowhere", 404, "no bucket named 'nowhere'"),
    ],
)
def test_invalid_requests_are_reported(server: RunningServer, call: str, status: int, words: str) -> None:
    answer = server.get(call)

    assert answer.status == status
    assert words in answer.message


@pytest.mark.parametrize("body", [{"kind": "gaps"}, {}, {"kind": "duplicates", "dry_run": "perhaps"}])
def test_what_cannot_be_fixed_is_rejected(server: RunningServer, body: object) -> None:
    assert server.post(FIX_PATH, body).status == 422


def test_a_bucket_that_is_not_there_cannot_be_fixed(server: RunningServer) -> None:
    assert server.post(FIX_PATH, {"kind": "duplicates", "bucket": "nowhere"}).status == 404


def test_a_bucket_may_be_named_by_an_alias(server: RunningServer) -> None:
    server.create("before", type="currentwindow")
    server.post("/api/0/buckets/before/events", [EVENT, EVENT])
    assert server.post("/api/1/buckets/before/rename", {"id": "after"}).status == 200

    [only] = server.get("/api/1/doctor?kinds=duplicates&bucket=before").json["findings"]
    fixed = server.post(FIX_PATH, {"kind": "duplicates", "bucket": "before"}).json

    assert only["bucket"] == "after"
    assert fixed["removed"] == 1
