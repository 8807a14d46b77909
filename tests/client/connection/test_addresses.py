"""Addresses of servers: what is understood, and what never leaves the machine."""

import pytest

from dayline.client.address import Address, parse_address
from dayline.client.transport import Transport
from dayline.model.errors import Invalid
from tests.client.connection.scripted_server import ScriptedServer, answer


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("http://localhost:5600", Address(scheme="http", host="localhost", port=5600)),
        ("http://LOCALHOST", Address(scheme="http", host="localhost", port=80)),
        ("https://days.example", Address(scheme="https", host="days.example", port=443)),
        ("https://days.example/", Address(scheme="https", host="days.example", port=443)),
        ("https://h:1/a/b/", Address(scheme="https", host="h", port=1, base_path="/a/b")),
        ("http://[::1]:5600/dayline", Address(scheme="http", host="::1", port=5600, base_path="/dayline")),
    ],
)
def test_address_is_read(url: str, address: Address) -> None:
    assert parse_address(url) == address


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:5600",
        "localhost",
        "ftp://localhost",
        "http://",
        "http://:5600",
        "http://host:port",
        "http://host:99999",
        "http://[::1",
        "http://a b/",
        "http://host/ä",
        "http://host/\n",
        "https://host?key=1",
        "https://host#x",
    ],
)
def test_what_is_no_address_is_rejected(url: str) -> None:
    with pytest.raises(Invalid):
        parse_address(url)


def test_password_in_an_address_is_rejected_and_not_quoted() -> None:
    with pytest.raises(Invalid) as raised:
        parse_address("https://me:s3cret@host/")

    assert "s3cret" not in str(raised.value)


@pytest.mark.parametrize(
    "url", ["http://localhost:5600", "https://days.example/dayline", "http://[::1]:5600", "http://h:81"]
)
def test_address_is_written_as_it_was_read(url: str) -> None:
    assert str(parse_address(url)) == url


@pytest.mark.parametrize(
    ("host", "is_loopback"),
    [
        ("localhost", True),
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("[::1]", True),
        ("localhost.evil.example", False),
        ("127.0.0.1.evil.example", False),
        ("192.168.1.2", False),
        ("0.0.0.0", False),
        ("[::]", False),
        ("2130706433", False),  # 127.0.0.1 as some programs read it
    ],
)
def test_loopback_is_distinguished_from_lookalikes(host: str, is_loopback: bool) -> None:
    assert parse_address(f"http://{host}:5600").is_loopback is is_loopback


def test_base_path_precedes_every_path() -> None:
    with ScriptedServer([answer(200)]) as server, Transport(f"{server.url}/dayline/") as transport:
        transport.call("GET", "/api/0/info", query="a=b%20c")

        assert server.received[0].line == "GET /dayline/api/0/info?a=b%20c HTTP/1.1"
        assert server.received[0].headers["host"] == f"127.0.0.1:{server.port}"


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("api", ""),
        ("", ""),
        ("/a b", ""),
        ("/a?b", ""),
        ("/a#b", ""),
        ("/a\r\nX: y", ""),
        ("/ä", ""),
        ("/", "a b"),
        ("/", "a\n"),
    ],
)
def test_path_or_query_that_is_not_encoded_is_not_sent(path: str, query: str) -> None:
    with pytest.raises(Invalid):
        Transport("http://localhost:1").call("GET", path, query=query)
