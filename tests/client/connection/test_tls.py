"""TLS with real handshakes: the certificate must be trusted, and name the server that was asked for."""

import socket
import ssl
from contextlib import ExitStack
from pathlib import Path

import pytest

from dayline.access.tls import certificate_fingerprint
from dayline.client.client import Client
from dayline.client.errors import ServerUnreachable
from dayline.client.transport import Transport
from dayline.model.access import fingerprint_of, parse_fingerprint
from dayline.model.errors import Invalid
from tests.client.connection.scripted_server import ScriptedServer, answer
from tests.support.calls.certificates import Certificates, make_certificates
from tests.support.server import RunningServer
from tests.support.waiting import PATIENCE_S

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


# The tests' own authority did not state that it signs certificates, which Python 3.13 rejects.
def test_certificates_of_tests_pass_the_strict_verification_of_newer_pythons(
    certificates: Certificates, opened: ExitStack
) -> None:
    server = opened.enter_context(ScriptedServer([OK], tls=certificates.server_context))
    client = ssl.create_default_context(cafile=str(certificates.authority))
    client.verify_flags |= ssl.VerifyFlags.VERIFY_X509_STRICT

    plain = opened.enter_context(socket.create_connection(("127.0.0.1", server.port)))
    with client.wrap_socket(plain, server_hostname="127.0.0.1") as connection:
        assert connection.getpeercert()


def test_unknown_authority_is_not_trusted(certificates: Certificates, opened: ExitStack) -> None:
    server = opened.enter_context(ScriptedServer([OK], tls=certificates.server_context))
    transport = opened.enter_context(Transport(https(server), key=KEY))

    with pytest.raises(ServerUnreachable, match="is not trusted") as raised:
        transport.call("GET", "/api/0/info")

    assert "ca_file" in str(raised.value.hint)
    assert "fingerprint" in str(raised.value.hint)
    assert server.received == []


def test_certificate_of_another_server_is_not_trusted(tmp_path: Path, opened: ExitStack) -> None:
    elsewhere = make_certificates(tmp_path, address="192.0.2.1")
    server = opened.enter_context(ScriptedServer([OK], tls=elsewhere.server_context))
    transport = opened.enter_context(Transport(https(server), key=KEY, ca_file=str(elsewhere.authority)))

    with pytest.raises(ServerUnreachable, match="is not trusted"):
        transport.call("GET", "/api/0/info")

    assert server.received == []


def fingerprint(certificates: Certificates) -> str:
    return certificate_fingerprint(certificates.certificate.read_text())


def test_key_goes_to_the_server_whose_certificate_is_pinned(certificates: Certificates, opened: ExitStack) -> None:
    server = opened.enter_context(ScriptedServer([OK] * 2, [OK], tls=certificates.server_context))
    transport = opened.enter_context(Transport(https(server), key=KEY, fingerprint=fingerprint(certificates)))

    assert [transport.call("GET", "/api/0/info").status for _ in range(2)] == [200] * 2
    transport.close()
    assert transport.call("GET", "/api/0/info").status == 200
    assert [request.headers["authorization"] for request in server.received] == [f"Bearer {KEY}"] * 3


def test_pinned_certificate_is_accepted_for_any_name(tmp_path: Path, opened: ExitStack) -> None:
    elsewhere = make_certificates(tmp_path, address="192.0.2.1")
    server = opened.enter_context(ScriptedServer([OK], tls=elsewhere.server_context))

    with Client(https(server), key=KEY, fingerprint=fingerprint(elsewhere)) as client:
        client.buckets()


def test_nothing_is_sent_to_a_server_with_another_certificate_than_the_pinned_one(
    certificates: Certificates, tmp_path: Path, opened: ExitStack
) -> None:
    other = make_certificates(tmp_path)
    server = opened.enter_context(ScriptedServer([OK], tls=other.server_context))
    transport = opened.enter_context(Transport(https(server), key=KEY, fingerprint=fingerprint(certificates)))

    with pytest.raises(ServerUnreachable, match=f"the fingerprint {fingerprint(other)}") as raised:
        transport.call("GET", "/api/0/info")

    assert "dayline tls show" in str(raised.value.hint)
    assert server.received == []


def test_fingerprint_of_the_authority_is_not_enough(certificates: Certificates, opened: ExitStack) -> None:
    server = opened.enter_context(ScriptedServer([OK], tls=certificates.server_context))
    of_authority = certificate_fingerprint(certificates.authority.read_text())
    transport = opened.enter_context(Transport(https(server), key=KEY, fingerprint=of_authority))

    with pytest.raises(ServerUnreachable, match="another certificate"):
        transport.call("GET", "/api/0/info")

    assert server.received == []


@pytest.mark.parametrize(
    "text", ["{}", "SHA-256 {}", "sha256:{}", "SHA256 Fingerprint={}", "sha256 Fingerprint={}", " {}\n"]
)
@pytest.mark.parametrize("has_colons", [True, False])
def test_fingerprint_is_read_as_other_programs_write_it(text: str, has_colons: bool) -> None:
    written = fingerprint_of(b"a certificate")
    digits = written if has_colons else written.replace(":", "").lower()

    assert parse_fingerprint(text.format(digits)) == written


@pytest.mark.parametrize("text", ["", "3F", "SHA-256", "g" * 64, "a" * 63, "a" * 65, "SHA-1 " + "a" * 40])
def test_invalid_fingerprint_is_rejected_before_anything_is_sent(text: str) -> None:
    with pytest.raises(Invalid, match="invalid fingerprint"):
        Transport("https://h", fingerprint=text)


def test_fingerprint_needs_tls_and_replaces_the_authority(certificates: Certificates) -> None:
    with pytest.raises(Invalid, match="does not use TLS, so it has no fingerprint"):
        Transport("http://localhost:5600", fingerprint=fingerprint(certificates))
    with pytest.raises(Invalid, match="not both"):
        Transport("https://h", fingerprint=fingerprint(certificates), ca_file=str(certificates.authority))


def test_server_that_speaks_only_old_tls_is_rejected(certificates: Certificates, opened: ExitStack) -> None:
    context = certificates.server_context
    context.set_ciphers("ALL:@SECLEVEL=0")
    with pytest.warns(DeprecationWarning, match="TLSv1_1"):
        context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
    server = opened.enter_context(ScriptedServer([OK], tls=context))
    transport = opened.enter_context(Transport(https(server), ca_file=str(certificates.authority)))

    with pytest.raises(ServerUnreachable):
        transport.call("GET", "/api/0/info")

    assert server.received == []


def test_server_without_tls_is_reported_as_unreachable(shared_server: RunningServer) -> None:
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

    with pytest.raises(Invalid, match=r"cannot read the certificates in .*authority\.pem"):
        Transport("https://h", ca_file=str(file))
