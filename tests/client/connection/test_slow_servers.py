"""A request ends in time, however slowly its server answers or reads."""

import threading
from pathlib import Path

import pytest

from dayline.client.address import parse_address
from dayline.client.connection import KeptConnection, Request
from dayline.client.errors import ServerUnreachable
from tests.support.calls.certificates import make_certificates
from tests.support.calls.dribbling import dribbling_server
from tests.support.waiting import PATIENCE_S

MAX_S = 0.5  # the servers here never finish, so no machine is too slow
HEADERS = b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"
NO_LENGTH = b"HTTP/1.0 200 OK\r\n\r\n"


def connection_to(url: str, ca_file: Path | None = None, max_s: float = MAX_S) -> KeptConnection:
    ca = None if ca_file is None else str(ca_file)
    return KeptConnection(parse_address(url), ca_file=ca, timeout_s=PATIENCE_S, max_s=max_s)


@pytest.mark.parametrize(
    "begin", [b"", b"HTTP/1.1 200 OK\r\nServer: ", HEADERS, NO_LENGTH], ids=["status", "headers", "body", "no length"]
)
@pytest.mark.parametrize("max_answer_bytes", [None, 1 << 20])
def test_an_answer_that_never_ends_is_not_waited_for(begin: bytes, max_answer_bytes: int | None) -> None:
    with dribbling_server(begin) as port:
        connection = connection_to(f"http://127.0.0.1:{port}")
        request = Request(method="GET", target="/", is_repeatable=True, max_answer_bytes=max_answer_bytes)

        for _ in range(2):
            with pytest.raises(ServerUnreachable) as caught:
                connection.exchange(request)
            assert caught.value.message == f"http://127.0.0.1:{port} is too slow: a request took over 0.5 s"
            assert caught.value.is_sent


@pytest.mark.parametrize("begin", [HEADERS, NO_LENGTH], ids=["body", "no length"])
def test_the_same_with_tls(tmp_path: Path, begin: bytes) -> None:
    certificates = make_certificates(tmp_path)
    with dribbling_server(begin, context=certificates.server_context) as port:
        connection = connection_to(f"https://127.0.0.1:{port}", certificates.authority)
        with pytest.raises(ServerUnreachable, match="is too slow"):
            connection.exchange(Request(method="GET", target="/"))


@pytest.mark.parametrize("has_tls", [False, True])
def test_a_body_that_is_not_read_is_not_sent_for_ever(tmp_path: Path, *, has_tls: bool) -> None:
    certificates = make_certificates(tmp_path)
    with dribbling_server(b"", context=certificates.server_context if has_tls else None) as port:
        url = f"https://127.0.0.1:{port}" if has_tls else f"http://127.0.0.1:{port}"
        connection = connection_to(url, certificates.authority if has_tls else None)
        with pytest.raises(ServerUnreachable, match="is too slow"):
            connection.exchange(Request(method="PUT", target="/", body=b"x" * (32 << 20)))


def test_no_timer_is_left_after_a_request() -> None:
    before = set(threading.enumerate())
    with dribbling_server(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n") as port:
        connection = connection_to(f"http://127.0.0.1:{port}", max_s=PATIENCE_S)

        assert connection.exchange(Request(method="GET", target="/")).body == b"xxxxx"

        assert not any(isinstance(thread, threading.Timer) for thread in set(threading.enumerate()) - before)
        connection.close()
