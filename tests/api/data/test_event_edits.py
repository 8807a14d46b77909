"""One event as a whole: read with its tag, changed, split and deleted as the client knows it, and undone exactly."""

from typing import Any
from urllib.parse import quote

import pytest

from tests.api.remote_bucket import RemoteBucket, event
from tests.support.calls.clients import at
from tests.support.server import Answer

DATA = {"app": "Editor", "title": "Draft"}


@pytest.fixture
def filled(bucket: RemoteBucket) -> RemoteBucket:
    """Three events of a minute each; the ids of the newest come first."""
    bucket.insert(*(event(at(f"10:0{n}:00"), 60, {**DATA, "n": n}) for n in range(3)))
    return bucket


def call(bucket: RemoteBucket, method: str, event_id: int, body: object = None, **headers: str) -> Answer:
    """A call about one event; `If_Match` becomes the header."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return bucket.server.call(method, path(bucket, event_id), body, headers=named)


def path(bucket: RemoteBucket, event_id: int) -> str:
    return f"/api/1/events/{quote(bucket.id, safe='')}/{event_id}"


def undone(bucket: RemoteBucket, answer: Answer) -> Answer:
    return bucket.server.post(f"/api/1/undo/{answer.json['undo']}")


def export(bucket: RemoteBucket) -> tuple[bytes, object]:
    return bucket.server.get(f"{bucket.path}/export").body, bucket.ids()


def test_an_event_is_reported_whole_with_where_it_comes_from(filled: RemoteBucket) -> None:
    newest, middle, _ = filled.ids()

    answer = call(filled, "GET", middle)

    assert answer.json == {
        "id": middle, "timestamp": at("10:01:00"), "end": at("10:02:00"), "duration": 60.0, "data": {**DATA, "n": 1},
        "bucket": filled.id, "device": "test-host", "type": "test.type", "is_last": False, "truncated": [],
    }  # fmt: skip
    assert call(filled, "GET", newest).json["is_last"]


def test_an_event_that_is_not_there_is_not_found(filled: RemoteBucket) -> None:
    for method, body in (("GET", None), ("PATCH", {"duration": 1}), ("DELETE", None)):
        assert call(filled, method, 2**40, body).status == 404


@pytest.mark.parametrize(
    ("change", "timestamp", "duration", "data"),
    [
        ({"timestamp": at("09:00:00")}, at("09:00:00"), 60.0, {**DATA, "n": 1}),
        ({"duration": 0.5}, at("10:01:00"), 0.5, {**DATA, "n": 1}),
        ({"end": at("10:01:30.250")}, at("10:01:00"), 30.25, {**DATA, "n": 1}),
        ({"timestamp": at("10:01:10"), "end": at("10:01:30")}, at("10:01:10"), 20.0, {**DATA, "n": 1}),
        ({"data": {"app": "Mail"}}, at("10:01:00"), 60.0, {"app": "Mail"}),
    ],
)
def test_what_is_given_changes_the_rest_stays_and_undo_is_exact(
    filled: RemoteBucket, change: dict[str, Any], timestamp: str, duration: float, data: object
) -> None:
    before, middle = export(filled), filled.ids()[1]

    answer = call(filled, "PATCH", middle, change)

    changed = answer.json["event"]
    assert (changed["timestamp"], changed["duration"], changed["data"]) == (timestamp, duration, data)
    assert call(filled, "GET", middle).headers["etag"] == answer.headers["etag"]
    assert undone(filled, answer).status == 200
    assert export(filled) == before


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({}, None),
        ({"duration": -1}, "duration"),
        ({"duration": 1, "end": at("11:00:00")}, "end"),
        ({"end": at("09:00:00")}, "end"),
        ({"end": "soon"}, "end"),
        ({"timestamp": "1969-12-31T00:00:00Z"}, "timestamp"),
        ({"data": []}, "data"),
    ],
)
def test_a_change_that_makes_no_sense_is_rejected(filled: RemoteBucket, change: object, field: str | None) -> None:
    before = export(filled)

    answer = call(filled, "PATCH", filled.ids()[1], change)

    assert (answer.status, answer.json.get("field")) == (422, field)
    assert export(filled) == before


def test_a_change_to_what_it_is_already_leaves_nothing_to_undo(filled: RemoteBucket) -> None:
    answer = call(filled, "PATCH", filled.ids()[1], {"duration": 60})

    assert (answer.status, answer.json["undo"]) == (200, None)


@pytest.mark.parametrize("method", ["PATCH", "DELETE", "split"])
def test_a_change_of_a_changed_event_is_rejected_with_its_current_state(filled: RemoteBucket, method: str) -> None:
    middle = filled.ids()[1]
    tag = call(filled, "GET", middle).headers["etag"]
    call(filled, "PATCH", middle, {"duration": 30, "data": {"app": "Mail"}})
    before = export(filled)

    answer = changed_by(filled, method, middle, tag)

    assert (answer.status, answer.json["type"]) == (412, "Stale")
    assert "duration and data differ" in answer.message
    assert answer.json["current"] == call(filled, "GET", middle).json
    assert export(filled) == before
    assert changed_by(filled, method, middle, answer.headers["etag"]).status == 200


@pytest.mark.parametrize("method", ["PATCH", "DELETE", "split"])
def test_a_change_of_what_is_as_it_was_read_is_made(filled: RemoteBucket, method: str) -> None:
    middle = filled.ids()[1]
    tag = call(filled, "GET", middle).headers["etag"]

    assert changed_by(filled, method, middle, f'"other", {tag}').status == 200


def test_a_star_matches_any_version_and_a_weak_tag_none(filled: RemoteBucket) -> None:
    middle = filled.ids()[1]
    tag = call(filled, "GET", middle).headers["etag"]

    assert changed_by(filled, "PATCH", middle, "*").status == 200
    assert changed_by(filled, "PATCH", middle, f"W/{tag}").status == 412
    assert changed_by(filled, "PATCH", middle, "no tag").status == 400


def test_the_last_event_may_have_grown_since_it_was_read(bucket: RemoteBucket) -> None:
    bucket.heartbeat(at("10:00:00"))
    event_id = bucket.heartbeat(at("10:00:01")).json["id"]
    tag = call(bucket, "GET", event_id).headers["etag"]
    bucket.heartbeat(at("10:00:04"))
    assert call(bucket, "GET", event_id, If_None_Match=tag).status == 200

    answer = changed_by(bucket, "PATCH", event_id, tag, {"data": {"a": 2}})

    assert answer.status == 200
    assert answer.json["event"]["duration"] == 4.0


def test_the_last_event_may_not_have_been_cut_since_it_was_read(bucket: RemoteBucket) -> None:
    bucket.heartbeat(at("10:00:00"))
    event_id = bucket.heartbeat(at("10:00:04")).json["id"]
    tag = call(bucket, "GET", event_id).headers["etag"]
    call(bucket, "PATCH", event_id, {"duration": 2})

    assert changed_by(bucket, "PATCH", event_id, tag).status == 412


def test_a_split_makes_two_of_one_and_undo_makes_one_of_them_again(filled: RemoteBucket) -> None:
    before, middle = export(filled), filled.ids()[1]

    answer = changed_by(filled, "split", middle)

    first, second = answer.json["events"]
    assert (first["id"], first["timestamp"], first["end"]) == (middle, at("10:01:00"), at("10:01:20"))
    assert (second["timestamp"], second["end"], second["data"]) == (at("10:01:20"), at("10:02:00"), first["data"])
    assert undone(filled, answer).json["kind"] == "split_event"
    assert export(filled) == before


def test_undoing_a_split_keeps_what_heartbeats_have_added(bucket: RemoteBucket) -> None:
    bucket.heartbeat(at("10:00:00"))
    event_id = bucket.heartbeat(at("10:00:04")).json["id"]
    answer = bucket.server.post(f"{path(bucket, event_id)}/split", {"at": at("10:00:02")})
    bucket.heartbeat(at("10:00:07"))

    undone(bucket, answer)

    assert bucket.stored() == [(at("10:00:00"), 7.0, {"a": 1})]


@pytest.mark.parametrize("part", [0, 1], ids=["first", "second"])
def test_a_split_whose_part_was_changed_since_is_undone_after_that_change(filled: RemoteBucket, part: int) -> None:
    before = export(filled)
    _, middle, _ = filled.ids()
    split = filled.server.post(f"{path(filled, middle)}/split", {"at": at("10:01:20")})
    parts = export(filled)
    edited = call(filled, "PATCH", split.json["events"][part]["id"], {"data": {"app": "edited"}})
    after = export(filled)

    refused = undone(filled, split)

    assert (refused.status, export(filled)) == (409, after)
    assert "was changed again since" in refused.json["message"]
    assert (undone(filled, edited).status, export(filled)) == (200, parts)
    assert (undone(filled, split).status, export(filled)) == (200, before)


@pytest.mark.parametrize("moment", [at("10:01:00"), at("10:02:00"), at("09:00:00"), at("11:00:00")])
def test_a_split_outside_the_event_is_rejected(filled: RemoteBucket, moment: str) -> None:
    answer = filled.server.post(f"{path(filled, filled.ids()[1])}/split", {"at": moment})

    assert (answer.status, answer.json["field"]) == (422, "at")


def test_a_deleted_event_is_reported_and_comes_back(filled: RemoteBucket) -> None:
    before, middle = export(filled), filled.ids()[1]

    answer = call(filled, "DELETE", middle)

    assert answer.json["event"]["id"] == middle
    assert filled.count() == 2
    undone(filled, answer)
    assert export(filled) == before


def test_privacy_rules_apply_to_new_data(filled: RemoteBucket) -> None:
    rules = [
        {"buckets": [filled.id], "field": "title", "pattern": "secret", "action": "drop"},
        {"buckets": [filled.id], "field": "title", "pattern": "invoice", "action": "redact"},
    ]
    filled.server.call("PUT", "/api/1/privacy/rules", rules)
    middle = filled.ids()[1]

    assert call(filled, "PATCH", middle, {"data": {"title": "a secret"}}).status == 409
    redacted = call(filled, "PATCH", middle, {"data": {"title": "an invoice"}})

    assert redacted.status == 200
    assert "invoice" not in redacted.json["event"]["data"]["title"]


def changed_by(bucket: RemoteBucket, method: str, event_id: int, tag: str | None = None, body: object = None) -> Answer:
    headers = {} if tag is None else {"If_Match": tag}
    match method:
        case "PATCH":
            return call(bucket, "PATCH", event_id, body or {"duration": 20}, **headers)
        case "DELETE":
            return call(bucket, "DELETE", event_id, **headers)
        case _:
            sent = {name.replace("_", "-"): value for name, value in headers.items()}
            return bucket.server.call("POST", f"{path(bucket, event_id)}/split", {"at": at("10:01:20")}, headers=sent)
