"""Watchers record through the relay as they would at the server."""

import pytest

from tests.cli.relay.running_relay import RunningRelay, events_of, moment
from tests.support.server import RunningServer


def test_info_reports_this_computer_in_the_form_that_clients_read(shared_relay: RunningRelay) -> None:
    info = shared_relay.get("/api/0/info/").json

    assert info.keys() == {"hostname", "version", "testing", "device_id"}
    assert info["version"].endswith("(dayline relay)")
    assert shared_relay.get("/api/0/info").json == info


def test_a_bucket_is_created_there_with_all_its_fields(
    shared_server: RunningServer, shared_relay: RunningRelay
) -> None:
    fields = {"created": "2025-01-01T00:00:00Z", "data": {"origin": "x"}, "client": "c", "type": "t", "hostname": "h"}

    answer = shared_relay.post("/api/0/buckets/all%20fields", fields)
    shared_relay.wait_until_sent()

    assert (answer.status, answer.json) == (200, {})
    bucket = shared_server.get("/api/0/buckets/all%20fields").json
    assert {name: bucket[name] for name in fields} == fields


def test_a_bucket_that_was_created_before_is_304_without_a_body(shared_relay: RunningRelay) -> None:
    assert shared_relay.create("twice").status == 200

    again = shared_relay.create("twice")

    assert (again.status, again.body) == (304, b"")
    assert "content-type" not in again.headers


def test_local_is_this_computer_and_not_the_servers(shared_server: RunningServer, shared_relay: RunningRelay) -> None:
    shared_relay.create("local", hostname="!local")
    shared_relay.wait_until_sent()

    bucket = shared_server.get("/api/0/buckets/local").json
    info = shared_relay.get("/api/0/info").json
    assert bucket["hostname"] == info["hostname"]
    assert bucket["data"] == {"device_id": info["device_id"]}
    assert info["device_id"] != shared_server.get("/api/0/info").json["device_id"]


def test_heartbeats_end_in_the_events_that_the_server_would_have(
    shared_server: RunningServer, shared_relay: RunningRelay
) -> None:
    shared_relay.create("beats")

    for second, app in ((0, "editor"), (4, "editor"), (10, "editor"), (11, "browser"), (12, "editor"), (14, "editor")):
        assert shared_relay.beat("beats", second, app=app).status == 200
    shared_relay.wait_until_sent()

    assert events_of(shared_server, "beats") == [
        (0, 4, "editor"),
        (10, 0, "editor"),
        (11, 0, "browser"),
        (12, 2, "editor"),
    ]


def test_a_heartbeat_is_answered_with_an_event_without_an_id(shared_relay: RunningRelay) -> None:
    shared_relay.create("answered")

    answer = shared_relay.beat("answered", 0, duration=2.5, id=7)

    assert answer.headers["content-type"] == "application/json"
    assert answer.json == {"id": None, "timestamp": moment(0), "duration": 2.5, "data": {"app": "editor"}}


def test_events_are_inserted_in_order_and_answered_without_ids(
    shared_server: RunningServer, shared_relay: RunningRelay
) -> None:
    shared_relay.create("inserted")
    event = {"timestamp": moment(0), "duration": 2.0, "data": {"app": "editor"}}

    many = shared_relay.post("/api/0/buckets/inserted/events", [event, {"id": None, **event}])
    one = shared_relay.post("/api/0/buckets/inserted/events", event)
    shared_relay.wait_until_sent()

    assert many.json == [{"id": None, **event}] * 2
    assert one.json == {"id": None, **event}
    assert events_of(shared_server, "inserted") == [(0, 2, "editor")] * 3


def test_events_with_an_id_are_rejected(shared_relay: RunningRelay) -> None:
    shared_relay.create("replaced")
    event = {"timestamp": moment(0), "data": {"app": "editor"}}

    answer = shared_relay.post("/api/0/buckets/replaced/events", [event, {**event, "id": 1}])

    assert answer.status == 403
    assert answer.json["type"] == "Forbidden"


def test_ids_of_any_script_arrive_as_they_are(shared_server: RunningServer, shared_relay: RunningRelay) -> None:
    path = "%C3%A4/heartbeat".replace("/", "%2F")
    shared_relay.create(path)
    shared_relay.beat(path, 0)
    shared_relay.wait_until_sent()

    assert "ä/heartbeat" in shared_server.get("/api/0/buckets/").json
    assert events_of(shared_server, path) == [(0, 0, "editor")]


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/api/0/buckets/bad", b"{", 400),
        ("/api/0/buckets/bad", b'{"type": "t"}', 422),
        ("/api/0/buckets/" + "x" * 513, b'{"client": "c", "type": "t", "hostname": "h"}', 422),
        ("/api/0/buckets/bad/heartbeat", b'{"timestamp": "2026-01-01T10:00:00Z"}', 400),
        ("/api/0/buckets/bad/heartbeat?pulsetime=x", b'{"timestamp": "2026-01-01T10:00:00Z"}', 400),
        ("/api/0/buckets/bad/heartbeat?pulsetime=1", b'{"timestamp": "yesterday"}', 422),
        ("/api/0/buckets/bad/heartbeat?pulsetime=1", b'[{"timestamp": "2026-01-01T10:00:00Z"}]', 422),
        ("/api/0/buckets/bad/events", b'[{"timestamp": "2026-01-01T10:00:00Z", "data": []}]', 422),
        ("/api/0/buckets/%FF", b"{}", 400),
    ],
)
def test_what_the_server_would_reject_is_rejected_at_once(
    shared_relay: RunningRelay, path: str, body: bytes, status: int
) -> None:
    answer = shared_relay.call("POST", path, raw=body)

    assert answer.status == status
    assert answer.json.keys() >= {"message", "type", "request_id"}
    assert answer.headers["x-request-id"] == answer.json["request_id"]
    assert shared_relay.status["waiting"] == 0


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_a_body_that_is_not_declared_as_json_is_rejected(shared_relay: RunningRelay, kind: str) -> None:
    answer = shared_relay.call(
        "POST", "/api/0/buckets/typed/heartbeat?pulsetime=1", raw=b"{}", headers={"Content-Type": kind}
    )

    assert (answer.status, answer.json["type"]) == (415, "WrongType")


def test_a_body_over_the_limit_is_rejected(shared_relay: RunningRelay) -> None:
    answer = shared_relay.call("POST", "/api/0/buckets/large/events", raw=b"[" + b" " * (33 << 20) + b"]")

    assert (answer.status, answer.json["type"]) == (413, "TooLarge")
