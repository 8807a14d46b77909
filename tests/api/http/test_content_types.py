"""Bodies are JSON and must be declared so: it is what forces a preflight on hostile pages (protocol 2.2, traps 33)."""

import msgspec
import pytest

from tests.api.remote_bucket import RemoteBucket, event
from tests.support.calls.clients import at
from tests.support.calls.raw_connection import RawConnection

CALLS: dict[str, tuple[str, str, object]] = {
    "create": ("POST", "/api/0/buckets/{id}-new", {"type": "t", "client": "c", "hostname": "h"}),
    "update": ("PUT", "/api/0/buckets/{id}", {"hostname": "other"}),
    "insert": ("POST", "/api/0/buckets/{id}/events", [event(at("10:00:00"))]),
    "heartbeat": ("POST", "/api/0/buckets/{id}/heartbeat?pulsetime=5", event(at("10:00:00"))),
    "setting": ("POST", "/api/0/settings/{id}", 1),
    "import": ("POST", "/api/0/import", {"buckets": {}}),
}
each_call = pytest.mark.parametrize(("method", "path", "body"), CALLS.values(), ids=CALLS.keys())


@each_call
@pytest.mark.parametrize(
    "kind",
    [
        "application/json",
        "application/json; charset=utf-8",
        "application/json;charset=UTF-8",
        "APPLICATION/JSON",
        "Application/Json ; charset=utf-8",
    ],
)
def test_json_in_any_spelling_is_accepted(
    bucket: RemoteBucket, method: str, path: str, body: object, kind: str
) -> None:
    answer = bucket.server.call(method, path.format(id=bucket.id), body, headers={"Content-Type": kind})

    assert answer.status in (200, 201)


@each_call
@pytest.mark.parametrize(
    "kind",
    [
        "text/plain",
        "text/plain; charset=utf-8",
        "application/x-www-form-urlencoded",
        "text/json",
        "application/jsonp",
        "application/json5",
        "xapplication/json",
        "application/json, text/plain",
        "text/plain; x=application/json",
        "",
        "*/*",
        "json",
    ],
)
def test_any_other_type_is_415_and_changes_nothing(
    bucket: RemoteBucket, method: str, path: str, body: object, kind: str
) -> None:
    before = bucket.view()

    answer = bucket.server.call(method, path.format(id=bucket.id), body, headers={"Content-Type": kind})

    assert (answer.status, answer.json["type"]) == (415, "WrongType")
    assert "application/json" in answer.message
    assert bucket.view() == before
    assert bucket.server.get(f"{bucket.path}-new").status == 404
    assert bucket.server.get(f"/api/0/settings/{bucket.id}").json is None


@each_call
def test_missing_type_is_415(bucket: RemoteBucket, method: str, path: str, body: object) -> None:
    text = msgspec.json.encode(body)
    head = f"{method} {path.format(id=bucket.id)} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(text)}\r\n\r\n"

    with RawConnection(bucket.server) as connection:
        connection.send(head.encode() + text)

        assert connection.answer().status == 415


@pytest.mark.parametrize("kind", ["multipart/form-data; boundary=x", "Multipart/Form-Data; boundary=x"])
def test_form_is_taken_by_import_alone(bucket: RemoteBucket, kind: str) -> None:
    for name, (method, path, _) in CALLS.items():
        if name != "import":
            answer = bucket.server.call(method, path.format(id=bucket.id), raw=b"--x--", headers={"Content-Type": kind})
            assert answer.status == 415


def test_answers_are_declared_as_json(bucket: RemoteBucket) -> None:
    for path in ("/api/0/info", "/api/0/buckets/", bucket.path, f"{bucket.path}/events", "/api/0/settings", "/nowhere"):
        assert bucket.server.get(path).headers["content-type"] == "application/json"


def test_answers_have_no_byte_order_mark(bucket: RemoteBucket) -> None:
    for path in ("/api/0/info", f"{bucket.path}/events", "/api/0/export", "/api/0/settings"):
        assert bucket.server.get(path).body[:1] in b"{["
