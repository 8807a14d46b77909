"""A local authority and the certificates it issues: made once, renewed, never overwritten."""

import shutil
import ssl
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.x509.oid import NameOID

from dayline.access.certificates import (
    CertificateFiles,
    IssuedCertificates,
    check_name,
    files_beside,
    make_certificates,
    own_names,
)
from dayline.access.issuing import Pair, new_server, read_pair
from dayline.access.tls import load_tls
from dayline.model.errors import Invalid

NOW = datetime.now(UTC)


@pytest.fixture
def files(tmp_path: Path) -> CertificateFiles:
    return files_beside(tmp_path / "days.db")


def make(
    files: CertificateFiles, *names: str, now: datetime = NOW, days: int = 397, replaces_authority: bool = False
) -> IssuedCertificates:
    return make_certificates(files, names, now=now, days=days, replaces_authority=replaces_authority)


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_files_lie_beside_the_database(files: CertificateFiles, tmp_path: Path) -> None:
    make(files)

    assert {path.name for path in (tmp_path / "tls").iterdir()} == {"ca.pem", "ca.key", "server.pem", "server.key"}


def test_no_other_user_can_read_the_keys(files: CertificateFiles) -> None:
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


def test_a_client_that_calls_another_name_rejects_it(files: CertificateFiles) -> None:
    make(files, "laptop.lan")

    with pytest.raises(ssl.SSLCertVerificationError, match="evil\\.lan"):
        handshake(ssl.create_default_context(cafile=str(files.authority)), files, "evil.lan")


def test_made_again_the_authority_stays_and_the_certificate_is_new(files: CertificateFiles) -> None:
    first = make(files, "laptop.lan")
    kept = files.authority.read_bytes(), files.authority_key.read_bytes()
    server = files.server.read_bytes(), files.server_key.read_bytes()

    second = make(files, now=NOW + timedelta(days=300))

    assert (files.authority.read_bytes(), files.authority_key.read_bytes()) == kept
    assert files.server.read_bytes() != server[0]
    assert files.server_key.read_bytes() != server[1]
    assert (first.is_new_authority, second.is_new_authority) == (True, False)
    assert second.fingerprint == first.fingerprint
    assert second.expires > first.expires


# A stolen ca.key could impersonate every site on the web, for ten years, to each machine that trusted ca.pem.
@pytest.mark.parametrize("name", ["bank.example", "lan", "other.lan", "notlaptop.lan", "192.168.1.6", "fd00::8"])
def test_clients_reject_certificates_of_the_authority_for_other_names(files: CertificateFiles, name: str) -> None:
    make(files, "laptop.lan", "192.168.1.5", "fd00::7")
    authority = read_pair(files.authority.read_bytes(), files.authority_key.read_bytes())
    forged = new_server(authority, [name], now=NOW, expires=NOW + timedelta(days=1))
    files.server.write_bytes(forged.pem)
    files.server_key.write_bytes(forged.key_pem)

    with pytest.raises(ssl.SSLCertVerificationError, match="permitted subtree violation"):
        handshake(ssl.create_default_context(cafile=str(files.authority)), files, name)
    assert not authority.permits(name)


@pytest.mark.parametrize("name", ["laptop.lan", "192.168.1.5", "fd00::7", "a.wild.lan", "localhost", "127.0.0.1"])
def test_clients_accept_certificates_of_the_authority_for_its_names(files: CertificateFiles, name: str) -> None:
    make(files, "laptop.lan", "*.wild.lan", "192.168.1.5", "fd00::7")
    client = ssl.create_default_context(cafile=str(files.authority))
    client.verify_flags |= ssl.VerifyFlags.VERIFY_X509_STRICT

    assert handshake(client, files, name) == name


def test_the_authority_expires_after_three_years(files: CertificateFiles) -> None:
    assert abs(make(files).authority_expires - (NOW + timedelta(days=1095))) < timedelta(seconds=1)


@pytest.mark.parametrize("name", ["desktop.lan", "192.168.1.6"])
def test_a_name_outside_the_constraints_is_rejected_and_nothing_changes(files: CertificateFiles, name: str) -> None:
    make(files, "laptop.lan", "192.168.1.5")
    before = {path.name: path.read_bytes() for path in files.folder.iterdir()}

    with pytest.raises(Invalid, match=f"cannot issue a certificate for {name}") as caught:
        make(files, name)
    assert "--new-authority" in (caught.value.hint or "")
    assert {path.name: path.read_bytes() for path in files.folder.iterdir()} == before


def test_a_name_below_a_permitted_one_is_added(files: CertificateFiles) -> None:
    make(files, "laptop.lan")

    assert make(files, "days.laptop.lan").names == ("laptop.lan", *own_names(), "days.laptop.lan")


