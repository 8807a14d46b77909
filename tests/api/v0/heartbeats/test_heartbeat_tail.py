"""Which event a heartbeat is compared with, after each other kind of write (protocol 4)."""

from collections.abc import Callable

import pytest

from tests.api.remote_bucket import RemoteBucket, event
from tests.support.calls.clients import at
from tests.support.server import RunningServer

ONE = {"a": 1}


def test_older_heartbeat_becomes_the_last_and_a_later_one_is_an_event_of_its_own(bucket: RemoteBucket) -> None:
    bucket.heartbeat(at("10:00:00"))
    bucket.heartbeat(at("09:00:00"))
    bucket.heartbeat(at("10:00:01"))

    assert bucket.stored() == [(at("10:00:01"), 0.0, ONE), (at("10:00:00"), 0.0, ONE), (at("09:00:00"), 0.0, ONE)]


def test_merge_after_an_older_heartbeat_extends_that_one_and_not_the_newest(bucket: RemoteBucket) -> None:
    bucket.heartbeat(at("10:00:00"), duration=10)
    bucket.heartbeat(at("09:00:00"))
    bucket.heartbeat(at("09:00:03"))

    assert bucket.stored() == [(at("10:00:00"), 10.0, ONE), (at("09:00:00"), 3.0, ONE)]


def test_older_heartbeat_never_changes_what_is_there(bucket: RemoteBucket) -> None:
    bucket.heartbeat(at("10:00:00"), duration=10)

    bucket.heartbeat(at("09:59:59"), duration=60)

    assert bucket.stored() == [(at("10:00:00"), 10.0, ONE), (at("09:59:59"), 60.0, ONE)]


def test_insert_of_a_newer_event_makes_that_one_the_last(bucket: RemoteBucket) -> None:
    bucket.heartbeat(at("10:00:00"))
    bucket.insert(event(at("10:00:02"), 1.0, {"b": 2}))

    bucket.heartbeat(at("10:00:03"))

    assert bucket.stored() == [(at("10:00:03"), 0.0, ONE), (at("10:00:02"), 1.0, {"b": 2}), (at("10:00:00"), 0.0, ONE)]


def test_insert_of_an_older_event_leaves_the_newest_as_the_last(bucket: RemoteBucket) -> None:
    bucket.heartbeat(at("10:00:00"))
    bucket.insert(event(at("09:00:00"), 1.0))

    bucket.heartbeat(at("10:00:03"))

    assert bucket.stored() == [(at("10:00:00"), 3.0, ONE), (at("09:00:00"), 1.0, ONE)]


def test_after_an_insert_the_last_is_the_newest_not_the_latest_heartbeat(bucket: RemoteBucket) -> None:
    bucket.heartbeat(at("10:00:00"))
    bucket.heartbeat(at("09:00:00"))
    bucket.insert(event(at("08:00:00")))

    bucket.heartbeat(at("10:00:03"))

    assert bucket.stored()[0] == (at("10:00:00"), 3.0, ONE)


def test_among_events_of_one_start_the_one_listed_first_is_the_last(bucket: RemoteBucket) -> None:
    bucket.insert(event(at("10:00:00"), 1.0), event(at("10:00:00"), 2.0, {"b": 2}))

    bucket.heartbeat(at("10:00:03"))

    assert bucket.stored() == [(at("10:00:00"), 3.0, ONE), (at("10:00:00"), 2.0, {"b": 2})]


def test_replaced_last_event_is_seen_as_it_is_now(bucket: RemoteBucket) -> None:
    stored = bucket.heartbeat(at("10:00:00")).json
    bucket.insert(event(at("10:00:00"), 30.0, {"edited": 1}, id=stored["id"]))

    assert bucket.heartbeat(at("10:00:31"), {"edited": 1}).json["id"] == stored["id"]
    assert bucket.stored() == [(at("10:00:00"), 31.0, {"edited": 1})]


