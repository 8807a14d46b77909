"""A server's certificate and key, looked at before anything listens."""

import shutil
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)

from dayline.access.certificates import CertificateFiles, files_beside, make_certificates
from dayline.access.tls import load_tls
from dayline.model.errors import Invalid

NOW = datetime.now(UTC)
COMMAND = "dayline tls init"


@pytest.fixture
def files(tmp_path: Path) -> CertificateFiles:
    files = files_beside(tmp_path / "days.db")
    make_certificates(files, ["laptop.lan"], now=NOW)
    return files


def refusal(certificate: Path, key: Path) -> Invalid:
    with pytest.raises(Invalid) as caught:
        load_tls(certificate, key, renewal=COMMAND)
    assert caught.value.field == "server.tls_cert"
    return caught.value


def test_it_shows_for_whom_and_how_long_it_is_valid(files: CertificateFiles) -> None:
    tls = load_tls(files.server, files.server_key)

    assert "laptop.lan" in tls.names
    assert tls.fault is None
    assert tls.days_left(NOW) == pytest.approx(397, abs=0.001)


def test_nothing_older_than_tls_1_2_is_spoken(files: CertificateFiles) -> None:
    assert load_tls(files.server, files.server_key).context.minimum_version is ssl.TLSVersion.TLSv1_2


@pytest.mark.parametrize("missing", ["server", "server_key"])
def test_a_file_that_is_missing_is_named(files: CertificateFiles, missing: str) -> None:
    path: Path = getattr(files, missing)
    path.unlink()

    assert refusal(files.server, files.server_key).message == f"cannot read {path}: No such file or directory"


def test_a_folder_in_place_of_a_file_is_named(files: CertificateFiles) -> None:
    assert refusal(files.folder, files.server_key).message == f"cannot read {files.folder}: Is a directory"


def test_a_key_of_another_certificate_is_reported(files: CertificateFiles) -> None:
    refused = refusal(files.server, files.authority_key)

    assert refused.message == f"the key {files.authority_key} does not belong to the certificate {files.server}"
    assert refused.hint == COMMAND


def test_files_given_the_wrong_way_round_are_reported(files: CertificateFiles) -> None:
    assert "are not a certificate and its key" in refusal(files.server_key, files.server).message


@pytest.mark.parametrize("content", [b"", b"nonsense", b"\xff\xfe\x00"])
def test_a_file_that_is_no_certificate_is_reported(files: CertificateFiles, content: bytes) -> None:
    files.server.write_bytes(content)

    assert "are not a certificate and its key" in refusal(files.server, files.server_key).message


def test_a_key_with_a_password_is_reported_without_a_prompt(files: CertificateFiles) -> None:
    key = load_pem_private_key(files.server_key.read_bytes(), None)
    files.server_key.write_bytes(
        key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"secret"))
    )

    assert "protected by a password" in refusal(files.server, files.server_key).message


def test_an_expired_certificate_is_rejected_with_the_command(tmp_path: Path) -> None:
    files = files_beside(tmp_path / "days.db")
    make_certificates(files, now=NOW - timedelta(days=400))

    refused = refusal(files.server, files.server_key)

    assert refused.message == f"the certificate {files.server} has expired"
    assert refused.hint == COMMAND


def test_reasons_for_clients_to_reject_it_are_reported(files: CertificateFiles) -> None:
    # An authority's certificate, taken for a server's by mistake.
    tls = load_tls(files.authority, files.authority_key)

    assert tls.fault == "unsuitable certificate purpose"
    assert tls.days_left(NOW) is None


def test_a_certificate_that_is_not_valid_yet_is_reported(tmp_path: Path) -> None:
    files = files_beside(tmp_path / "days.db")
    make_certificates(files, now=NOW + timedelta(days=10))

    assert load_tls(files.server, files.server_key).fault == "certificate is not yet valid"


def test_the_certificate_alone_without_its_chain_is_enough(files: CertificateFiles) -> None:
    end = "-----END CERTIFICATE-----\n"
    files.server.write_text(files.server.read_text().partition(end)[0] + end)

    assert load_tls(files.server, files.server_key).fault is None


def test_a_certificate_and_its_key_may_lie_in_one_file(files: CertificateFiles, tmp_path: Path) -> None:
    both = tmp_path / "both.pem"
    both.write_bytes(files.server_key.read_bytes() + files.server.read_bytes())
    shutil.rmtree(files.folder)

    assert "laptop.lan" in load_tls(both, both).names
