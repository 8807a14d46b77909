"""Heartbeats over HTTP (protocol 3.12, 4)."""

import pytest

from tests.api.remote_bucket import RemoteBucket, event
from tests.support.calls.clients import at, each_path
from tests.support.server import RunningServer


@each_path
def test_answer_is_the_stored_event(bucket: RemoteBucket, content_type: str) -> None:
    answer = bucket.heartbeat(at("10:00:00"), {"app": "a"}, duration=8.5, headers={"Content-Type": content_type})

    assert answer.status == 200
    assert answer.json == {"id": bucket.ids()[0], "timestamp": at("10:00:00"), "duration": 8.5, "data": {"app": "a"}}
    assert bucket.events() == [answer.json]


@each_path
def test_answer_has_the_same_headers_on_both_paths(bucket: RemoteBucket, content_type: str) -> None:
    headers = bucket.heartbeat(at("10:00:00"), headers={"Content-Type": content_type}).headers

    assert headers.keys() == {
        "date", "content-type", "content-length", "x-request-id", "vary", "cache-control", "x-content-type-options",
        "cross-origin-resource-policy", "content-security-policy",
    }  # fmt: skip
    assert (headers["content-type"], headers["vary"]) == ("application/json", "Origin")


@each_path
def test_first_heartbeat_begins_an_event(bucket: RemoteBucket, content_type: str) -> None:
    bucket.heartbeat(at("10:00:00"), headers={"Content-Type": content_type})

    assert bucket.stored() == [(at("10:00:00"), 0.0, {"a": 1})]


@each_path
def test_heartbeats_within_pulsetime_become_one_event_of_one_id(bucket: RemoteBucket, content_type: str) -> None:
    ids = {
        bucket.heartbeat(at(f"10:00:0{second}"), headers={"Content-Type": content_type}).json["id"]
        for second in range(5)
    }

    assert len(ids) == 1
    assert bucket.stored() == [(at("10:00:00"), 4.0, {"a": 1})]


@each_path
def test_event_before_the_first_heartbeat_is_extended_when_it_is_the_newest(
    bucket: RemoteBucket, content_type: str
) -> None:
    bucket.insert(event(at("12:00:00"), 1.0, {"b": 2}), event(at("13:00:00"), 1.0))

    bucket.heartbeat(at("13:00:05"), headers={"Content-Type": content_type})

    assert bucket.stored() == [(at("13:00:00"), 5.0, {"a": 1}), (at("12:00:00"), 1.0, {"b": 2})]


@each_path
def test_missing_bucket_is_404_and_is_not_created(shared_server: RunningServer, content_type: str) -> None:
    answer = RemoteBucket(shared_server, "nowhere").heartbeat(at("10:00:00"), headers={"Content-Type": content_type})

    assert (answer.status, answer.json["type"]) == (404, "BucketNotFound")
    assert "'nowhere'" in answer.message
    assert answer.headers["x-request-id"] == answer.json["request_id"]
    assert shared_server.get("/api/0/buckets/nowhere").status == 404


@each_path
def test_data_and_duration_may_be_missing(bucket: RemoteBucket, content_type: str) -> None:
    for second in (0, 1):
        bucket.server.post(
            f"{bucket.path}/heartbeat?pulsetime=5",
            {"timestamp": at(f"10:00:0{second}")},
            **{"Content-Type": content_type},
        )
    bucket.heartbeat(at("10:00:02"), {}, headers={"Content-Type": content_type})

    assert bucket.stored() == [(at("10:00:00"), 2.0, {})]


@each_path
def test_missing_timestamp_is_422(bucket: RemoteBucket, content_type: str) -> None:
    answer = bucket.server.post(
        f"{bucket.path}/heartbeat?pulsetime=5", {"data": {"a": 1}}, **{"Content-Type": content_type}
    )

    assert (answer.status, answer.json["field"], answer.message) == (422, "timestamp", "timestamp is missing")


@each_path
@pytest.mark.parametrize("body", [[], [event(at("10:00:00"))], None, 1, "x"])
def test_body_that_is_no_object_is_422(bucket: RemoteBucket, content_type: str, body: object) -> None:
    raw = b"null" if body is None else None
    answer = bucket.server.call(
        "POST", f"{bucket.path}/heartbeat?pulsetime=5", body, raw=raw, headers={"Content-Type": content_type}
    )

    assert answer.status == 422
    assert bucket.count() == 0


@each_path
def test_id_in_a_heartbeat_is_ignored(bucket: RemoteBucket, other_bucket: RemoteBucket, content_type: str) -> None:
    [own] = bucket.insert(event(at("09:00:00"), 1.0, {"own": 1}))
    [elsewhere] = other_bucket.insert(event(at("09:00:00"), 1.0, {"other": 1}))

    for event_id in (own["id"], elsewhere["id"], "text", -1, None):
        body = event(at("10:00:00"), data={"beat": str(event_id)}, id=event_id)
        answer = bucket.server.post(f"{bucket.path}/heartbeat?pulsetime=5", body, **{"Content-Type": content_type})
        assert answer.status == 200
        assert answer.json["id"] not in (own["id"], elsewhere["id"])

    assert bucket.event(own["id"]).json == own
    assert other_bucket.events() == [elsewhere]


