"""X.509 certificates: an authority, and server certificates issued by it.

Import this module where you use it: `cryptography` takes 100 ms to load.
"""

import ipaddress
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from msgspec import Struct

from dayline.model.access import fingerprint_of

_SKEW: Final = timedelta(days=1)  # a client's clock may be behind
_MAX_NAME_CHARACTERS: Final = 64  # of a common name


class Pair(Struct, frozen=True):
    """A certificate and its key."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey

    @property
    def pem(self) -> bytes:
        return self.certificate.public_bytes(Encoding.PEM)

    @property
    def key_pem(self) -> bytes:
        return self.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())

    @property
    def fingerprint(self) -> str:
        """SHA-256 in the format of browsers."""
        return fingerprint_of(self.certificate.public_bytes(Encoding.DER))

    @property
    def expires(self) -> datetime:
        return self.certificate.not_valid_after_utc

    @property
    def is_constrained(self) -> bool:
        """Whether an authority is limited to certain names."""
        return bool(self._permitted())

    def permits(self, name: str) -> bool:
        """Whether clients accept a certificate of this authority for this name or address."""
        permitted = self._permitted()
        return not permitted or any(_is_within(name, subtree) for subtree in permitted)

    def _permitted(self) -> list[x509.GeneralName]:
        try:
            constraints = self.certificate.extensions.get_extension_for_class(x509.NameConstraints).value
        except x509.ExtensionNotFound:
            return []
        return constraints.permitted_subtrees or []


def new_authority(name: str, names: Sequence[str], *, now: datetime, expires: datetime) -> Pair:
    """An authority that can issue certificates only for servers with these names and addresses.

    The names must include a host name and an address: a kind that the constraints do not mention is unrestricted.
    """
    key = ec.generate_private_key(ec.SECP256R1())
    builder = (
        _builder(key, _named(name), now, expires)
        .issuer_name(_named(name))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(is_authority=True), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(
            x509.NameConstraints(permitted_subtrees=[_subtree(name) for name in names], excluded_subtrees=None),
            critical=True,
        )
    )
    return Pair(builder.sign(key, hashes.SHA256()), key)


def new_server(authority: Pair, names: Sequence[str], *, now: datetime, expires: datetime) -> Pair:
    """A certificate for a server with these names and addresses."""
    key = ec.generate_private_key(ec.SECP256R1())
    issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.key.public_key())
    builder = (
        _builder(key, _named(f"Dayline at {names[0]}"), now, expires)
        .issuer_name(authority.certificate.subject)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(is_authority=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectAlternativeName([_general(name) for name in names]), critical=False)
        .add_extension(issuer, critical=False)
    )
    return Pair(builder.sign(authority.key, hashes.SHA256()), key)


def read_pair(certificate: bytes, key: bytes) -> Pair:
    """A pair from PEM. Raises ValueError if it is invalid or the key does not match."""
    read = x509.load_pem_x509_certificate(certificate)
    try:
        private = load_pem_private_key(key, password=None)
    except TypeError as error:
        raise ValueError("the key is protected by a password") from error
    if not isinstance(private, ec.EllipticCurvePrivateKey) or private.public_key() != read.public_key():
        raise ValueError("the key does not belong to the certificate")
    return Pair(read, private)


def names_in(chain: bytes) -> list[str]:
    """The names and addresses of the first certificate. Raises ValueError."""
    certificate = x509.load_pem_x509_certificates(chain)[0]
    try:
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return []
    return [str(name.value) for name in names if isinstance(name, x509.DNSName | x509.IPAddress)]


def _builder(key: ec.EllipticCurvePrivateKey, name: x509.Name, now: datetime, end: datetime) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _SKEW)
        .not_valid_after(end)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name[:_MAX_NAME_CHARACTERS])])


def _general(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _subtree(name: str) -> x509.GeneralName:
    """The name constraint for a name; a host name includes its subdomains."""
    try:
        return x509.IPAddress(ipaddress.ip_network(name))
    except ValueError:
        return x509.DNSName(name.removeprefix("*."))


def _is_within(name: str, subtree: x509.GeneralName) -> bool:
    general = _general(name)
    if isinstance(general, x509.IPAddress) and isinstance(subtree, x509.IPAddress):
        network = subtree.value
        return isinstance(network, ipaddress.IPv4Network | ipaddress.IPv6Network) and general.value in network
    if isinstance(general, x509.DNSName) and isinstance(subtree, x509.DNSName):
        return f".{name.removeprefix('*.')}".endswith(f".{subtree.value}")
    return False


def _usage(*, is_authority: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not is_authority,
        key_cert_sign=is_authority,
        crl_sign=is_authority,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )
