"""HEAD, OPTIONS, and methods that a path does not have (protocol 2.1)."""

import pytest

from dayline.api.routes import ROUTES
from tests.api.remote_bucket import RemoteBucket, event
from tests.support.calls.clients import at
from tests.support.calls.raw_connection import RawConnection, request
from tests.support.server import RunningServer

API_GETS = [route.path for route in ROUTES if route.method == "GET" and route.path.startswith("/api/0/")]
SOME_PATHS = ["/", "/api/0/info", "/api/0/buckets/x", "/api/0/buckets/x/heartbeat", "/nowhere", "/api/0/%00"]


@pytest.fixture
def filled(bucket: RemoteBucket) -> RemoteBucket:
    bucket.insert(event(at("10:00:00"), 1.0), event(at("11:00:00"), 1.0))
    return bucket


def concrete(path: str, bucket: RemoteBucket) -> str:
    return path.format(bucket_id=bucket.id, event_id=bucket.ids()[0], key="theme")


@pytest.mark.parametrize("path", API_GETS)
def test_head_answers_as_get_does_without_the_body(filled: RemoteBucket, path: str) -> None:
    path = concrete(path, filled)
    get = filled.server.get(path)

    with RawConnection(filled.server) as connection:
        connection.send(request("HEAD", path) + request("GET", "/api/0/info"))
        head = connection.answer(to_head=True)

        # A byte of body would stand before the next response.
        assert connection.answer().json["testing"] is False
    assert (head.status, head.headers["content-type"]) == (200, get.headers["content-type"])
    assert head.headers.get("content-disposition") == get.headers.get("content-disposition")
    assert head.headers["x-request-id"]


@pytest.mark.parametrize(
    "path", ["/nowhere", "/api/0/buckets/nowhere", "/api/0/buckets/nowhere/events", "/api/0/import"]
)
def test_head_answers_an_error_without_a_body(shared_server: RunningServer, path: str) -> None:
    with RawConnection(shared_server) as connection:
        connection.send(request("HEAD", path) + request("GET", "/api/0/info"))
        head = connection.answer(to_head=True)

        assert connection.answer().json["testing"] is False
    assert head.status == (405 if path.endswith("import") else 404)


@pytest.mark.parametrize("path", SOME_PATHS)
def test_options_is_200_and_empty_on_any_path(shared_server: RunningServer, path: str) -> None:
    answer = shared_server.call("OPTIONS", path)

    assert (answer.status, answer.body) == (200, b"")
    assert answer.headers["x-request-id"]


def test_options_of_the_server_as_a_whole_is_200(shared_server: RunningServer) -> None:
    with RawConnection(shared_server) as connection:
        connection.send(request("OPTIONS", "*"))

        assert connection.answer().status == 200


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/api/0/info", "GET, HEAD, OPTIONS"),
        ("/api/0/log", "GET, HEAD, OPTIONS"),
        ("/api/0/buckets/", "GET, HEAD, OPTIONS"),
        ("/api/0/buckets/{bucket_id}", "DELETE, GET, HEAD, OPTIONS, POST, PUT"),
        ("/api/0/buckets/{bucket_id}/events", "GET, HEAD, OPTIONS, POST"),
        ("/api/0/buckets/{bucket_id}/events/count", "GET, HEAD, OPTIONS"),
        ("/api/0/buckets/{bucket_id}/events/{event_id}", "DELETE, GET, HEAD, OPTIONS"),
        ("/api/0/buckets/{bucket_id}/heartbeat", "OPTIONS, POST"),
        ("/api/0/buckets/{bucket_id}/export", "GET, HEAD, OPTIONS"),
        ("/api/0/export", "GET, HEAD, OPTIONS"),
        ("/api/0/import", "OPTIONS, POST"),
        ("/api/0/settings", "GET, HEAD, OPTIONS, POST"),
        ("/api/0/settings/{key}", "DELETE, GET, HEAD, OPTIONS, POST"),
        ("/api/1/settings", "GET, HEAD, OPTIONS, PATCH"),
    ],
)
def test_other_methods_are_405_with_those_that_are_allowed(filled: RemoteBucket, path: str, allowed: str) -> None:
    path = concrete(path, filled)

    for method in {"GET", "POST", "PUT", "DELETE", "PATCH"} - set(allowed.split(", ")):
        answer = filled.server.call(method, path, {} if method != "GET" else None)
        assert (answer.status, answer.headers["allow"]) == (405, allowed)
        assert method in answer.message
        assert allowed in answer.json["hint"]


@pytest.mark.parametrize(
    "method", ["PATCH", "TRACE", "PROPFIND", "COPY", "LOCK", "PURGE", "SEARCH", "MERGE", "M-SEARCH", "LINK"]
)
def test_unusual_methods_are_refused_in_json(shared_server: RunningServer, method: str) -> None:
    answer = shared_server.call(method, "/api/0/info")

    assert answer.status in (400, 405)
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-request-id"] == answer.json["request_id"]


@pytest.mark.parametrize(
    "path",
    [
        "/nowhere",
        "/api/0",
        "/api/0/nowhere",
        "/api/1/info",
        "/api/0/info/x",
        "/api/0/buckets/x/y",
        "/API/0/info",
        "/api/0/Info",
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_unknown_paths_are_404_whatever_the_method(shared_server: RunningServer, path: str, method: str) -> None:
    answer = shared_server.call(method, path, {} if method == "POST" else None)

    assert answer.status == 404
    assert path in answer.message