@each_path
def test_data_in_another_order_of_keys_are_the_same_data(bucket: RemoteBucket, content_type: str) -> None:
    bucket.heartbeat(at("10:00:00"), {"x": 1, "y": {"p": 1, "q": 2}}, headers={"Content-Type": content_type})
    bucket.heartbeat(at("10:00:01"), {"y": {"q": 2, "p": 1}, "x": 1}, headers={"Content-Type": content_type})

    assert bucket.count() == 1


@each_path
@pytest.mark.parametrize(
    ("one", "other", "is_merged"),
    [
        ({"n": 99}, {"n": 99.0}, True),
        ({"n": [1, {"m": 2.0}]}, {"n": [1.0, {"m": 2}]}, True),
        ({"n": 1}, {"n": True}, False),
        ({"n": 0}, {"n": False}, False),
        ({"n": None}, {}, False),
        ({"n": "1"}, {"n": 1}, False),
        ({"n": "é"}, {"n": "e\u0301"}, False),
        ({"n": "a"}, {"n": "A"}, False),
    ],
)
def test_data_are_compared_by_value(
    bucket: RemoteBucket, content_type: str, one: object, other: object, is_merged: bool
) -> None:
    bucket.heartbeat(at("10:00:00"), one, headers={"Content-Type": content_type})
    bucket.heartbeat(at("10:00:01"), other, headers={"Content-Type": content_type})

    assert bucket.count() == (1 if is_merged else 2)


@each_path
def test_merged_event_keeps_the_data_as_first_written(bucket: RemoteBucket, content_type: str) -> None:
    bucket.heartbeat(at("10:00:00"), {"n": 99}, headers={"Content-Type": content_type})
    answer = bucket.heartbeat(at("10:00:01"), {"n": 99.0}, headers={"Content-Type": content_type})

    assert type(answer.json["data"]["n"]) is int
    assert type(bucket.events()[0]["data"]["n"]) is int


@each_path
def test_data_a_b_a_are_three_events(bucket: RemoteBucket, content_type: str) -> None:
    for second, app in enumerate("aba"):
        bucket.heartbeat(at(f"10:00:0{second}"), {"app": app}, headers={"Content-Type": content_type})

    assert [data["app"] for _, _, data in bucket.stored()] == ["a", "b", "a"]


@each_path
def test_web_watcher_s_pair_a_millisecond_apart_is_applied_in_order(bucket: RemoteBucket, content_type: str) -> None:
    bucket.heartbeat(at("10:00:00"), {"tab": "old"}, headers={"Content-Type": content_type})
    bucket.heartbeat(at("10:00:04.999"), {"tab": "old"}, headers={"Content-Type": content_type})
    bucket.heartbeat(at("10:00:05"), {"tab": "new"}, headers={"Content-Type": content_type})

    assert bucket.stored() == [(at("10:00:05"), 0.0, {"tab": "new"}), (at("10:00:00"), 4.999, {"tab": "old"})]


@each_path
def test_heartbeat_of_another_bucket_does_not_disturb(
    bucket: RemoteBucket, other_bucket: RemoteBucket, content_type: str
) -> None:
    for second in range(3):
        bucket.heartbeat(at(f"10:00:0{second}"), headers={"Content-Type": content_type})
        other_bucket.heartbeat(at(f"20:00:0{second}"), {"b": 2}, headers={"Content-Type": content_type})

    assert bucket.stored() == [(at("10:00:00"), 2.0, {"a": 1})]
    assert other_bucket.stored() == [(at("20:00:00"), 2.0, {"b": 2})]


def test_the_paths_may_alternate_within_one_event(bucket: RemoteBucket) -> None:
    for second in range(6):
        content_type = "application/json" if second % 2 else "application/json; charset=utf-8"
        bucket.heartbeat(at(f"10:00:0{second}"), headers={"Content-Type": content_type})

    assert bucket.stored() == [(at("10:00:00"), 5.0, {"a": 1})]


@each_path
def test_event_over_the_turn_of_a_year_is_one_event(bucket: RemoteBucket, content_type: str) -> None:
    bucket.heartbeat(at("23:59:58", date="2025-12-31"), headers={"Content-Type": content_type})
    bucket.heartbeat(at("00:00:02", date="2026-01-01"), headers={"Content-Type": content_type})

    assert bucket.stored() == [(at("23:59:58", date="2025-12-31"), 4.0, {"a": 1})]
    assert bucket.extent() == (at("23:59:58", date="2025-12-31"), at("00:00:02", date="2026-01-01"))
