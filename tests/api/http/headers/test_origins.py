"""Pages in a browser: which origins are served, and with which headers (protocol 2.5)."""

import pytest

from tests.api.remote_bucket import RemoteBucket
from tests.support.calls.clients import at, each_path
from tests.support.server import RunningServer

OFFICIAL = "chrome-extension://nglaklhklhcoonedhgnpgddginnjdadi"
FOREIGN = [
    "null",
    "http://evil.example",
    "https://localhost:{port}",
    "http://localhost",
    "http://localhost:1",
    "http://localhost:{port}.evil.example",
    "http://evil.example:{port}",
    "http://localhost:{port}/",
    "http://127.0.0.1:27180",
    "xmoz-extension://x",
    "http://evil.example/moz-extension://x",
    "moz-extension://",
    "moz-extension://x/y",
    OFFICIAL + "x",
    "x" + OFFICIAL,
    OFFICIAL + ".evil.example",
    "chrome-extension://aaaabbbbccccddddeeeeffffgggghhhh",
    "",
    "file://",
]


@pytest.mark.parametrize("origin", ["http://localhost:{port}", "http://127.0.0.1:{port}", "http://[::1]:{port}"])
def test_own_pages_may_do_everything(bucket: RemoteBucket, origin: str) -> None:
    server, headers = bucket.server, {"Origin": origin.format(port=bucket.server.port)}

    calls: list[tuple[str, str, object]] = [
        ("GET", "/api/0/buckets/", None),
        ("POST", "/api/0/settings/origin", 1),
        ("GET", f"{bucket.path}/events", None),
        ("PUT", bucket.path, {}),
        ("DELETE", bucket.path, None),
    ]
    for method, path, body in calls:
        answer = server.call(method, path, body, headers=headers)
        assert answer.status in (200, 201)
        assert answer.headers["access-control-allow-origin"] == headers["Origin"]


@pytest.mark.parametrize("origin", FOREIGN)
def test_foreign_page_is_403_before_anything_happens(bucket: RemoteBucket, origin: str) -> None:
    server, headers = bucket.server, {"Origin": origin.format(port=bucket.server.port)}

    for method, path, body in (
        ("GET", "/api/0/info", None),
        ("GET", "/nowhere", None),
        ("OPTIONS", "/api/0/info", None),
        ("POST", f"{bucket.path}/heartbeat?pulsetime=1", {"timestamp": at("10:00:00")}),
        ("DELETE", bucket.path, None),
    ):
        answer = server.call(method, path, body, headers=headers)
        assert (answer.status, answer.json["type"]) == (403, "Forbidden")
        assert "access-control-allow-origin" not in answer.headers
    assert bucket.count() == 0


def test_two_origins_are_403(shared_server: RunningServer) -> None:
    own = f"http://localhost:{shared_server.port}"

    assert shared_server.get("/api/0/info", Origin=f"{own}, http://evil.example").status == 403


def test_request_without_an_origin_is_served_without_cors_headers(shared_server: RunningServer) -> None:
    answer = shared_server.get("/api/0/buckets/")

    assert answer.status == 200
    assert [name for name in answer.headers if name.startswith("access-control")] == []


@pytest.mark.parametrize("path", ["/api/0/info", "/nowhere", "/api/0/buckets/nowhere"])
def test_every_answer_varies_by_origin(shared_server: RunningServer, path: str) -> None:
    own = f"http://localhost:{shared_server.port}"

    for headers in ({}, {"Origin": own}, {"Origin": "http://evil.example"}):
        assert shared_server.call("GET", path, headers=headers).headers["vary"] == "Origin"


@each_path
def test_heartbeat_varies_by_origin_too(bucket: RemoteBucket, content_type: str) -> None:
    assert bucket.heartbeat(at("10:00:00"), headers={"Content-Type": content_type}).headers["vary"] == "Origin"


def test_own_page_can_read_the_message_of_an_error(shared_server: RunningServer) -> None:
    own = f"http://localhost:{shared_server.port}"

    answer = shared_server.get("/api/0/buckets/nowhere", Origin=own)

    assert (answer.status, answer.headers["access-control-allow-origin"]) == (404, own)


def test_no_credentials_are_ever_allowed(shared_server: RunningServer) -> None:
    own = f"http://localhost:{shared_server.port}"

    assert "access-control-allow-credentials" not in shared_server.get("/api/0/info", Origin=own).headers


@each_path
def test_heartbeat_of_an_extension_is_stored_and_readable_to_it(bucket: RemoteBucket, content_type: str) -> None:
    answer = bucket.heartbeat(at("10:00:00"), headers={"Content-Type": content_type, "Origin": "moz-extension://x"})

    assert (answer.status, answer.headers["access-control-allow-origin"]) == (200, "moz-extension://x")


@each_path
def test_heartbeat_of_a_foreign_page_is_not_stored(bucket: RemoteBucket, content_type: str) -> None:
    answer = bucket.heartbeat(at("10:00:00"), headers={"Content-Type": content_type, "Origin": "http://evil.example"})

    assert answer.status == 403
    assert bucket.count() == 0
