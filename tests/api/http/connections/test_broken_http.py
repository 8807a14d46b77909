"""What is not HTTP gets a JSON 400 and a closed connection; the odd but legal is served (decision 20)."""

import msgspec
import pytest

from tests.api.remote_bucket import RemoteBucket, event
from tests.support.calls.clients import at, each_path
from tests.support.calls.raw_connection import RawConnection, request
from tests.support.server import RunningServer

POST = b"POST /api/0/import HTTP/1.1\r\nHost: localhost\r\n"
BROKEN: dict[str, bytes] = {
    "words": b"hello there\r\n\r\n",
    "no version": b"GET /api/0/info\r\n\r\n",
    "unknown method": b"FETCH /api/0/info HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "lower-case method": b"get /api/0/info HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "unknown version": b"GET /api/0/info HTTP/7.3\r\nHost: localhost\r\n\r\n",
    "version 0.9": b"GET /api/0/info HTTP/0.9\r\nHost: localhost\r\n\r\n",
    "version 2.0": b"GET /api/0/info HTTP/2.0\r\nHost: localhost\r\n\r\n",
    "address without a path": b"GET http://localhost HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "address with an impossible port": b"GET http://localhost:99999/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "TLS": bytes.fromhex("1603010200010001fc0303") + bytes(64),
    "HTTP/2 preface": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "no path": b"GET  HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "blank in the path": b"GET /api/0/buckets/a b HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "bytes beyond ASCII in the path": b"GET /api/0/buckets/\xe9 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "authority": b"CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "header without a colon": b"GET /api/0/info HTTP/1.1\r\nHost localhost\r\n\r\n",
    "blank before the colon": b"GET /api/0/info HTTP/1.1\r\nHost : localhost\r\n\r\n",
    "null in a header": b"GET /api/0/info HTTP/1.1\r\nHost: localhost\r\nX: a\0b\r\n\r\n",
    "folded header": b"GET /api/0/info HTTP/1.1\r\nHost: localhost\r\nX: a\r\n b\r\n\r\n",
    "length of no sense": POST + b"Content-Length: many\r\n\r\n",
    "negative length": POST + b"Content-Length: -1\r\n\r\n",
    "two lengths": POST + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nx",
    "length and chunks": POST + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "chunk of no sense": POST + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n",
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN.keys())
def test_broken_http_gets_a_json_400_and_a_closed_connection(shared_server: RunningServer, text: bytes) -> None:
    with RawConnection(shared_server) as connection:
        connection.send(text)

        answer = connection.answer()

        assert (answer.status, answer.json["type"]) == (400, "Malformed")
        assert answer.headers["content-type"] == "application/json"
        assert answer.headers["connection"] == "close"
        assert answer.json["request_id"] == answer.headers["x-request-id"]
        assert connection.is_closed()


def test_broken_http_does_not_disturb_other_connections(shared_server: RunningServer) -> None:
    with RawConnection(shared_server) as good:
        good.send(request("GET", "/api/0/info"))
        assert good.answer().status == 200

        for text in BROKEN.values():
            with RawConnection(shared_server) as bad:
                bad.send(text)
                bad.answer()

        good.send(request("GET", "/api/0/info"))
        assert good.answer().status == 200


@pytest.mark.parametrize("path", ["/api/0/info", "/nowhere"])
def test_http_1_0_is_answered_and_closed(shared_server: RunningServer, path: str) -> None:
    with RawConnection(shared_server) as connection:
        connection.send(request("GET", path, version="1.0"))

        answer = connection.answer()

        assert answer.status == (404 if path == "/nowhere" else 200)
        assert connection.is_closed()


def test_http_1_0_without_a_host_is_400(shared_server: RunningServer) -> None:
    with RawConnection(shared_server) as connection:
        connection.send(b"GET /api/0/info HTTP/1.0\r\n\r\n")

        assert connection.answer().status == 400


@each_path
def test_heartbeat_over_http_1_0_is_stored_and_the_connection_closed(bucket: RemoteBucket, content_type: str) -> None:
    body = msgspec.json.encode(event(at("10:00:00")))

    with RawConnection(bucket.server) as connection:
        connection.send(
            request("POST", f"{bucket.path}/heartbeat?pulsetime=1", body, version="1.0", Content_Type=content_type)
        )

        assert connection.answer().status == 200
        assert connection.is_closed()
    assert bucket.count() == 1


