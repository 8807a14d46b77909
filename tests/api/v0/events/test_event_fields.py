"""The fields of an event, in and out (protocol 1.2)."""

from typing import Any

import pytest

from tests.api.remote_bucket import RemoteBucket, event
from tests.support.calls.clients import at

VALUES: list[dict[str, Any]] = [
    {},
    {"": ""},
    {"app": "Editor", "title": "notes.md"},
    {"n": None, "t": True, "f": False},
    {"deep": {"list": [[], {}, [{"x": [1, 2.5, "three"]}]]}},
    {"unicode": "日本語 \U0001f600 é e\u0301 \u202e \ufffd"},
    {"control": "\0\x01\x1f\n\r\t\x7f\u2028\u2029"},
    {"quotes": "\"'\\/</script>"},
    {"sql": "'; DROP TABLE event; --", "%s": "%d ?"},
    {"big": 2**53 + 1, "bigger": 2**64, "negative": -(2**63) - 1, "huge": 10**40},
    {"small": 5e-324, "large": 1.7976931348623157e308, "tenth": 0.1},
    {"$category": ["Work", "Code"], "$tags": []},
    {"timestamp": "x", "id": 1, "duration": "y"},
    {"k" * 10_000: "v"},
]


def test_event_comes_back_with_exactly_four_keys(bucket: RemoteBucket) -> None:
    [stored] = bucket.insert(event(at("10:00:00"), 2.0, {"app": "a"}))

    assert stored == {"id": stored["id"], "timestamp": at("10:00:00"), "duration": 2.0, "data": {"app": "a"}}
    assert bucket.events() == [stored]
    assert bucket.event(stored["id"]).json == stored
    assert bucket.heartbeat(at("10:00:03"), {"app": "a"}).json.keys() == stored.keys()


def test_duration_defaults_to_zero_and_data_to_an_empty_object(bucket: RemoteBucket) -> None:
    bucket.insert({"timestamp": at("10:00:00")})

    assert bucket.stored() == [(at("10:00:00"), 0.0, {})]


def test_unknown_keys_are_ignored_and_not_kept(bucket: RemoteBucket) -> None:
    [stored] = bucket.insert(event(at("10:00:00"), label="x", end=None, metadata={"a": 1}))

    assert stored.keys() == {"id", "timestamp", "duration", "data"}


def test_null_id_means_a_new_event(bucket: RemoteBucket) -> None:
    first, second = bucket.insert(event(at("10:00:00"), id=None), event(at("10:00:00"), id=None))

    assert first["id"] != second["id"]


def test_missing_timestamp_is_422(bucket: RemoteBucket) -> None:
    answer = bucket.post_events([{"duration": 1.0}])

    assert answer.status == 422
    assert "timestamp is missing" in answer.message


@pytest.mark.parametrize("data", [None, [], [1], "text", 1, 1.5, True])
def test_data_that_are_no_object_are_422(bucket: RemoteBucket, data: object) -> None:
    answer = bucket.server.post(f"{bucket.path}/events", [{"timestamp": at("10:00:00"), "data": data}])

    assert (answer.status, answer.json["field"]) == (422, "[0].data")
    assert bucket.count() == 0


@pytest.mark.parametrize("data", VALUES)
def test_data_come_back_value_for_value(bucket: RemoteBucket, data: dict[str, Any]) -> None:
    [stored] = bucket.insert(event(at("10:00:00"), data=data))

    assert stored["data"] == data
    assert bucket.events()[0]["data"] == data
    assert bucket.event(stored["id"]).json["data"] == data
    assert bucket.heartbeat(at("10:00:00"), data).json == stored


def test_last_of_two_equal_keys_wins(bucket: RemoteBucket) -> None:
    body = b'{"timestamp":"x","timestamp":"2026-01-01T10:00:00Z","data":{"b":2},"data":{"a":1,"a":2}}'

    assert bucket.server.call("POST", f"{bucket.path}/events", raw=body).status == 200
    assert bucket.stored() == [(at("10:00:00"), 0.0, {"a": 2})]


def test_one_and_one_point_zero_stay_apart(bucket: RemoteBucket) -> None:
    bucket.insert(
        event(at("10:00:00"), data={"n": 1}),
        event(at("10:00:01"), data={"n": 1.0}),
        event(at("10:00:02"), data={"n": True}),
    )

    assert [type(data["n"]) for _, _, data in bucket.stored()] == [bool, float, int]


def test_almost_one_mebibyte_of_text_is_kept(bucket: RemoteBucket) -> None:
    title = "é" * ((1 << 19) - 10)

    bucket.heartbeat(at("10:00:00"), {"title": title})
    bucket.heartbeat(at("10:00:01"), {"title": title})

    assert bucket.stored() == [(at("10:00:00"), 1.0, {"title": title})]


def test_more_than_one_mebibyte_of_data_is_rejected(bucket: RemoteBucket) -> None:
    title = "x" * (1 << 20)

    with pytest.raises(AssertionError, match="1,048,588 bytes; the limit is 1,048,576 bytes"):
        bucket.insert(event(at("10:00:00"), data={"title": title}))

    assert bucket.stored() == []


def test_hundred_levels_of_nesting_are_kept(bucket: RemoteBucket) -> None:
    data: dict[str, Any] = {}
    for _ in range(99):
        data = {"a": data}

    bucket.insert(event(at("10:00:00"), data=data))

    assert bucket.events()[0]["data"] == data


def test_zero_duration_events_survive_listing_counting_and_export(bucket: RemoteBucket) -> None:
    bucket.insert(event(at("10:00:00")), event(at("10:00:00")))

    assert bucket.stored() == [(at("10:00:00"), 0.0, {"a": 1})] * 2
    assert bucket.count() == 2
    assert len(bucket.server.get(f"{bucket.path}/export").json["buckets"][bucket.id]["events"]) == 2


def test_duplicate_and_overlapping_and_future_events_are_allowed(bucket: RemoteBucket) -> None:
    bucket.insert(
        event(at("10:00:00"), 60.0),
        event(at("10:00:00"), 60.0),
        event(at("10:00:30"), 60.0),
        event(at("00:00:00", date="2261-12-31"), 60.0),
    )

    assert bucket.count() == 4
