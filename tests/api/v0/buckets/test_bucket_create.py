"""Creating a bucket (protocol 1.1, 3.4)."""

from datetime import UTC, datetime, timedelta

import pytest

from tests.api.remote_bucket import RemoteBucket
from tests.support.server import RunningServer

FIELDS = {"client": "c", "type": "t", "hostname": "h"}


def test_creating_answers_with_an_empty_object(shared_server: RunningServer) -> None:
    answer = shared_server.create("new")

    assert (answer.status, answer.json) == (200, {})


def test_created_bucket_is_shown_with_every_field(shared_server: RunningServer) -> None:
    shared_server.post("/api/0/buckets/whole", {**FIELDS, "created": "2026-02-03T08:15:30.123456Z", "data": {"k": [1]}})

    assert shared_server.get("/api/0/buckets/whole").json == {
        "id": "whole",
        "type": "t",
        "client": "c",
        "hostname": "h",
        "created": "2026-02-03T08:15:30.123456Z",
        "data": {"k": [1]},
        "metadata": {"start": None, "end": None},
        "events": None,
        "last_updated": None,
    }


def test_created_is_now_in_utc_with_a_zone_when_it_is_not_given(shared_server: RunningServer) -> None:
    before = datetime.now(UTC)
    shared_server.create("now")

    created = RemoteBucket(shared_server, "now").view()["created"]

    assert created.endswith("Z")
    assert before - timedelta(milliseconds=1) <= datetime.fromisoformat(created) <= datetime.now(UTC)


def test_null_created_means_now(shared_server: RunningServer) -> None:
    shared_server.create("null-created", created=None)

    created = RemoteBucket(shared_server, "null-created").view()["created"]

    assert datetime.fromisoformat(created) <= datetime.now(UTC)


def test_given_created_is_stored_in_utc(shared_server: RunningServer) -> None:
    shared_server.create("given", created="2020-06-01T12:00:00+02:00")

    assert RemoteBucket(shared_server, "given").view()["created"] == "2020-06-01T10:00:00Z"


def test_given_data_are_stored_value_for_value(shared_server: RunningServer) -> None:
    data = {"$aw.sync.origin": "elsewhere", "n": 1, "f": 1.0, "nested": {"list": [None, True, "é"]}}
    shared_server.create("data", data=data)

    kept = RemoteBucket(shared_server, "data").view()["data"]

    assert kept == data
    assert (type(kept["n"]), type(kept["f"])) == (int, float)


def test_id_in_the_body_is_ignored(shared_server: RunningServer) -> None:
    shared_server.create("from-url", id="from-body")

    assert shared_server.get("/api/0/buckets/from-url").json["id"] == "from-url"
    assert shared_server.get("/api/0/buckets/from-body").status == 404


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("metadata", {"start": "2020-01-01T00:00:00Z", "end": "2021-01-01T00:00:00Z"}),
        ("last_updated", "2020-01-01T00:00:00Z"),
        ("events", [{"timestamp": "2020-01-01T00:00:00Z", "duration": 1}]),
    ],
)
def test_what_the_server_computes_is_ignored_when_sent(shared_server: RunningServer, field: str, value: object) -> None:
    shared_server.create(f"computed-{field}", **{field: value})

    view = RemoteBucket(shared_server, f"computed-{field}").view()

    assert (view["metadata"], view["last_updated"], view["events"]) == ({"start": None, "end": None}, None, None)
    assert RemoteBucket(shared_server, f"computed-{field}").count() == 0


def test_name_is_ignored_and_never_emitted(shared_server: RunningServer) -> None:
    shared_server.create("named", name="My bucket")

    assert "name" not in RemoteBucket(shared_server, "named").view()


def test_unknown_keys_are_ignored(shared_server: RunningServer) -> None:
    assert shared_server.create("unknown-keys", flavor="red", nested={"a": [1]}).status == 200


def test_local_mark_becomes_the_server_s_hostname_and_device_id(shared_server: RunningServer) -> None:
    info = shared_server.get("/api/0/info").json
    shared_server.create("local", hostname="!local", data={"kept": True})

    view = RemoteBucket(shared_server, "local").view()

    assert view["hostname"] == info["hostname"]
    assert view["data"] == {"kept": True, "device_id": info["device_id"]}


@pytest.mark.parametrize("field", ["type", "client", "hostname"])
def test_missing_field_is_422_and_named(shared_server: RunningServer, field: str) -> None:
    body = {name: value for name, value in FIELDS.items() if name != field}

    answer = shared_server.post("/api/0/buckets/incomplete", body)

    assert (answer.status, answer.json["field"]) == (422, field)
    assert answer.message == f"{field} is missing"
    assert shared_server.get("/api/0/buckets/incomplete").status == 404


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("type", 1),
        ("type", None),
        ("client", ["c"]),
        ("hostname", {}),
        ("data", []),
        ("data", "x"),
        ("data", 1),
        ("created", 1770106530),
        ("created", "yesterday"),
        ("created", "1500-01-01T00:00:00Z"),
        ("created", "9999-01-01T00:00:00Z"),
    ],
)
def test_field_of_the_wrong_kind_is_422_and_named(shared_server: RunningServer, field: str, value: object) -> None:
    answer = shared_server.post("/api/0/buckets/wrong", {**FIELDS, field: value})

    assert (answer.status, answer.json["field"]) == (422, field)
    assert field in answer.message
    assert shared_server.get("/api/0/buckets/wrong").status == 404


@pytest.mark.parametrize("body", [[], [FIELDS], "x", 1, True])
def test_body_that_is_no_object_is_422(shared_server: RunningServer, body: object) -> None:
    assert shared_server.post("/api/0/buckets/no-object", body).status == 422
    assert shared_server.get("/api/0/buckets/no-object").status == 404


@pytest.mark.parametrize("field", ["type", "client", "hostname"])
def test_empty_text_is_a_text(shared_server: RunningServer, field: str) -> None:
    shared_server.create(f"empty-{field}", **{field: ""})

    assert RemoteBucket(shared_server, f"empty-{field}").view()[field] == ""