@each_path
def test_http_1_0_client_that_asks_to_keep_the_connection_gets_a_connection_header(
    bucket: RemoteBucket, content_type: str
) -> None:
    # Without `Connection: keep-alive` in the response such a client waits for the end of the connection.
    body = msgspec.json.encode(event(at("10:00:00")))
    target = f"{bucket.path}/heartbeat?pulsetime=1"

    with RawConnection(bucket.server) as connection:
        connection.send(
            request("POST", target, body, version="1.0", Content_Type=content_type, Connection="keep-alive")
        )
        answer = connection.answer()

        assert answer.status == 200
        assert answer.headers.get("connection", "").lower() == "keep-alive" or connection.is_closed()


def chunked(body: bytes, size: int) -> bytes:
    pieces = [body[place : place + size] for place in range(0, len(body), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


@each_path
@pytest.mark.parametrize("size", [1, 10, 1000])
def test_heartbeat_in_chunks_is_stored(bucket: RemoteBucket, content_type: str, size: int) -> None:
    body = msgspec.json.encode(event(at("10:00:00"), data={"title": "é" * 100}))
    head = request(
        "POST", f"{bucket.path}/heartbeat?pulsetime=1", Content_Type=content_type, Transfer_Encoding="chunked"
    )

    with RawConnection(bucket.server) as connection:
        connection.send(head + chunked(body, size))
        assert connection.answer().status == 200

        connection.send(head + chunked(body, size))
        assert connection.answer().status == 200
    assert bucket.stored() == [(at("10:00:00"), 0.0, {"title": "é" * 100})]


@each_path
def test_expected_100_continue_is_sent_before_the_answer(bucket: RemoteBucket, content_type: str) -> None:
    body = msgspec.json.encode(event(at("10:00:00")))
    text = request(
        "POST", f"{bucket.path}/heartbeat?pulsetime=1", body, Content_Type=content_type, Expect="100-continue"
    )

    with RawConnection(bucket.server) as connection:
        connection.send(text.removesuffix(body))
        assert connection.answer().status == 100

        connection.send(body)
        assert connection.answer().status == 200
    assert bucket.count() == 1


def test_refusal_follows_the_first_bytes_of_an_expected_body(shared_server: RunningServer) -> None:
    with RawConnection(shared_server) as connection:
        connection.send(
            request("POST", "/api/0/import", Content_Type="text/plain", Content_Length="1000", Expect="100-continue")
        )
        assert connection.answer().status == 100

        connection.send(b"x")
        assert connection.answer().status == 415


def test_offer_to_upgrade_is_ignored(shared_server: RunningServer) -> None:
    with RawConnection(shared_server) as connection:
        connection.send(
            request("GET", "/api/0/info", Connection="Upgrade", Upgrade="websocket", Sec_WebSocket_Key="eA==")
        )

        assert connection.answer().status == 200


@each_path
def test_heartbeat_with_an_offer_to_upgrade_is_stored(bucket: RemoteBucket, content_type: str) -> None:
    body = msgspec.json.encode(event(at("10:00:00")))
    text = request(
        "POST",
        f"{bucket.path}/heartbeat?pulsetime=1",
        body,
        Content_Type=content_type,
        Connection="Upgrade",
        Upgrade="h2c",
    )

    with RawConnection(bucket.server) as connection:
        connection.send(text)

        assert connection.answer().status == 200
    assert bucket.count() == 1


def test_blank_lines_before_a_request_are_skipped(shared_server: RunningServer) -> None:
    with RawConnection(shared_server) as connection:
        connection.send(b"\r\n\r\n" + request("GET", "/api/0/info"))

        assert connection.answer().status == 200


@each_path
def test_absolute_form_of_the_target_is_served(bucket: RemoteBucket, content_type: str) -> None:
    body = msgspec.json.encode(event(at("10:00:00")))
    target = f"http://localhost{bucket.path}/heartbeat?pulsetime=1"

    with RawConnection(bucket.server) as connection:
        connection.send(request("POST", target, body, Content_Type=content_type))

        assert connection.answer().status == 200


def test_fragment_and_empty_query_are_ignored(shared_server: RunningServer) -> None:
    for target in ("/api/0/info?", "/api/0/info?#x", "/api/0/info#x", "/api/0/info?a&b=&=c&%zz=%zz"):
        assert shared_server.get(target).status == 200


def test_connection_is_kept_for_many_requests(bucket: RemoteBucket) -> None:
    body = msgspec.json.encode(event(at("10:00:00")))

    with RawConnection(bucket.server) as connection:
        for _ in range(100):
            connection.send(request("POST", f"{bucket.path}/heartbeat?pulsetime=1", body))
            assert connection.answer().status == 200
            connection.send(request("GET", "/nowhere"))
            assert connection.answer().status == 404
