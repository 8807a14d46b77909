"""Preflights: what a browser asks before a page's call (protocol 2.5, 13.3 item 5)."""

import pytest

from tests.support.calls.raw_connection import RawConnection
from tests.support.server import Answer, RunningServer

ORIGIN = "moz-extension://x"


def preflight(
    server: RunningServer, method: str, *, origin: str = ORIGIN, path: str = "/api/0/buckets/x", **more: str
) -> Answer:
    headers = {"Origin": origin, "Access-Control-Request-Method": method, **more}
    return server.call("OPTIONS", path, headers=headers)


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_preflight_is_200_with_origin_and_methods(shared_server: RunningServer, method: str) -> None:
    answer = preflight(shared_server, method)

    assert (answer.status, answer.body) == (200, b"")
    assert answer.headers["access-control-allow-origin"] == ORIGIN
    assert answer.headers["access-control-allow-methods"] == "GET, POST, DELETE"
    assert answer.headers["vary"] == "Origin"
    assert "access-control-allow-credentials" not in answer.headers


@pytest.mark.parametrize("wanted", ["content-type", "content-type,authorization", "X-Anything, X-Else"])
def test_requested_headers_are_echoed(shared_server: RunningServer, wanted: str) -> None:
    answer = preflight(shared_server, "POST", **{"Access-Control-Request-Headers": wanted})

    assert answer.headers["access-control-allow-headers"] == wanted


def test_no_headers_are_allowed_where_none_are_requested(shared_server: RunningServer) -> None:
    assert "access-control-allow-headers" not in preflight(shared_server, "POST").headers


@pytest.mark.parametrize("method", ["PUT", "PATCH", "TRACE", "post", "", "X" * 500])
def test_preflight_for_any_other_method_is_403(shared_server: RunningServer, method: str) -> None:
    answer = preflight(shared_server, method)

    assert (answer.status, answer.json["type"]) == (403, "Forbidden")
    assert "access-control-allow-methods" not in answer.headers


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "xmoz-extension://x"])
def test_preflight_of_a_foreign_page_is_403(shared_server: RunningServer, origin: str) -> None:
    answer = preflight(shared_server, "GET", origin=origin)

    assert answer.status == 403
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("path", ["/", "/nowhere", "/api/0/import", "/api/0/buckets/x/heartbeat?pulsetime=1"])
def test_preflight_is_answered_on_any_path(shared_server: RunningServer, path: str) -> None:
    assert preflight(shared_server, "POST", path=path).status == 200


def test_own_page_gets_its_own_origin_back(shared_server: RunningServer) -> None:
    own = f"http://127.0.0.1:{shared_server.port}"

    assert preflight(shared_server, "DELETE", origin=own).headers["access-control-allow-origin"] == own


@pytest.mark.parametrize("value", [b"x-\xe9", b"x-\xff\xfe", b"a\tb", b"x" * 10_000])
def test_odd_bytes_in_the_requested_headers_break_nothing(shared_server: RunningServer, value: bytes) -> None:
    with RawConnection(shared_server) as connection:
        connection.send(
            b"OPTIONS /api/0/info HTTP/1.1\r\nHost: localhost\r\nOrigin: moz-extension://x\r\n"
            b"Access-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: %s\r\n\r\n" % value
        )

        assert connection.answer().status < 500


@pytest.mark.parametrize("origin", [b"moz-extension://\xe9", b"moz-extension://\xff", b"\xff"])
def test_odd_bytes_in_an_origin_break_nothing(shared_server: RunningServer, origin: bytes) -> None:
    with RawConnection(shared_server) as connection:
        connection.send(b"GET /api/0/info HTTP/1.1\r\nHost: localhost\r\nOrigin: %s\r\n\r\n" % origin)

        assert connection.answer().status < 500
