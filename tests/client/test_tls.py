"""TLS with real handshakes: the certificate must be trusted, and name the server that was asked for."""

import ssl
from contextlib import ExitStack
from pathlib import Path

import pytest

from dayline.client.errors import ServerUnreachable
from dayline.client.transport import Transport
from dayline.model.errors import Invalid
from tests.client.certificates import Certificates, make_certificates
from tests.client.scripted_server import ScriptedServer, answer
from tests.server import RunningServer
from tests.waiting import PATIENCE_S

KEY = f"dayline_k3f5a2bq_{'s' * 43}"
OK = answer(200)


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return make_certificates(tmp_path_factory.mktemp("tls"))


def https(server: ScriptedServer) -> str:
    return f"https://127.0.0.1:{server.port}"


def test_key_goes_over_tls_to_a_server_of_a_named_authority(certificates: Certificates, opened: ExitStack) -> None:
    server = opened.enter_context(ScriptedServer([OK] * 3, tls=certificates.server_context))
    transport = opened.enter_context(Transport(https(server), key=KEY, ca_file=str(certificates.authority)))

    assert [transport.call("GET", "/api/0/info").status for _ in range(3)] == [200] * 3
    assert [request.headers["authorization"] for request in server.received] == [f"Bearer {KEY}"] * 3


def test_connection_over_tls_that_was_closed_is_made_again(certificates: Certificates, opened: ExitStack) -> None:
    server = opened.enter_context(ScriptedServer([OK], [OK, None], [OK], tls=certificates.server_context))
    transport = opened.enter_context(Transport(https(server), ca_file=str(certificates.authority)))
    transport.call("GET", "/1")
    assert server.closed[0].wait(PATIENCE_S)

    assert transport.call("POST", "/2", body=b"{}").status == 200
    assert transport.call("GET", "/3").status == 200


def test_authority_that_nobody_knows_is_not_trusted(certificates: Certificates, opened: ExitStack) -> None:
    server = opened.enter_context(ScriptedServer([OK], tls=certificates.server_context))
    transport = opened.enter_context(Transport(https(server), key=KEY))

    with pytest.raises(ServerUnreachable, match="is not trusted") as raised:
        transport.call("GET", "/api/0/info")

    assert "ca_file" in str(raised.value.hint)
    assert server.received == []


def test_certificate_of_another_server_is_not_trusted(tmp_path: Path, opened: ExitStack) -> None:
    elsewhere = make_certificates(tmp_path, address="192.0.2.1")
    server = opened.enter_context(ScriptedServer([OK], tls=elsewhere.server_context))
    transport = opened.enter_context(Transport(https(server), key=KEY, ca_file=str(elsewhere.authority)))

    with pytest.raises(ServerUnreachable, match="is not trusted"):
        transport.call("GET", "/api/0/info")

    assert server.received == []


def test_server_that_speaks_only_old_tls_is_refused(certificates: Certificates, opened: ExitStack) -> None:
    context = certificates.server_context
    context.set_ciphers("ALL:@SECLEVEL=0")
    with pytest.warns(DeprecationWarning, match="TLSv1_1"):
        context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
    server = opened.enter_context(ScriptedServer([OK], tls=context))
    transport = opened.enter_context(Transport(https(server), ca_file=str(certificates.authority)))

    with pytest.raises(ServerUnreachable):
        transport.call("GET", "/api/0/info")

    assert server.received == []


def test_server_without_tls_is_told_as_unreachable(shared_server: RunningServer) -> None:
    with (
        Transport(f"https://127.0.0.1:{shared_server.port}", key=KEY) as transport,
        pytest.raises(ServerUnreachable),
    ):
        transport.call("GET", "/api/0/info")


@pytest.mark.parametrize("content", [None, "", "not a certificate"])
def test_file_without_certificates_is_named(tmp_path: Path, content: str | None) -> None:
    file = tmp_path / "authority.pem"
    if content is not None:
        file.write_text(content)

    with pytest.raises(Invalid, match=r"authority\.pem cannot be read"):
        Transport("https://h", ca_file=str(file))
