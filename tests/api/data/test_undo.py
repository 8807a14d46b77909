"""Everything that destroys says what undoes it; the responses of `/api/0` are otherwise as they were."""

from typing import Any

import pytest

from tests.api.remote_bucket import RemoteBucket, event
from tests.support.calls.clients import at
from tests.support.server import Answer, RunningServer

ALL = ("delete_bucket", "delete_event", "replace", "update")


@pytest.fixture
def filled(bucket: RemoteBucket) -> RemoteBucket:
    bucket.insert(*(event(at(f"10:00:0{n}"), n / 2, {"n": n}) for n in range(5)))
    return bucket


def act(bucket: RemoteBucket, name: str) -> Answer:
    """Destroy something."""
    first = bucket.ids()[-1]
    match name:
        case "delete_bucket":
            return bucket.delete()
        case "delete_event":
            return bucket.delete_event(first)
        case "replace":
            return bucket.post_events(event(at("12:00:00"), 9.0, {"other": 1}, id=first))
        case _:
            return bucket.server.call("PUT", bucket.path, {"hostname": "desktop", "data": {"a": 1}})


def export(bucket: RemoteBucket) -> bytes:
    return bucket.server.get(f"{bucket.path}/export").body


@pytest.mark.parametrize("name", ALL)
def test_undo_gives_a_byte_equal_export_and_the_same_ids(filled: RemoteBucket, name: str) -> None:
    before, ids = export(filled), filled.ids()
    done = act(filled, name)
    assert done.status == 200
    assert export(filled) != before

    undone = filled.server.post(f"/api/1/undo/{done.headers['undo-id']}")

    assert undone.status == 200
    assert undone.json["bucket"] == filled.id
    assert (export(filled), filled.ids()) == (before, ids)


def test_the_answers_have_nothing_else_that_is_new(filled: RemoteBucket) -> None:
    assert act(filled, "update").body == b"{}"
    assert act(filled, "delete_event").json == {"success": True}
    assert act(filled, "delete_bucket").body == b"{}"


def test_a_call_that_deletes_nothing_returns_no_undo_number(filled: RemoteBucket) -> None:
    assert "undo-id" not in filled.delete_event(999_999_999).headers
    assert "undo-id" not in filled.post_events(event(at("11:00:00"))).headers
    assert "undo-id" not in filled.heartbeat(at("11:30:00")).headers


def test_the_trash_lists_an_act_until_it_is_undone(filled: RemoteBucket) -> None:
    undo_id = int(act(filled, "delete_bucket").headers["undo-id"])

    [item] = [item for item in filled.server.get("/api/1/trash").json if item["id"] == undo_id]
    assert {name: item[name] for name in ("kind", "bucket", "events", "state")} == {
        "kind": "delete_bucket", "bucket": filled.id, "events": 5, "state": "done",
    }  # fmt: skip

    assert filled.server.post(f"/api/1/trash/{undo_id}/restore").status == 200
    assert undo_id not in [item["id"] for item in filled.server.get("/api/1/trash").json]
    assert filled.server.post(f"/api/1/undo/{undo_id}").status == 410


def test_what_was_removed_from_the_trash_is_gone(filled: RemoteBucket) -> None:
    undo_id = act(filled, "delete_event").headers["undo-id"]

    assert filled.server.call("DELETE", f"/api/1/trash/{undo_id}").json == {"items": 1}

    answer = filled.server.post(f"/api/1/undo/{undo_id}")
    assert (answer.status, answer.message) == (410, f"undo entry {undo_id} has expired or was deleted")


def test_emptying_reports_how_much_was_deleted(shared_server: RunningServer, filled: RemoteBucket) -> None:
    act(filled, "delete_event")
    there: list[Any] = shared_server.get("/api/1/trash").json

    assert shared_server.call("DELETE", "/api/1/trash").json == {"items": len(there)}
    assert shared_server.get("/api/1/trash").json == []


@pytest.mark.parametrize("number", ["0", "-1", "x", "99999999", "9" * 30])
def test_an_unknown_number_is_not_found(shared_server: RunningServer, number: str) -> None:
    answer = shared_server.post(f"/api/1/undo/{number}")

    assert answer.status == 404
    assert number[:40] in answer.message


def test_a_later_change_has_to_be_undone_first(filled: RemoteBucket) -> None:
    first = act(filled, "update").headers["undo-id"]
    filled.server.call("PUT", filled.path, {"hostname": "tablet"})

    answer = filled.server.post(f"/api/1/undo/{first}")

    assert answer.status == 409
    assert "changed again" in answer.message


def test_applied_privacy_rules_are_undone_like_everything_else(filled: RemoteBucket) -> None:
    filled.insert(event(at("11:00:00"), 1.0, {"title": "payroll"}))
    before = export(filled)
    rule = {"field": "title", "pattern": "payroll", "action": "redact"}
    applied = filled.server.post("/api/1/privacy/apply", {"rules": [rule], "buckets": [filled.id]})
    assert export(filled) != before

    undone = filled.server.post(f"/api/1/undo/{applied.json['undo']}")

    assert (undone.status, undone.json["kind"], undone.json["events"]) == (200, "redaction", 1)
    assert export(filled) == before
    assert filled.server.get("/api/1/privacy/redactions").json[0]["state"] == "undone"
