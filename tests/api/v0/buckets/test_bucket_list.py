"""Listing buckets and getting one (protocol 3.2, 3.3)."""

from tests.api.remote_bucket import RemoteBucket
from tests.support.calls.clients import at
from tests.support.server import RunningServer

KEYS = {"id", "type", "client", "hostname", "created", "data", "metadata", "events", "last_updated"}


def test_empty_server_lists_an_empty_object(server: RunningServer) -> None:
    assert server.get("/api/0/buckets/").json == {}


def test_list_maps_each_id_to_what_get_shows(shared_server: RunningServer, bucket: RemoteBucket) -> None:
    bucket.heartbeat(at("10:00:00"), duration=3)

    assert shared_server.get("/api/0/buckets/").json[bucket.id] == bucket.view()


def test_bucket_has_every_key_and_no_events(shared_server: RunningServer, bucket: RemoteBucket) -> None:
    bucket.heartbeat(at("10:00:00"))

    listed = shared_server.get("/api/0/buckets/").json[bucket.id]

    assert listed.keys() == KEYS
    assert listed["events"] is None


def test_missing_bucket_is_404_and_named(shared_server: RunningServer) -> None:
    answer = shared_server.get("/api/0/buckets/nowhere")

    assert answer.status == 404
    assert "'nowhere'" in answer.message


def test_ids_are_case_sensitive(shared_server: RunningServer, bucket: RemoteBucket) -> None:
    assert shared_server.get(bucket.path.replace("bucket-", "Bucket-")).status == 404
