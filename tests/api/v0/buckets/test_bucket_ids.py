"""Bucket ids in URLs: opaque, percent-decoded exactly once, a slash inside included (protocol 1.1, decision 21)."""

import pytest

from tests.api.remote_bucket import RemoteBucket, event
from tests.support.calls.clients import at
from tests.support.server import RunningServer

IDS = [
    "aw-watcher-window_laptop.local",
    "with blank",
    "a/b",
    "a/events",
    "a/events/count",
    "/leading",
    "trailing/",
    "//",
    ".",
    "..",
    "a%2Fb",
    "100%",
    "a+b",
    "a?b#c&d=e",
    "ünïcödé",
    "日本語",
    "\U0001f600",
    "e\u0301",
    "'\"<>\\",
    "a\r\nb",
    "a\tb",
    "\x7f",
    "events",
    "count",
    "heartbeat",
    "x" * 512,
]


@pytest.mark.parametrize("bucket_id", IDS)
def test_any_text_is_an_id_in_every_call(shared_server: RunningServer, bucket_id: str) -> None:
    bucket = RemoteBucket(shared_server, bucket_id)

    assert bucket.create().status == 200
    assert bucket.create().status == 304
    assert bucket.view()["id"] == bucket_id
    assert bucket_id in shared_server.get("/api/0/buckets/").json
    assert bucket.heartbeat(at("10:00:00")).status == 200
    assert bucket.heartbeat(at("10:00:01"), headers={"Content-Type": "application/json; charset=utf-8"}).status == 200
    [stored] = bucket.insert(event(at("11:00:00")))
    assert bucket.event(stored["id"]).status == 200
    assert bucket.count() == 2
    assert list(shared_server.get(f"{bucket.path}/export").json["buckets"]) == [bucket_id]
    assert bucket.delete_event(stored["id"]).json == {"success": True}
    assert bucket.delete().status == 200
    assert shared_server.get(bucket.path).status == 404


def test_encoded_slash_does_not_reach_the_events_of_another_bucket(shared_server: RunningServer) -> None:
    RemoteBucket(shared_server, "a").create()
    RemoteBucket(shared_server, "a").insert(event(at("10:00:00")))

    assert shared_server.get("/api/0/buckets/a%2Fevents").status == 404
    assert shared_server.get("/api/0/buckets/a%2fevents").status == 404
    assert shared_server.call("DELETE", "/api/0/buckets/a%2Fevents%2F1").status == 404
    assert RemoteBucket(shared_server, "a").count() == 1


def test_encoded_slash_creates_the_bucket_that_has_it(shared_server: RunningServer) -> None:
    shared_server.create("slash%2Fevents")

    assert shared_server.get("/api/0/buckets/slash%2Fevents").json["id"] == "slash/events"


def test_heartbeat_to_an_encoded_path_goes_to_no_other_bucket(shared_server: RunningServer) -> None:
    RemoteBucket(shared_server, "b").create()

    body = event(at("10:00:00"))

    assert shared_server.post("/api/0/buckets/b%2Fheartbeat/heartbeat?pulsetime=1", body).status == 404
    assert (
        shared_server.post("/api/0/buckets/b%2Fheartbeat?pulsetime=1", body).status == 422
    )  # a create, without fields
    assert RemoteBucket(shared_server, "b").count() == 0


def test_id_is_decoded_once_not_twice(shared_server: RunningServer) -> None:
    shared_server.create("once%252Fonly")

    assert shared_server.get("/api/0/buckets/once%252Fonly").json["id"] == "once%2Fonly"
    assert shared_server.get("/api/0/buckets/once%2Fonly").status == 404


def test_plus_in_a_path_is_a_plus(shared_server: RunningServer) -> None:
    shared_server.create("one+two")

    assert shared_server.get("/api/0/buckets/one+two").json["id"] == "one+two"
    assert shared_server.get("/api/0/buckets/one%20two").status == 404


def test_characters_that_look_alike_are_different_ids(shared_server: RunningServer) -> None:
    assert RemoteBucket(shared_server, "caf\u00e9").create().status == 200
    assert RemoteBucket(shared_server, "cafe\u0301").create().status == 200


@pytest.mark.parametrize("segment", ["%00", "a%00", "%00a", "%ff", "a%C0%AFb", "%ED%A0%80", "%F4%90%80%80", "%e2%82"])
@pytest.mark.parametrize("rest", ["", "/events", "/events/count", "/export"])
def test_null_and_broken_utf8_in_an_id_are_400(shared_server: RunningServer, segment: str, rest: str) -> None:
    answer = shared_server.get(f"/api/0/buckets/{segment}{rest}")

    assert answer.status == 400
    assert "null character" in answer.message or "UTF-8" in answer.message


@pytest.mark.parametrize("segment", ["%00", "%ff"])
def test_bucket_with_null_or_broken_utf8_is_not_created(shared_server: RunningServer, segment: str) -> None:
    before = shared_server.get("/api/0/buckets/").json

    assert shared_server.create(f"bad{segment}").status == 400
    assert shared_server.get("/api/0/buckets/").json == before


@pytest.mark.parametrize("segment", ["%", "%4", "%zz", "a%", "%%41"])
def test_percent_sign_that_encodes_nothing_is_literal(shared_server: RunningServer, segment: str) -> None:
    assert shared_server.get(f"/api/0/buckets/{segment}").status == 404


def test_id_longer_than_512_characters_is_refused_with_the_limit(shared_server: RunningServer) -> None:
    answer = shared_server.create("x" * 513)

    assert (answer.status, answer.json["field"]) == (422, "id")
    assert "512" in answer.message
