"""A local authority and the certificates it issues: made once, renewed, never overwritten."""

import shutil
import ssl
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from dayline.access.certificates import CertificateFiles, Made, check_name, files_beside, make_certificates, own_names
from dayline.access.server_tls import load_tls
from dayline.model.errors import Invalid

NOW = datetime.now(UTC)


@pytest.fixture
def files(tmp_path: Path) -> CertificateFiles:
    return files_beside(tmp_path / "days.db")


def make(files: CertificateFiles, *names: str, now: datetime = NOW, days: int = 397) -> Made:
    return make_certificates(files, names, now=now, days=days)


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_files_lie_beside_the_database(files: CertificateFiles, tmp_path: Path) -> None:
    make(files)

    assert {path.name for path in (tmp_path / "tls").iterdir()} == {"ca.pem", "ca.key", "server.pem", "server.key"}


def test_nobody_else_can_read_the_keys(files: CertificateFiles) -> None:
    make(files)

    assert (mode_of(files.authority_key), mode_of(files.server_key), mode_of(files.folder)) == (0o600, 0o600, 0o700)


def test_the_certificate_is_for_the_names_given_and_for_this_machine(files: CertificateFiles) -> None:
    made = make(files, "Laptop.LAN", "192.168.1.5", "fd00::7", "192.168.1.5")

    assert made.names == tuple(dict.fromkeys(["laptop.lan", "192.168.1.5", "fd00::7", *own_names()]))
    assert {"laptop.lan", "192.168.1.5", "localhost", "127.0.0.1"} <= set(
        load_tls(files.server, files.server_key).names
    )


def test_it_lasts_for_the_days_asked_for(files: CertificateFiles) -> None:
    assert abs(make(files).expires - (NOW + timedelta(days=397))) < timedelta(seconds=1)
    assert abs(make(files, days=10).expires - (NOW + timedelta(days=10))) < timedelta(seconds=1)


def test_openssl_accepts_it_by_the_strict_rules(files: CertificateFiles) -> None:
    make(files, "laptop.lan")
    client = ssl.create_default_context(cafile=str(files.authority))
    client.verify_flags |= ssl.VerifyFlags.VERIFY_X509_STRICT

    assert handshake(client, files, "laptop.lan") == "laptop.lan"
    assert handshake(client, files, "127.0.0.1") == "127.0.0.1"


def handshake(client: ssl.SSLContext, files: CertificateFiles, name: str) -> str:
    """Shake hands in memory as a client that calls this name; raises what the client raises."""
    server = load_tls(files.server, files.server_key).context
    inward, outward = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = [
        client.wrap_bio(outward, inward, server_hostname=name),
        server.wrap_bio(inward, outward, server_side=True),
    ]
    for end in ends * 3:
        try:
            end.do_handshake()
        except ssl.SSLWantReadError:
            continue
    return str(ends[0].server_hostname)


def test_a_client_that_calls_another_name_refuses_it(files: CertificateFiles) -> None:
    make(files, "laptop.lan")

    with pytest.raises(ssl.SSLCertVerificationError, match="evil\\.lan"):
        handshake(ssl.create_default_context(cafile=str(files.authority)), files, "evil.lan")


def test_made_again_the_authority_stays_and_the_certificate_is_new(files: CertificateFiles) -> None:
    first = make(files, "laptop.lan")
    kept = files.authority.read_bytes(), files.authority_key.read_bytes()
    server = files.server.read_bytes(), files.server_key.read_bytes()

    second = make(files, "192.168.1.5", now=NOW + timedelta(days=300))

    assert (files.authority.read_bytes(), files.authority_key.read_bytes()) == kept
    assert files.server.read_bytes() != server[0]
    assert files.server_key.read_bytes() != server[1]
    assert (first.is_new_authority, second.is_new_authority) == (True, False)
    assert second.fingerprint == first.fingerprint
    assert second.expires > first.expires


