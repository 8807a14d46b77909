"""Event ids: one sequence for the whole server, from 1, never used twice (protocol 1.5)."""

from itertools import pairwise

import pytest

from tests.api.remote_bucket import RemoteBucket, event
from tests.support.calls.clients import at
from tests.support.server import RunningServer


def new_bucket(server: RunningServer, bucket_id: str) -> RemoteBucket:
    bucket = RemoteBucket(server, bucket_id)
    bucket.create()
    return bucket


def test_first_event_of_a_server_has_the_id_1(server: RunningServer) -> None:
    assert new_bucket(server, "a").heartbeat(at("10:00:00")).json["id"] == 1


def test_ids_are_unique_over_all_buckets_and_rise(bucket: RemoteBucket, other_bucket: RemoteBucket) -> None:
    ids: list[int] = []
    for second in range(5):
        ids.append(bucket.heartbeat(at(f"10:00:0{second}"), {"n": second}).json["id"])
        ids.append(other_bucket.insert(event(at(f"10:00:0{second}")))[0]["id"])

    assert all(before < after for before, after in pairwise(ids))


def test_events_of_one_insert_get_ids_in_the_order_sent(bucket: RemoteBucket) -> None:
    stored = bucket.insert(event(at("12:00:00")), event(at("10:00:00")), event(at("11:00:00")))

    assert [item["timestamp"] for item in stored] == [at("12:00:00"), at("10:00:00"), at("11:00:00")]
    first = stored[0]["id"]
    assert [item["id"] for item in stored] == [first, first + 1, first + 2]


def test_id_of_the_newest_event_is_not_used_again_after_its_deletion(bucket: RemoteBucket) -> None:
    [stored] = bucket.insert(event(at("10:00:00")))
    bucket.delete_event(stored["id"])

    assert bucket.insert(event(at("10:00:00")))[0]["id"] > stored["id"]


def test_id_of_a_deleted_bucket_s_event_is_not_used_again(bucket: RemoteBucket, other_bucket: RemoteBucket) -> None:
    [stored] = bucket.insert(event(at("10:00:00")))
    bucket.delete()

    assert other_bucket.insert(event(at("10:00:00")))[0]["id"] > stored["id"]


@pytest.mark.parametrize("is_killed", [False, True])
def test_deleted_ids_are_not_used_again_after_a_restart(server: RunningServer, is_killed: bool) -> None:
    bucket = new_bucket(server, "a")
    last = bucket.insert(*(event(at("10:00:00")) for _ in range(5)))[-1]["id"]
    for event_id in bucket.ids():
        bucket.delete_event(event_id)

    server.kill() if is_killed else server.stop()
    server.start()

    assert bucket.heartbeat(at("10:00:00")).json["id"] == last + 1


def test_ids_of_a_deleted_bucket_are_not_used_again_after_a_restart(server: RunningServer) -> None:
    bucket = new_bucket(server, "a")
    [stored] = bucket.insert(event(at("10:00:00")))
    bucket.delete()

    server.stop()
    server.start()

    assert new_bucket(server, "b").heartbeat(at("10:00:00")).json["id"] > stored["id"]


@pytest.mark.parametrize("ahead", [0, 1, 5000])
def test_an_id_that_is_not_assigned_yet_is_409_and_is_assigned_later(server: RunningServer, ahead: int) -> None:
    bucket = new_bucket(server, "a")
    next_id = bucket.insert(event(at("10:00:00")))[0]["id"] + 1

    answer = bucket.post_events([event(at("10:00:01")), event(at("10:00:02"), id=next_id + ahead)])

    assert (answer.status, answer.json["type"], answer.json["field"]) == (409, "EventIdReserved", "id")
    assert bucket.count() == 1
    assert bucket.insert(event(at("10:00:01")))[0]["id"] == next_id


def test_imported_events_get_new_ids(bucket: RemoteBucket, other_bucket: RemoteBucket) -> None:
    [stored] = bucket.insert(event(at("10:00:00"), 7.0))
    head = {"id": other_bucket.id, "type": "t", "client": "c", "hostname": "h"}
    document = {"buckets": {other_bucket.id: {**head, "events": [event(at("11:00:00"), id=stored["id"])]}}}

    bucket.server.post("/api/0/import", document)

    assert bucket.stored() == [(at("10:00:00"), 7.0, {"a": 1})]
    assert other_bucket.ids()[0] > stored["id"]
