"""A key goes to its server alone, and nowhere else: no log, no error, no other machine."""

from pathlib import Path

import pytest

from dayline.client.client import Client
from dayline.client.connection import Request
from dayline.client.key_file import read_key_file
from dayline.client.transport import Transport
from dayline.model.errors import Invalid
from tests.client.connection.scripted_server import ScriptedServer, answer

KEY = f"dayline_k3f5a2bq_{'s' * 43}"


def test_key_goes_into_the_header_of_every_call() -> None:
    with ScriptedServer([answer(200)] * 2) as server, Transport(server.url, key=KEY) as transport:
        transport.call("GET", "/1")
        transport.call("POST", "/2", body=b"{}")

        assert [request.headers["authorization"] for request in server.received] == [f"Bearer {KEY}"] * 2


def test_without_a_key_there_is_no_such_header() -> None:
    with ScriptedServer([answer(200)]) as server, Transport(server.url) as transport:
        transport.call("GET", "/1")

        assert "authorization" not in server.received[0].headers


@pytest.mark.parametrize("url", ["http://192.168.1.2:5600", "http://days.example", "http://localhost.example:5600"])
def test_key_is_not_sent_in_the_clear_to_another_machine(url: str) -> None:
    with pytest.raises(Invalid, match="without TLS") as raised:
        Client(url, key=KEY)

    assert KEY not in str(raised.value)
    assert "https" in str(raised.value.hint)


@pytest.mark.parametrize("url", ["https://days.example", "http://127.0.0.1:5600", "http://[::1]:5600"])
def test_key_may_go_over_tls_or_within_the_machine(url: str) -> None:
    Client(url, key=KEY).close()


def test_enveloped_calls_may_go_any_way() -> None:
    Client("http://days.example", key=KEY, envelope=True).close()


@pytest.mark.parametrize("envelope", [True, False])
def test_repr_shows_no_key(envelope: bool) -> None:
    for made in (
        Client("https://h/dayline", key=KEY, envelope=envelope),
        Transport("https://h/dayline", key=KEY, envelope=envelope),
    ):
        assert "https://h/dayline" in repr(made)
        assert "sss" not in repr(made)
        assert "sss" not in str(made)


def test_request_that_shows_up_in_a_traceback_shows_no_key() -> None:
    request = Request(method="GET", target="/api/0/info", headers={"Authorization": f"Bearer {KEY}"})

    assert repr(request) == "Request('GET', '/api/0/info')"


@pytest.mark.parametrize("key", ["", " ", "a b", "tab\t", "new\nline", f"{KEY}\r\nX-Other: 1", "schlüssel"])
def test_what_cannot_be_a_key_is_rejected_without_quoting_it(key: str) -> None:
    with pytest.raises(Invalid) as raised:
        Client("https://h", key=key)

    assert str(raised.value) == "a key has only visible ASCII characters"


@pytest.mark.parametrize("key", [None, "", "s3cret", KEY[:-1], f"{KEY}x", KEY.upper()])
def test_envelope_needs_a_key_of_ours_and_quotes_no_other(key: str | None) -> None:
    with pytest.raises(Invalid, match="an envelope needs a key") as raised:
        Client("https://h", key=key, envelope=True)

    assert raised.value.__cause__ is None
    assert raised.value.__context__ is None


def test_key_file_holds_a_key_and_blanks(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text(f"  {KEY}\n\n")

    assert read_key_file(file) == KEY
    with (
        ScriptedServer([answer(200, b"{}")]) as server,
        Client.from_key_file(server.url, str(file)) as client,
    ):
        assert client.settings() == {}
        assert server.received[0].headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("content", [b"", b"\n", f"{KEY} {KEY}".encode(), "schlüssel".encode(), b"\xff\xfe\0"])
def test_file_without_a_key_is_rejected_without_quoting_it(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "key"
    file.write_bytes(content)

    with pytest.raises(Invalid, match="is not a key file") as raised:
        read_key_file(file)

    assert "sss" not in str(raised.value)
    assert raised.value.__context__ is None


def test_missing_key_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(Invalid, match=r"cannot read the key file .*nothing-here: No such file"):
        Client.from_key_file("https://h", tmp_path / "nothing-here")


def test_redirection_is_not_followed() -> None:
    # Or else the key would go wherever the response points to.
    moved = answer(302, b"", "text/html", "Location: https://evil.example/")
    with ScriptedServer([moved]) as server, Transport(server.url, key=KEY) as transport:
        assert transport.call("GET", "/api/0/info").status == 302
