"""The Host header must name this server: the protection against DNS rebinding (protocol 2.4)."""

import msgspec
import pytest

from tests.api.remote_bucket import RemoteBucket, event
from tests.support.calls.clients import at, each_path
from tests.support.calls.raw_connection import RawConnection
from tests.support.server import Answer, RunningServer

FOREIGN = [
    "evil.example",
    "evil.example:{port}",
    "evil.localhost",
    "localhost.evil.example",
    "localhost.evil.example:{port}",
    "127.0.0.1.evil.example",
    "127.0.0.2",
    "0.0.0.0:{port}",
    "xlocalhost",
    "[::1].evil.example",
    "[::2]:{port}",
    "::1",
    "",
]


def ask(server: RunningServer, *hosts: str, method: str = "GET", path: str = "/api/0/info") -> Answer:
    lines = "".join(f"Host: {host.format(port=server.port)}\r\n" for host in hosts)
    with RawConnection(server) as connection:
        connection.send(f"{method} {path} HTTP/1.1\r\n{lines}\r\n".encode())
        return connection.answer()


def beat(bucket: RemoteBucket, content_type: str, *hosts: str) -> Answer:
    body = msgspec.json.encode(event(at("10:00:00")))
    lines = "".join(f"Host: {host.format(port=bucket.server.port)}\r\n" for host in hosts)
    lines += f"Content-Type: {content_type}\r\nContent-Length: {len(body)}\r\n"
    head = f"POST {bucket.path}/heartbeat?pulsetime=1 HTTP/1.1\r\n{lines}\r\n"
    with RawConnection(bucket.server) as connection:
        connection.send(head.encode() + body)
        return connection.answer()


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "localhost:{port}",
        "LOCALHOST:{port}",
        "127.0.0.1",
        "127.0.0.1:{port}",
        "[::1]",
        "[::1]:{port}",
        "localhost:1",
    ],
)
def test_our_own_names_are_answered_whatever_the_port(shared_server: RunningServer, host: str) -> None:
    assert ask(shared_server, host).status == 200


@pytest.mark.parametrize("host", FOREIGN)
@pytest.mark.parametrize("path", ["/api/0/info", "/", "/pages/", "/nowhere", "/api/0/buckets/"])
def test_foreign_name_is_400_on_every_path(shared_server: RunningServer, host: str, path: str) -> None:
    answer = ask(shared_server, host, path=path)

    assert (answer.status, answer.json["type"]) == (400, "Malformed")
    assert "Host" in answer.message


@pytest.mark.parametrize("method", ["GET", "OPTIONS", "DELETE", "HEAD"])
def test_foreign_name_is_400_for_every_method(shared_server: RunningServer, method: str) -> None:
    with RawConnection(shared_server) as connection:
        connection.send(f"{method} /api/0/info HTTP/1.1\r\nHost: evil.example\r\n\r\n".encode())

        assert connection.answer(to_head=method == "HEAD").status == 400


def test_missing_name_is_400(shared_server: RunningServer) -> None:
    assert ask(shared_server).status == 400


@pytest.mark.parametrize(
    "hosts", [("localhost", "evil.example"), ("evil.example", "localhost"), ("localhost", "localhost")]
)
def test_two_names_are_400(shared_server: RunningServer, hosts: tuple[str, str]) -> None:
    assert ask(shared_server, *hosts).status == 400


@each_path
@pytest.mark.parametrize(
    "hosts", [*((host,) for host in FOREIGN), (), ("localhost", "evil.example"), ("localhost",) * 2]
)
def test_heartbeat_to_a_foreign_name_is_400_and_stores_nothing(
    bucket: RemoteBucket, content_type: str, hosts: tuple[str, ...]
) -> None:
    assert beat(bucket, content_type, *hosts).status == 400
    assert bucket.count() == 0


@each_path
@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:{port}", "[::1]:{port}", "127.0.0.1"])
def test_heartbeat_to_our_own_names_is_stored(bucket: RemoteBucket, content_type: str, host: str) -> None:
    assert beat(bucket, content_type, host).status == 200


def test_name_in_the_request_line_does_not_stand_in_for_the_header(shared_server: RunningServer) -> None:
    with RawConnection(shared_server) as connection:
        connection.send(b"GET http://localhost/api/0/info HTTP/1.1\r\nHost: evil.example\r\n\r\n")

        assert connection.answer().status == 400


def test_refused_request_leaves_no_trace(shared_server: RunningServer, bucket: RemoteBucket) -> None:
    ask(shared_server, "evil.example", method="DELETE", path=bucket.path)

    assert bucket.view()["id"] == bucket.id
