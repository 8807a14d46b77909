"""Exporting one bucket, and all (protocol 3.14)."""

import pytest

from tests.api.remote_bucket import RemoteBucket, event
from tests.support.calls.clients import at
from tests.support.server import RunningServer

CREATED = "2026-01-01T09:00:00Z"


def test_bucket_is_exported_whole_inside_the_wrapper(shared_server: RunningServer) -> None:
    bucket = RemoteBucket(shared_server, "whole")
    bucket.create(created=CREATED, data={"k": 1})
    bucket.insert(event(at("10:00:00"), 1.0, {"a": 1}), event(at("10:00:05.500"), 2.25, {"a": 2}))

    assert shared_server.get("/api/0/buckets/whole/export").json == {
        "buckets": {
            "whole": {
                "id": "whole",
                "type": "test.type",
                "client": "test-client",
                "hostname": "test-host",
                "created": CREATED,
                "data": {"k": 1},
                "metadata": {"start": at("10:00:00"), "end": at("10:00:07.750")},
                "last_updated": at("10:00:07.750"),
                "events": [
                    {"timestamp": at("10:00:05.500"), "duration": 2.25, "data": {"a": 2}},
                    {"timestamp": at("10:00:00"), "duration": 1.0, "data": {"a": 1}},
                ],
            }
        }
    }


def test_empty_server_exports_no_buckets(server: RunningServer) -> None:
    assert server.get("/api/0/export").json == {"buckets": {}}


def test_full_export_holds_what_each_bucket_s_export_holds(
    shared_server: RunningServer, bucket: RemoteBucket, other_bucket: RemoteBucket
) -> None:
    bucket.insert(event(at("10:00:00"), 1.0))

    buckets = shared_server.get("/api/0/export").json["buckets"]

    for one in (bucket, other_bucket):
        assert buckets[one.id] == shared_server.get(f"{one.path}/export").json["buckets"][one.id]


def test_empty_bucket_exports_an_empty_list(bucket: RemoteBucket) -> None:
    assert bucket.server.get(f"{bucket.path}/export").json["buckets"][bucket.id]["events"] == []


def test_exported_events_are_unclipped_newest_first_and_without_ids(bucket: RemoteBucket) -> None:
    bucket.insert(event(at("10:00:00"), 86400.0), event(at("12:00:00")), event(at("11:00:00"), -1.0))

    exported = bucket.server.get(f"{bucket.path}/export?start={at('11:30:00')}").json["buckets"][bucket.id]["events"]

    assert [(item["timestamp"], item["duration"]) for item in exported] == [
        (at("12:00:00"), 0.0),
        (at("11:00:00"), -1.0),
        (at("10:00:00"), 86400.0),
    ]
    assert all(item.keys() == {"timestamp", "duration", "data"} for item in exported)


def test_missing_bucket_is_404_json(shared_server: RunningServer) -> None:
    answer = shared_server.get("/api/0/buckets/nowhere/export")

    assert answer.status == 404
    assert "'nowhere'" in answer.message


def test_export_is_a_json_attachment_named_after_the_bucket(bucket: RemoteBucket) -> None:
    headers = bucket.server.get(f"{bucket.path}/export").headers

    assert headers["content-type"] == "application/json"
    assert headers["content-disposition"] == f"attachment; filename=aw-bucket-export_{bucket.id}.json"


def test_full_export_is_named_for_all_buckets(shared_server: RunningServer) -> None:
    headers = shared_server.get("/api/0/export").headers

    assert headers["content-type"] == "application/json"
    assert headers["content-disposition"] == "attachment; filename=aw-buckets-export.json"


@pytest.mark.parametrize(
    "bucket_id",
    [
        "a\r\nSet-Cookie: x=1",
        'a"; filename=evil.exe',
        "../../etc/passwd",
        "日本語",
        "a b;c",
        "\x7f\x01",
        "\U0001f600",
        "x" * 512,
    ],
)
def test_file_name_is_harmless_whatever_the_bucket_is_called(shared_server: RunningServer, bucket_id: str) -> None:
    bucket = RemoteBucket(shared_server, bucket_id)
    bucket.create()

    answer = shared_server.get(f"{bucket.path}/export")

    assert answer.status == 200
    assert "set-cookie" not in answer.headers
    plain, _, extended = answer.headers["content-disposition"].removeprefix("attachment; filename=").partition("; ")
    assert set(plain) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")
    assert extended == "" or extended.startswith("filename*=UTF-8''")
    assert answer.json["buckets"][bucket_id]["id"] == bucket_id