def test_a_new_authority_keeps_the_names_and_permits_more(files: CertificateFiles) -> None:
    first = make(files, "laptop.lan")

    second = make(files, "192.168.1.5", replaces_authority=True)

    assert second.names == ("laptop.lan", *own_names(), "192.168.1.5")
    assert (second.is_new_authority, second.fingerprint != first.fingerprint) == (True, True)
    assert handshake(ssl.create_default_context(cafile=str(files.authority)), files, "192.168.1.5") == "192.168.1.5"


def test_a_renamed_machine_can_still_renew_its_certificate(
    files: CertificateFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = make(files, "laptop.lan").names
    monkeypatch.setattr("platform.node", lambda: "renamed")

    assert make(files).names == names


def test_an_authority_without_constraints_still_works_and_is_reported(files: CertificateFiles) -> None:
    authority = unconstrained_authority()
    files.folder.mkdir()
    files.authority.write_bytes(authority.pem)
    files.authority_key.write_bytes(authority.key_pem)

    made = make(files, "any.example")

    assert "any.example" in made.names
    assert not made.is_constrained


def unconstrained_authority() -> Pair:
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "old")])
    builder = x509.CertificateBuilder(
        issuer_name=name,
        subject_name=name,
        public_key=key.public_key(),
        serial_number=x509.random_serial_number(),
        not_valid_before=NOW,
        not_valid_after=NOW + timedelta(days=3650),
        extensions=[x509.Extension(x509.BasicConstraints.oid, True, x509.BasicConstraints(ca=True, path_length=0))],
    )
    return Pair(builder.sign(key, SHA256()), key)


def test_a_certificate_never_outlives_its_authority(files: CertificateFiles) -> None:
    make(files)

    late = make(files, now=NOW + timedelta(days=1000))

    assert late.expires < NOW + timedelta(days=1096)


def test_an_authority_that_has_expired_is_reported(files: CertificateFiles) -> None:
    make(files)

    with pytest.raises(Invalid, match=r"authority .* has expired") as caught:
        make(files, now=NOW + timedelta(days=1096))
    assert "--new-authority" in (caught.value.hint or "")


@pytest.mark.parametrize("missing", ["authority", "authority_key"])
def test_half_an_authority_is_reported_and_left_alone(files: CertificateFiles, missing: str) -> None:
    make(files)
    path: Path = getattr(files, missing)
    path.unlink()
    left = {path.name: path.read_bytes() for path in files.folder.iterdir()}

    with pytest.raises(Invalid, match=f"the certificate authority is incomplete: {path} is missing"):
        make(files)
    assert {path.name: path.read_bytes() for path in files.folder.iterdir()} == left


@pytest.mark.parametrize(
    "content", [b"", b"nonsense", b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"]
)
def test_a_broken_authority_is_reported_and_left_alone(files: CertificateFiles, content: bytes) -> None:
    make(files)
    files.authority.write_bytes(content)

    with pytest.raises(Invalid, match="cannot use the certificate authority"):
        make(files)
    assert files.authority.read_bytes() == content


def test_the_key_of_another_authority_is_reported(files: CertificateFiles, tmp_path: Path) -> None:
    other = files_beside(tmp_path / "other" / "days.db")
    make(other)
    make(files)
    shutil.copy(other.authority_key, files.authority_key)

    with pytest.raises(Invalid, match="does not belong"):
        make(files)


def test_a_broken_server_certificate_is_made_again(files: CertificateFiles) -> None:
    make(files)
    files.server.write_bytes(b"nonsense")

    made = make(files)

    assert load_tls(files.server, files.server_key).fingerprint == made.server_fingerprint


def test_two_authorities_of_one_machine_have_names_of_their_own(files: CertificateFiles, tmp_path: Path) -> None:
    other = files_beside(tmp_path / "other" / "days.db")

    assert make(files).fingerprint != make(other).fingerprint
    client = ssl.create_default_context(cafile=str(other.authority))
    with pytest.raises(ssl.SSLCertVerificationError, match="certificate verify failed"):
        handshake(client, files, "localhost")


def test_a_place_that_cannot_be_written_to_is_named(tmp_path: Path) -> None:
    (tmp_path / "tls").write_text("a file where the folder would be")

    with pytest.raises(Invalid, match=r"cannot create certificates in .*tls"):
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
def test_anything_else_is_rejected_before_a_file_is_made(files: CertificateFiles, text: str) -> None:
    with pytest.raises(Invalid, match="neither"):
        make(files, text)

    assert not files.folder.exists()
