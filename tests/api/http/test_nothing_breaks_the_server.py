"""Whatever a client sends: never a 500, never a broken answer, and the next client is served (design P8)."""

import http.client
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.calls.raw_connection import RawConnection, request
from tests.support.server import RunningServer
from tests.support.waiting import PATIENCE_S

ODD: list[Any] = [
    "2026-01-01T10:00:00Z", "9999-12-31T23:59:59Z", "0000-00-00", "!local", "", "\0", "é", "\U0001f600",
    0, 1, -1, 1.5, -0.0, 1e300, 2**53, 2**63, 2**64, 10**30, None, True, [], {},
]  # fmt: skip
KEYS = st.sampled_from(
    ["id", "timestamp", "duration", "data", "type", "client", "hostname", "created", "events", "buckets", "x"]
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from(ODD),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=8,
)
BODIES = (
    VALUES.map(msgspec.json.encode) | st.binary(max_size=40) | VALUES.map(lambda value: msgspec.json.encode(value)[:-1])
)
SEGMENTS = st.sampled_from(["b", "nowhere", "%00", "%ff", "%2F", "..", "count", "1", "%25", "x" * 600]) | st.text(
    max_size=4
).map(lambda text: quote(text.encode("utf-8", "surrogatepass"), safe=""))
PATHS = st.sampled_from(
    [
        "/api/0/buckets/{}", "/api/0/buckets/b/{}", "/api/0/buckets/{}/events", "/api/0/buckets/b/events/{}",
        "/api/0/buckets/b/heartbeat?pulsetime={}", "/api/0/buckets/{}/heartbeat?pulsetime=1", "/api/0/settings/{}",
        "/api/0/buckets/b/events?limit={}", "/api/0/buckets/b/events?start={}", "/api/0/buckets/b/events/count?end={}",
        "/api/0/{}", "/{}", "/api/0/buckets/{}/export", "/pages/{}",
    ]
)  # fmt: skip
METHODS = st.sampled_from(["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"])
KINDS = st.sampled_from(
    ["application/json", "application/json; charset=utf-8", "text/plain", "multipart/form-data; boundary=b"]
)


@pytest.fixture(scope="module")
def connection(shared_server: RunningServer) -> Iterator[http.client.HTTPConnection]:
    """One connection for all of them, so that a broken answer breaks the next one too."""
    connection = http.client.HTTPConnection("127.0.0.1", shared_server.port, timeout=PATIENCE_S)
    yield connection
    connection.close()


def answer(
    connection: http.client.HTTPConnection, method: str, path: str, body: bytes | None, kind: str
) -> tuple[int, bytes]:
    connection.request(method, path, body, {"Content-Type": kind})
    response = connection.getresponse()
    text = response.read()
    assert response.headers["X-Request-Id"]
    return response.status, text


many = settings(max_examples=2 * settings().max_examples, suppress_health_check=[HealthCheck.function_scoped_fixture])


@many
@given(METHODS, PATHS, SEGMENTS, BODIES, KINDS)
def test_no_request_is_answered_with_a_500(
    connection: http.client.HTTPConnection, method: str, path: str, segment: str, body: bytes, kind: str
) -> None:
    connection.request(
        "POST", "/api/0/buckets/b", b'{"type":"t","client":"c","hostname":"h"}', {"Content-Type": "application/json"}
    )
    connection.getresponse().read()

    status, text = answer(connection, method, path.format(segment), body, kind)

    assert status < 500
    if status >= 400 and method != "HEAD":
        assert msgspec.json.decode(text)["message"]


@many
@given(BODIES, KINDS)
def test_no_heartbeat_is_answered_with_a_500(connection: http.client.HTTPConnection, body: bytes, kind: str) -> None:
    status, text = answer(connection, "POST", "/api/0/buckets/b/heartbeat?pulsetime=1", body, kind)

    assert status in (200, 400, 404, 415, 422)
    assert msgspec.json.decode(text)


@settings(max_examples=settings().max_examples // 10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(BODIES)
def test_no_import_is_answered_with_a_500(connection: http.client.HTTPConnection, body: bytes) -> None:
    status, text = answer(connection, "POST", "/api/0/import", body, "application/json")

    assert status in (200, 400, 422)
    assert msgspec.json.decode(text)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.binary(max_size=60)
    | st.binary(max_size=20).map(lambda odd: b"GET /api/0/info HTTP/1.1\r\nHost: localhost\r\n" + odd + b"\r\n\r\n")
    | st.binary(max_size=20).map(lambda odd: b"GET /" + odd + b" HTTP/1.1\r\nHost: localhost\r\n\r\n")
)
def test_no_bytes_on_the_wire_stop_the_server(shared_server: RunningServer, text: bytes) -> None:
    with RawConnection(shared_server) as odd:
        odd.send(text)

        with RawConnection(shared_server) as other:
            other.send(request("GET", "/api/0/info"))
            assert other.answer().status == 200