def test_edit_is_not_undone_by_the_next_heartbeat(bucket: RemoteBucket) -> None:
    stored = bucket.heartbeat(at("10:00:00")).json
    bucket.insert(event(at("10:00:00"), 0.0, {"edited": 1}, id=stored["id"]))

    bucket.heartbeat(at("10:00:01"))

    assert bucket.stored() == [(at("10:00:01"), 0.0, ONE), (at("10:00:00"), 0.0, {"edited": 1})]


def test_heartbeat_after_its_event_was_deleted_begins_a_new_event(bucket: RemoteBucket) -> None:
    stored = bucket.heartbeat(at("10:00:00")).json
    bucket.delete_event(stored["id"])

    answer = bucket.heartbeat(at("10:00:01"))

    assert answer.status == 200
    assert answer.json["id"] != stored["id"]
    assert bucket.stored() == [(at("10:00:01"), 0.0, ONE)]


def test_heartbeat_after_the_last_was_deleted_looks_at_the_one_before(bucket: RemoteBucket) -> None:
    first = bucket.heartbeat(at("10:00:00")).json
    second = bucket.heartbeat(at("10:00:01"), {"b": 2}).json
    bucket.delete_event(second["id"])

    assert bucket.heartbeat(at("10:00:02")).json["id"] == first["id"]
    assert bucket.stored() == [(at("10:00:00"), 2.0, ONE)]


def test_deleting_another_event_makes_the_newest_the_last(bucket: RemoteBucket) -> None:
    [other] = bucket.insert(event(at("08:00:00")))
    bucket.heartbeat(at("10:00:00"))
    bucket.heartbeat(at("09:00:00"))
    bucket.delete_event(other["id"])

    bucket.heartbeat(at("10:00:04"))

    assert bucket.stored() == [(at("10:00:00"), 4.0, ONE), (at("09:00:00"), 0.0, ONE)]


def test_import_into_the_bucket_makes_the_newest_the_last(shared_server: RunningServer, bucket: RemoteBucket) -> None:
    bucket.heartbeat(at("10:00:00"))
    head = {"id": bucket.id, "type": "t", "client": "c", "hostname": "h"}
    imported = [event(at("10:00:02"), 1.0, {"imported": 1})]
    shared_server.post("/api/0/import", {"buckets": {bucket.id: {**head, "events": imported}}})

    bucket.heartbeat(at("10:00:04"), {"imported": 1})

    assert bucket.stored() == [(at("10:00:02"), 2.0, {"imported": 1}), (at("10:00:00"), 0.0, ONE)]


def change_hostname(bucket: RemoteBucket) -> None:
    bucket.server.call("PUT", bucket.path, {"hostname": "other"})


def create_again(bucket: RemoteBucket) -> None:
    bucket.create()


def refused_insert(bucket: RemoteBucket) -> None:
    bucket.post_events([{"timestamp": "no"}])


def read_everything(bucket: RemoteBucket) -> None:
    bucket.events()
    bucket.server.get("/api/0/export")


@pytest.mark.parametrize("act", [change_hostname, create_again, refused_insert, read_everything])
def test_what_writes_no_event_leaves_the_last_heartbeat(
    bucket: RemoteBucket, act: Callable[[RemoteBucket], None]
) -> None:
    bucket.heartbeat(at("10:00:00"))
    act(bucket)
    bucket.heartbeat(at("10:00:03"))

    assert bucket.stored() == [(at("10:00:00"), 3.0, ONE)]


def test_after_a_restart_the_newest_event_is_the_last(server: RunningServer) -> None:
    bucket = RemoteBucket(server, "a")
    bucket.create()
    stored = bucket.heartbeat(at("10:00:00")).json
    bucket.heartbeat(at("10:00:02"))
    server.stop()
    server.start()

    assert bucket.heartbeat(at("10:00:04")).json["id"] == stored["id"]
    assert bucket.stored() == [(at("10:00:00"), 4.0, ONE)]
