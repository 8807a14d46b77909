"""Updating a bucket: only what is sent changes (protocol 3.5)."""

import pytest

from tests.api.remote_bucket import RemoteBucket
from tests.support.calls.clients import at
from tests.support.server import Answer, RunningServer


def update(bucket: RemoteBucket, body: object) -> Answer:
    return bucket.server.call("PUT", bucket.path, body)


@pytest.mark.parametrize(
    ("field", "value"), [("type", "other.type"), ("client", "other"), ("hostname", "other"), ("data", {"a": {"b": 1}})]
)
def test_one_field_changes_and_the_others_stay(bucket: RemoteBucket, field: str, value: object) -> None:
    before = bucket.view()

    answer = update(bucket, {field: value})

    assert (answer.status, answer.json) == (200, {})
    assert bucket.view() == {**before, field: value}


def test_all_fields_change_at_once(bucket: RemoteBucket) -> None:
    fields = {"type": "t2", "client": "c2", "hostname": "h2", "data": {"new": True}}

    update(bucket, fields)

    assert {name: bucket.view()[name] for name in fields} == fields


def test_data_are_replaced_not_merged(bucket: RemoteBucket) -> None:
    update(bucket, {"data": {"old": 1}})
    update(bucket, {"data": {"new": 2}})

    assert bucket.view()["data"] == {"new": 2}


def test_empty_object_changes_nothing(bucket: RemoteBucket) -> None:
    before = bucket.view()

    assert update(bucket, {}).status == 200
    assert bucket.view() == before


def test_name_id_and_created_are_ignored(bucket: RemoteBucket) -> None:
    before = bucket.view()

    assert update(bucket, {"name": "n", "id": "other", "created": "2020-01-01T00:00:00Z", "events": []}).status == 200
    assert bucket.view() == before


def test_events_stay(bucket: RemoteBucket) -> None:
    bucket.heartbeat(at("10:00:00"), duration=3)

    update(bucket, {"hostname": "moved"})

    assert bucket.stored() == [(at("10:00:00"), 3.0, {"a": 1})]
    assert bucket.extent() == (at("10:00:00"), at("10:00:03"))


def test_missing_bucket_is_404(shared_server: RunningServer) -> None:
    assert shared_server.call("PUT", "/api/0/buckets/nowhere", {"type": "t"}).status == 404
    assert shared_server.get("/api/0/buckets/nowhere").status == 404


@pytest.mark.parametrize("body", [{"type": 1}, {"type": None}, {"data": []}, {"data": None}, [], "x"])
def test_wrong_kind_is_422_and_changes_nothing(bucket: RemoteBucket, body: object) -> None:
    before = bucket.view()

    assert update(bucket, body).status == 422
    assert bucket.view() == before
