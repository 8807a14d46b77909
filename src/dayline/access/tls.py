"""TLS on the server's side, and whether the server can be reached from other machines."""

import shlex
import ssl
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, cast

from msgspec import Struct

from dayline.access.origins import is_wildcard
from dayline.access.peers import UNIX, is_loopback
from dayline.model.data import fingerprint_of
from dayline.model.errors import Invalid

_EXPIRED: Final = 10  # X509_V_ERR_CERT_HAS_EXPIRED
_FIELD: Final = "server.tls_cert"


class ServerTls(Struct, frozen=True, kw_only=True):
    """A certificate and its key, ready for use. `fault` is what clients will have against it, if anything.

    `names` are the names and addresses that it is for. `fingerprint` is what clients can pin.
    """

    context: ssl.SSLContext
    certificate: Path
    fingerprint: str
    names: tuple[str, ...] = ()
    expires: datetime | None = None
    fault: str | None = None

    def days_left(self, now: datetime) -> float | None:
        """How many days it is still valid for."""
        return None if self.expires is None else (self.expires - now).total_seconds() / 86_400


def load_tls(certificate: Path, key: Path, *, renewal: str | None = None) -> ServerTls:
    """Read the files. Raises Invalid for what cannot be used, an expired certificate too; `renewal` mends that."""
    chain = _readable(certificate, renewal)
    _readable(key, renewal)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    try:
        context.load_cert_chain(certificate, key, password=_no_password)
    except ssl.SSLError as error:
        raise Invalid(_reason(error, certificate, key), hint=renewal, field=_FIELD) from error
    return _examined(context, chain, certificate, renewal)


def certificate_fingerprint(chain: str) -> str:
    """The fingerprint of the first certificate in a PEM file, which is the server's own. Raises ValueError."""
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
    # Asked for by OpenSSL where the key is encrypted; without this it would ask whoever sits at the terminal.
    return ""


def _reason(error: ssl.SSLError, certificate: Path, key: Path) -> str:
    if error.reason == "KEY_VALUES_MISMATCH":
        return f"the key {key} does not belong to the certificate {certificate}"
    if "ENCRYPTED" in key.read_text("utf-8", errors="replace"):
        return f"the key {key} is protected by a password, which nobody could type at start-up"
    return f"{certificate} and {key} are not a certificate and its key in PEM form ({error.reason or error})"


def _examined(context: ssl.SSLContext, chain: str, certificate: Path, renewal: str | None) -> ServerTls:
    """Shake hands with ourselves: a client's own checks say more of a certificate than a list of ours could."""
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.check_hostname = False  # which names it is for is told, not asked
    client.verify_flags |= ssl.VerifyFlags.VERIFY_X509_PARTIAL_CHAIN  # whoever signed it: here it vouches for itself
    client.load_verify_locations(cadata=_first_certificate(chain))
    fingerprint = certificate_fingerprint(chain)
    try:
        seen = _shake_hands(context, client)
    except ssl.SSLCertVerificationError as error:
        if error.verify_code == _EXPIRED:
            raise Invalid(f"the certificate {certificate} has expired", hint=renewal, field=_FIELD) from error
        return ServerTls(context=context, certificate=certificate, fingerprint=fingerprint, fault=error.verify_message)
    except ssl.SSLError as error:
        raise Invalid(f"the certificate {certificate} cannot be used: {error.reason or error}", field=_FIELD) from error
    # The types of the standard library leave open what is in there; these two are texts in every certificate.
    expires = ssl.cert_time_to_seconds(cast("str", seen["notAfter"]))
    names = cast("tuple[tuple[str, str], ...]", seen.get("subjectAltName", ()))
    return ServerTls(
        context=context,
        certificate=certificate,
        fingerprint=fingerprint,
        names=tuple(name for _, name in names),
        expires=datetime.fromtimestamp(expires, UTC),
    )


def _shake_hands(server: ssl.SSLContext, client: ssl.SSLContext) -> dict[str, object]:
    """The certificate as a client sees it that has checked it."""
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


# What must be there before the server may be reached from other machines: a key, and a way that nobody reads along.


SERVE_WITH_PROXY: Final = "dayline serve --trusted-proxy ADDRESS"


class Exposure(Struct, frozen=True, kw_only=True):
    """How far the server is open. `only_trusted`: without TLS, only the named proxies and this machine may connect."""

    needs_keys: bool
    only_trusted: bool


class Doors(Struct, frozen=True, kw_only=True):
    """Where the server is about to listen, and what guards it."""

    host: str
    has_uds: bool = False
    has_tls: bool = False
    trusted_proxies: Sequence[str] = ()
    require_keys: bool = False


def check_exposure(doors: Doors, *, has_key: bool, mending: "Mending") -> Exposure:
    """How far the server is open. Raises Invalid where it would be open to people who are not meant.

    The message names everything that is missing, the hint the command that mends it.
    """
    if UNIX in doors.trusted_proxies and not doors.has_uds:
        raise Invalid(
            f"the trusted proxy {UNIX!r} is whoever comes by the Unix socket, and there is none",
            hint="--uds PATH makes one",
            field="server.trusted_proxies",
        )
    is_open = not is_loopback(doors.host)
    has_proxy = any(name != UNIX for name in doors.trusted_proxies)
    if is_open:
        _check_open(doors, has_key=has_key, is_guarded=doors.has_tls or has_proxy, mending=mending)
    return Exposure(
        needs_keys=doors.require_keys or is_open or bool(doors.trusted_proxies),
        only_trusted=is_open and not doors.has_tls,
    )


class Mending(Struct, frozen=True, kw_only=True):
    """The commands of hints. `database` is named in them where it is not the usual one."""

    machine: str  # its host name, for certificates
    database: Path | None = None

    def create_key(self) -> str:
        return self._command("keys", "create", "--name", "owner", "--scope", "full")

    def make_certificate(self, host: str | None = None) -> str:
        named = [] if host is None else ["--name", self.machine if is_wildcard(host) else host]
        return self._command("tls", "init", *named)

    def _command(self, *words: str) -> str:
        place = () if self.database is None else ("--database", str(self.database))
        return shlex.join(["dayline", *words, *place])


def _check_open(doors: Doors, *, has_key: bool, is_guarded: bool, mending: Mending) -> None:
    missing: list[str] = []
    commands: list[str] = []
    if not has_key:
        missing.append("there is no key, so everybody on the network could read your data")
        commands.append(mending.create_key())
    if not is_guarded:
        missing.append("there is no TLS, so everybody on the way could read along")
        commands.append(mending.make_certificate(doors.host))
    if missing:
        proxy = "" if is_guarded else f"; behind a proxy that has TLS, instead of the certificate: {SERVE_WITH_PROXY}"
        raise Invalid(
            f"refusing to listen on {doors.host}: {', and '.join(missing)}",
            hint=f"{' && '.join(commands)}{proxy}",
            field="server.host",
        )
