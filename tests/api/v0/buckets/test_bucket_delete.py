"""Deleting a bucket: at once, with everything it held, and nothing comes back (protocol 3.6)."""

import pytest

from tests.api.remote_bucket import RemoteBucket, event
from tests.support.calls.clients import at
from tests.support.server import RunningServer


@pytest.mark.parametrize("query", ["", "?force=1", "?force=0", "?force=maybe"])
def test_delete_needs_no_force_and_ignores_it(bucket: RemoteBucket, query: str) -> None:
    answer = bucket.server.call("DELETE", bucket.path + query)

    assert (answer.status, answer.json) == (200, {})


def test_deleted_bucket_is_gone_from_every_call(shared_server: RunningServer, bucket: RemoteBucket) -> None:
    bucket.insert(event(at("10:00:00")))
    [event_id] = bucket.ids()

    bucket.delete()

    assert bucket.id not in shared_server.get("/api/0/buckets/").json
    assert bucket.id not in shared_server.get("/api/0/export").json["buckets"]
    for path in ("", "/events", "/events/count", f"/events/{event_id}", "/export"):
        assert shared_server.get(bucket.path + path).status == 404


def test_deleting_twice_is_404(bucket: RemoteBucket) -> None:
    bucket.delete()

    assert bucket.delete().status == 404


def test_heartbeat_after_delete_is_404_and_does_not_create(bucket: RemoteBucket) -> None:
    bucket.heartbeat(at("10:00:00"))
    bucket.delete()

    assert bucket.heartbeat(at("10:00:01")).status == 404
    assert bucket.server.get(bucket.path).status == 404


def test_bucket_made_again_is_empty(bucket: RemoteBucket) -> None:
    bucket.insert(event(at("10:00:00"), 5.0), event(at("11:00:00")))
    bucket.delete()

    assert bucket.create().status == 200

    assert (bucket.stored(), bucket.count(), bucket.extent()) == ([], 0, (None, None))


def test_heartbeat_into_a_recreated_bucket_begins_a_new_event(bucket: RemoteBucket) -> None:
    for second in range(3):
        bucket.heartbeat(at(f"10:00:0{second}"))
    bucket.delete()
    bucket.create()

    answer = bucket.heartbeat(at("10:00:03"))

    assert answer.status == 200
    assert bucket.stored() == [(at("10:00:03"), 0.0, {"a": 1})]


def test_other_buckets_keep_their_events(bucket: RemoteBucket, other_bucket: RemoteBucket) -> None:
    bucket.insert(event(at("10:00:00")))
    other_bucket.insert(event(at("10:00:00"), 2.0))

    bucket.delete()

    assert other_bucket.stored() == [(at("10:00:00"), 2.0, {"a": 1})]


def test_body_of_a_delete_is_ignored(bucket: RemoteBucket) -> None:
    answer = bucket.server.call("DELETE", bucket.path, raw=b"{}")

    assert answer.status == 200


def test_delete_with_a_body_that_is_no_json_is_still_a_delete(bucket: RemoteBucket) -> None:
    answer = bucket.server.call("DELETE", bucket.path, raw=b"not json", headers={"Content-Type": "text/plain"})

    assert answer.status == 200
