"""The server's TLS: loads its certificate and its key, and examines them."""

import ssl
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, cast

from msgspec import Struct

from dayline.model.access import fingerprint_of
from dayline.model.errors import Invalid

_EXPIRED: Final = 10  # X509_V_ERR_CERT_HAS_EXPIRED
_FIELD: Final = "server.tls_cert"


class ServerTls(Struct, frozen=True, kw_only=True):
    """A certificate and its key, ready for use. `fault` is the error that clients will report, if any.

    `names` are its names and addresses. `fingerprint` is for clients to pin.
    """

    context: ssl.SSLContext
    certificate: Path
    fingerprint: str
    names: tuple[str, ...] = ()
    expires: datetime | None = None
    fault: str | None = None

    def days_left(self, now: datetime) -> float | None:
        """The number of days until it expires."""
        return None if self.expires is None else (self.expires - now).total_seconds() / 86_400


def load_tls(certificate: Path, key: Path, *, renewal: str | None = None) -> ServerTls:
    """Read the files. Raises Invalid if they cannot be used or have expired; `renewal` is the command for the hint."""
    chain = _readable(certificate, renewal)
    _readable(key, renewal)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    try:
        context.load_cert_chain(certificate, key, password=_no_password)
    except ssl.SSLError as error:
        raise Invalid(_reason(error, certificate, key), hint=renewal, field=_FIELD) from error
    return _examine(context, chain, certificate, renewal)


def certificate_fingerprint(chain: str) -> str:
    """The fingerprint of the first certificate in a PEM file, which is the server's. Raises ValueError."""
    return fingerprint_of(ssl.PEM_cert_to_DER_cert(_first_certificate(chain)))


def _first_certificate(chain: str) -> str:
    end = "-----END CERTIFICATE-----"
    return chain[chain.index("-----BEGIN CERTIFICATE-----") : chain.index(end) + len(end)] + "\n"


def _readable(path: Path, renewal: str | None) -> str:
    try:
        return path.read_text("utf-8", errors="replace")
    except OSError as error:
        raise Invalid(f"cannot read {path}: {error.strerror}", hint=renewal, field=_FIELD) from error


def _no_password() -> str:
    # OpenSSL calls this for an encrypted key; otherwise it would prompt on the terminal.
    return ""


def _reason(error: ssl.SSLError, certificate: Path, key: Path) -> str:
    if error.reason == "KEY_VALUES_MISMATCH":
        return f"the key {key} does not belong to the certificate {certificate}"
    if "ENCRYPTED" in key.read_text("utf-8", errors="replace"):
        return f"the key {key} is protected by a password: remove it, because the server starts unattended"
    return f"{certificate} and {key} are not a certificate and its key in PEM format ({error.reason or error})"


def _examine(context: ssl.SSLContext, chain: str, certificate: Path, renewal: str | None) -> ServerTls:
    """Do a handshake with ourselves: OpenSSL's client checks are more complete than our own would be."""
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.check_hostname = False  # we only list the names
    client.verify_flags |= ssl.VerifyFlags.VERIFY_X509_PARTIAL_CHAIN  # trust the certificate itself
    client.load_verify_locations(cadata=_first_certificate(chain))
    fingerprint = certificate_fingerprint(chain)
    try:
        fields = _shake_hands(context, client)
    except ssl.SSLCertVerificationError as error:
        if error.verify_code == _EXPIRED:
            raise Invalid(f"the certificate {certificate} has expired", hint=renewal, field=_FIELD) from error
        return ServerTls(context=context, certificate=certificate, fingerprint=fingerprint, fault=error.verify_message)
    except ssl.SSLError as error:
        raise Invalid(f"cannot use the certificate {certificate}: {error.reason or error}", field=_FIELD) from error
    # Untyped in the standard library; these two are strings in every certificate.
    expires = ssl.cert_time_to_seconds(cast("str", fields["notAfter"]))
    names = cast("tuple[tuple[str, str], ...]", fields.get("subjectAltName", ()))
    return ServerTls(
        context=context,
        certificate=certificate,
        fingerprint=fingerprint,
        names=tuple(name for _, name in names),
        expires=datetime.fromtimestamp(expires, UTC),
    )


def _shake_hands(server: ssl.SSLContext, client: ssl.SSLContext) -> dict[str, object]:
    """The fields of the certificate, after the client's checks."""
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = [
        client.wrap_bio(to_client, to_server, server_side=False),
        server.wrap_bio(to_server, to_client, server_side=True),
    ]
    unfinished = list(ends)
    while unfinished:
        end = unfinished.pop(0)
        try:
            end.do_handshake()
        except ssl.SSLWantReadError:
            unfinished.append(end)
    return dict(ends[0].getpeercert() or {})
