"""Inserting events (protocol 3.8)."""

import pytest

from tests.api.remote_bucket import RemoteBucket, event
from tests.support.calls.clients import at
from tests.support.server import RunningServer


def test_list_in_list_out_with_ids_in_input_order(bucket: RemoteBucket) -> None:
    answer = bucket.post_events([event(at("10:00:02"), 2.0), event(at("10:00:01"), 1.0)])

    assert answer.status == 200
    assert [item["duration"] for item in answer.json] == [2.0, 1.0]
    assert all(isinstance(item["id"], int) and item["id"] >= 1 for item in answer.json)


def test_object_in_object_out(bucket: RemoteBucket) -> None:
    answer = bucket.post_events(event(at("10:00:00"), 1.0))

    assert answer.status == 200
    assert answer.json == bucket.events()[0]


def test_empty_list_in_empty_list_out(bucket: RemoteBucket) -> None:
    answer = bucket.post_events([])

    assert (answer.status, answer.json) == (200, [])


@pytest.mark.parametrize("body", [[], [event(at("10:00:00"))], event(at("10:00:00"))])
def test_missing_bucket_is_404_also_for_an_empty_list(shared_server: RunningServer, body: object) -> None:
    assert shared_server.post("/api/0/buckets/nowhere/events", body).status == 404
    assert shared_server.get("/api/0/buckets/nowhere").status == 404


def test_inserted_events_are_never_merged(bucket: RemoteBucket) -> None:
    bucket.insert(event(at("10:00:00"), 5.0), event(at("10:00:00"), 5.0), event(at("10:00:05"), 5.0))

    assert bucket.count() == 3


@pytest.mark.parametrize(
    "bad",
    [
        {"timestamp": "no"},
        {"timestamp": "1500-01-01T00:00:00Z"},
        {"duration": 1.0},
        {"timestamp": at("10:00:00"), "data": []},
        {"timestamp": at("10:00:00"), "duration": "1"},
        {"timestamp": at("10:00:00"), "id": "x"},
        7,
        None,
        [],
    ],
)
def test_one_bad_event_in_a_list_stores_nothing(bucket: RemoteBucket, bad: object) -> None:
    answer = bucket.post_events([event(at("10:00:00")), bad, event(at("10:00:01"))])

    assert answer.status == 422
    assert (bucket.count(), bucket.extent()) == (0, (None, None))


def test_bad_event_is_named_by_its_place_in_the_list(bucket: RemoteBucket) -> None:
    answer = bucket.post_events([event(at("10:00:00")), event(at("10:00:00")), event("2300-01-01T00:00:00Z")])

    assert answer.json["field"] == "[2].timestamp"
    assert answer.message.startswith("event 2: ")


def test_thousands_of_events_are_stored_at_once(bucket: RemoteBucket) -> None:
    events = [event(f"2026-01-01T{n // 60:02}:{n % 60:02}:00Z", 30.0, {"n": n % 7}) for n in range(1440)]

    stored = bucket.insert(*events)

    assert len({item["id"] for item in stored}) == 1440
    assert bucket.count() == 1440
