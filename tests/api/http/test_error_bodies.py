"""Every response has a number; every response but 2xx and 304 says in JSON what happened (protocol 2.3, decision 1)."""

from itertools import pairwise

import pytest

from tests.api.remote_bucket import RemoteBucket, event
from tests.support.calls.clients import at
from tests.support.calls.raw_connection import RawConnection
from tests.support.server import Answer, RunningServer

FAULTS: dict[str, tuple[int, str, str, str, bytes | None, dict[str, str]]] = {
    "Malformed": (400, "Malformed", "POST", "/api/0/buckets/{id}/events", b"{", {}),
    "a bad parameter": (400, "Malformed", "GET", "/api/0/buckets/{id}/events?start=x", None, {}),
    "a foreign host": (400, "Malformed", "GET", "/api/0/info", None, {"Host": "evil.example"}),
    "a bad path": (400, "Malformed", "GET", "/api/0/buckets/%ff", None, {}),
    "Forbidden": (403, "Forbidden", "GET", "/api/0/info", None, {"Origin": "http://evil.example"}),
    "a preflight for PUT": (
        403, "Forbidden", "OPTIONS", "/api/0/buckets/x", None,
        {"Origin": "moz-extension://x", "Access-Control-Request-Method": "PUT"},
    ),
    "an unknown path": (404, "PathNotFound", "GET", "/nowhere", None, {}),
    "an unknown bucket": (404, "BucketNotFound", "GET", "/api/0/buckets/nowhere", None, {}),
    "an unknown event": (404, "EventNotFound", "GET", "/api/0/buckets/{id}/events/999999999", None, {}),
    "an unknown bucket's heartbeat": (
        404, "BucketNotFound", "POST", "/api/0/buckets/nowhere/heartbeat?pulsetime=1",
        b'{"timestamp":"2026-01-01T10:00:00Z"}', {},
    ),
    "NotAllowed": (405, "NotAllowed", "PATCH", "/api/0/info", None, {}),
    "WrongType": (415, "WrongType", "POST", "/api/0/buckets/{id}/events", b"[]", {"Content-Type": "text/plain"}),
    "Invalid": (422, "Invalid", "POST", "/api/0/buckets/{id}/events", b"[7]", {}),
    "an invalid heartbeat": (422, "Invalid", "POST", "/api/0/buckets/{id}/heartbeat?pulsetime=1", b"{}", {}),
}  # fmt: skip
each_fault = pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())


def provoke(bucket: RemoteBucket, fault: tuple[int, str, str, str, bytes | None, dict[str, str]]) -> Answer:
    _, _, method, path, raw, headers = fault
    return bucket.server.call(method, path.format(id=bucket.id), raw=raw, headers=headers)


@each_fault
def test_error_has_its_status_and_a_message(
    bucket: RemoteBucket, fault: tuple[int, str, str, str, bytes | None, dict[str, str]]
) -> None:
    answer = provoke(bucket, fault)

    assert (answer.status, answer.json["type"]) == fault[:2]
    assert answer.headers["content-type"] == "application/json"
    assert isinstance(answer.json["message"], str)
    assert answer.json["message"]


@each_fault
def test_error_carries_the_number_of_its_request(
    bucket: RemoteBucket, fault: tuple[int, str, str, str, bytes | None, dict[str, str]]
) -> None:
    answer = provoke(bucket, fault)

    assert answer.json["request_id"] == answer.headers["x-request-id"]


@each_fault
def test_error_has_no_keys_beyond_the_agreed_ones(
    bucket: RemoteBucket, fault: tuple[int, str, str, str, bytes | None, dict[str, str]]
) -> None:
    body = provoke(bucket, fault).json

    assert {"message", "type", "request_id"} <= body.keys()
    assert body.keys() <= {"message", "type", "request_id", "hint", "field", "line", "column"}


def test_conflict_is_reported_like_the_others(bucket: RemoteBucket, other_bucket: RemoteBucket) -> None:
    [elsewhere] = other_bucket.insert(event(at("10:00:00")))

    answer = bucket.post_events(event(at("10:00:00"), id=elsewhere["id"]))

    assert (answer.status, answer.json["type"]) == (409, "EventElsewhere")
    assert answer.json["request_id"] == answer.headers["x-request-id"]
    assert answer.json["hint"]


def test_message_of_an_unknown_bucket_names_it_and_has_a_hint(bucket: RemoteBucket) -> None:
    answer = bucket.server.get("/api/0/buckets/aw-watcher-foo")

    assert answer.message == "no bucket named 'aw-watcher-foo'"
    assert "POST /api/0/buckets/<id>" in answer.json["hint"]


def test_every_answer_has_a_number_of_its_own(bucket: RemoteBucket) -> None:
    server = bucket.server
    answers = [
        server.get("/api/0/info"),
        server.get("/api/0/info"),
        server.get("/nowhere"),
        bucket.create(),
        bucket.heartbeat(at("10:00:00")),
        bucket.heartbeat(at("10:00:00")),
        server.get(f"{bucket.path}/export"),
        server.call("OPTIONS", "/"),
        server.call("HEAD", "/api/0/info"),
        server.post("/api/0/import", {"buckets": {}}),
        server.post("/api/0/settings/x", 1),
        server.call("DELETE", "/api/0/settings/x"),
    ]

    assert len({answer.headers["x-request-id"] for answer in answers}) == len(answers)


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", "a" * 10_000, "é\u202e", '"\\'])
def test_client_s_text_in_a_message_is_harmless(bucket: RemoteBucket, text: str) -> None:
    answer = bucket.server.post(f"{bucket.path}/heartbeat?pulsetime=1", {"timestamp": text})

    assert answer.status == 422
    assert answer.headers["content-type"] == "application/json"
    assert len(answer.message) < 300


def test_request_number_of_the_client_is_not_taken_over(bucket: RemoteBucket) -> None:
    with RawConnection(bucket.server) as connection:
        connection.send(b"GET /api/0/info HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: mine\r\n\r\n")

        assert connection.answer().headers["x-request-id"] != "mine"


def test_request_ids_do_not_reveal_the_number_of_requests(shared_server: RunningServer) -> None:
    ids = [shared_server.get("/api/0/info").headers["x-request-id"] for _ in range(20)]

    assert len({each[:8] for each in ids}) == 20
    assert len({int(b, 16) - int(a, 16) for a, b in pairwise(ids)}) == 19
