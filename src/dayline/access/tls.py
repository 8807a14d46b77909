"""The server's TLS, and the checks before it can be reached from other machines."""

import shlex
import ssl
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, cast

from msgspec import Struct

from dayline.access.origins import is_wildcard
from dayline.access.peers import UNIX, is_loopback
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


# Requirements before the server can be reached from other machines: a key, and encryption.


SERVE_WITH_PROXY: Final = "dayline serve --trusted-proxy ADDRESS"


class Exposure(Struct, frozen=True, kw_only=True):
    """Whether keys are required, and whether only trusted proxies and this machine may connect (without TLS)."""

    needs_keys: bool
    only_trusted: bool


class ListenOptions(Struct, frozen=True, kw_only=True):
    """Where the server will listen, and how that is protected."""

    host: str
    has_uds: bool = False
    has_tls: bool = False
    trusted_proxies: Sequence[str] = ()
    require_keys: bool = False


def check_exposure(options: ListenOptions, *, has_key: bool, commands: "HintCommands") -> Exposure:
    """The restrictions that apply. Raises Invalid if the server would be open to other people.

    The message names everything that is missing, the hint the commands that fix it.
    """
    if UNIX in options.trusted_proxies and not options.has_uds:
        raise Invalid(
            f"the trusted proxy {UNIX!r} needs a Unix socket, and there is none",
            hint="create one with --uds PATH",
            field="server.trusted_proxies",
        )
    is_open = not is_loopback(options.host)
    has_proxy = any(name != UNIX for name in options.trusted_proxies)
    if is_open:
        _check_open(options, has_key=has_key, is_guarded=options.has_tls or has_proxy, commands=commands)
    return Exposure(
        needs_keys=options.require_keys or is_open or bool(options.trusted_proxies),
        only_trusted=is_open and not options.has_tls,
    )


class HintCommands(Struct, frozen=True, kw_only=True):
    """The commands in hints. They name `database` if it is not the default one."""

    machine: str  # its host name, for certificates
    database: Path | None = None

    def create_key(self) -> str:
        return self._command("keys", "create", "--name", "owner", "--scope", "full")

    def make_certificate(self, host: str | None = None) -> str:
        named = [] if host is None else ["--name", self.machine if is_wildcard(host) else host]
        return self._command("tls", "init", *named)

    def _command(self, *words: str) -> str:
        database = () if self.database is None else ("--database", str(self.database))
        return shlex.join(["dayline", *words, *database])


def _check_open(options: ListenOptions, *, has_key: bool, is_guarded: bool, commands: HintCommands) -> None:
    missing: list[str] = []
    fixes: list[str] = []
    if not has_key:
        missing.append("there is no key, so anyone on the network could read your data")
        fixes.append(commands.create_key())
    if not is_guarded:
        missing.append("there is no TLS, so the traffic could be intercepted")
        fixes.append(commands.make_certificate(options.host))
    if missing:
        proxy = "" if is_guarded else f"; behind a proxy with TLS, instead of the certificate: {SERVE_WITH_PROXY}"
        raise Invalid(
            f"refusing to listen on {options.host}: {', and '.join(missing)}",
            hint=f"{' && '.join(fixes)}{proxy}",
            field="server.host",
        )