def test_made_again_the_names_are_kept_and_added_to(files: CertificateFiles) -> None:
    make(files, "laptop.lan")
    make(files, "192.168.1.5")

    assert make(files).names == ("laptop.lan", *own_names(), "192.168.1.5")


def test_a_certificate_never_outlives_its_authority(files: CertificateFiles) -> None:
    make(files)

    late = make(files, now=NOW + timedelta(days=3600))

    assert late.expires < NOW + timedelta(days=3651)


def test_an_authority_that_has_expired_is_told(files: CertificateFiles) -> None:
    make(files)

    with pytest.raises(Invalid, match=r"authority .* has expired") as caught:
        make(files, now=NOW + timedelta(days=3651))
    assert str(files.folder) in (caught.value.hint or "")


@pytest.mark.parametrize("missing", ["authority", "authority_key"])
def test_half_an_authority_is_told_and_left_alone(files: CertificateFiles, missing: str) -> None:
    make(files)
    path: Path = getattr(files, missing)
    path.unlink()
    left = {path.name: path.read_bytes() for path in files.folder.iterdir()}

    with pytest.raises(Invalid, match=f"half of the authority is missing: {path}"):
        make(files)
    assert {path.name: path.read_bytes() for path in files.folder.iterdir()} == left


@pytest.mark.parametrize(
    "content", [b"", b"nonsense", b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"]
)
def test_a_broken_authority_is_told_and_left_alone(files: CertificateFiles, content: bytes) -> None:
    make(files)
    files.authority.write_bytes(content)

    with pytest.raises(Invalid, match="cannot be used"):
        make(files)
    assert files.authority.read_bytes() == content


def test_the_key_of_another_authority_is_told(files: CertificateFiles, tmp_path: Path) -> None:
    other = files_beside(tmp_path / "other" / "days.db")
    make(other)
    make(files)
    shutil.copy(other.authority_key, files.authority_key)

    with pytest.raises(Invalid, match="does not belong"):
        make(files)


def test_a_broken_server_certificate_is_made_anew(files: CertificateFiles) -> None:
    make(files)
    files.server.write_bytes(b"nonsense")

    make(files, "laptop.lan")

    assert "laptop.lan" in load_tls(files.server, files.server_key).names


def test_two_authorities_of_one_machine_have_names_of_their_own(files: CertificateFiles, tmp_path: Path) -> None:
    other = files_beside(tmp_path / "other" / "days.db")

    assert make(files).fingerprint != make(other).fingerprint
    client = ssl.create_default_context(cafile=str(other.authority))
    with pytest.raises(ssl.SSLCertVerificationError, match="certificate verify failed"):
        handshake(client, files, "localhost")


def test_a_place_that_cannot_be_written_to_is_named(tmp_path: Path) -> None:
    (tmp_path / "tls").write_text("a file where the folder would be")

    with pytest.raises(Invalid, match=r"cannot make certificates in .*tls"):
        make(files_beside(tmp_path / "days.db"))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Laptop.LAN", "laptop.lan"),
        ("laptop.lan.", "laptop.lan"),
        ("my_laptop", "my_laptop"),
        ("*.lan", "*.lan"),
        ("bücher.example", "xn--bcher-kva.example"),
        ("[fd00::7]", "fd00::7"),
        ("FD00:0::7", "fd00::7"),
        ("192.168.1.5", "192.168.1.5"),
    ],
)
def test_names_and_addresses_are_written_in_one_way(text: str, name: str) -> None:
    assert check_name(text) == name


@pytest.mark.parametrize(
    "text", ["", ".", "a b", "http://a", "a/b", "a:80", "*", "a.*", "-a", "a" * 64, "é" * 70, "a\n.b"]
)
def test_anything_else_is_refused_before_a_file_is_made(files: CertificateFiles, text: str) -> None:
    with pytest.raises(Invalid, match="neither"):
        make(files, text)

    assert not files.folder.exists()
