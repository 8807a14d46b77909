"""`dayline tls`: certificates of your own, for a server that other machines on your network reach."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click
import msgspec

from dayline.access.certificates import (
    MAX_SERVER_DAYS,
    SERVER_DAYS,
    CertificateFiles,
    IssuedCertificates,
    files_beside,
    make_certificates,
)
from dayline.cli.groups import Group
from dayline.cli.options.options import as_json, on_database
from dayline.cli.options.settings import Settings
from dayline.model.errors import NotFound

if TYPE_CHECKING:
    from dayline.access.tls import ServerTls


INIT_EXAMPLES = """\b
Examples:
  dayline tls init
  dayline tls init --name laptop.lan --name 192.168.1.5
  dayline tls init --new-authority --name diary.example.org
"""
SHOW_EXAMPLES = """\b
Examples:
  dayline tls show
  dayline tls show --json
"""


@click.group(cls=Group, default="show", epilog=INIT_EXAMPLES)
def tls() -> None:
    """Create and show TLS certificates."""


@tls.command(epilog=INIT_EXAMPLES)
@click.option(
    "--name", "names", multiple=True, metavar="NAME", help="Host name or address that clients call; several times."
)
@click.option(
    "--days", type=click.IntRange(1, MAX_SERVER_DAYS), default=SERVER_DAYS, show_default=True,
    help="How long the server's certificate is valid.",
)  # fmt: skip
@click.option(
    "--new-authority",
    is_flag=True,
    help="Replace the authority too. Every machine that uses ca.pem needs the new file.",
)
@as_json
@on_database
def init(settings: Settings, names: tuple[str, ...], days: int, new_authority: bool, is_json: bool) -> None:
    """Create or renew the certificate of this server.

    It also creates the authority that issues it. Both are stored in the folder tls next to the database, where
    `dayline serve` finds them. Called again, it renews the certificate for the same names; the authority stays the
    same. The authority is limited to the names and addresses it was created with: to add one, use --new-authority.
    """
    files = files_beside(settings.database)
    made = make_certificates(files, names, now=datetime.now(UTC), days=days, replaces_authority=new_authority)
    click.echo(_made_as_json(files, made) if is_json else _made_as_text(files, made))


@tls.command(epilog=SHOW_EXAMPLES)
@as_json
@on_database
def show(settings: Settings, is_json: bool) -> None:
    """Show the certificate of this server and its fingerprint."""
    from dayline.access.tls import load_tls  # here, because other commands start faster without ssl

    files = files_beside(settings.database)
    certificate, key = settings.server.tls_cert or files.server, settings.server.tls_key or files.server_key
    if not certificate.exists():
        raise NotFound(f"there is no certificate at {certificate}", hint="`dayline tls init` creates one")
    loaded = load_tls(certificate, key)
    click.echo(_shown_as_json(loaded) if is_json else _shown_as_text(loaded))


def _made_as_json(files: CertificateFiles, made: IssuedCertificates) -> bytes:
    paths = {"ca": files.authority, "certificate": files.server, "key": files.server_key}
    return msgspec.json.encode({name: str(path) for name, path in paths.items()} | msgspec.to_builtins(made))


def _made_as_text(files: CertificateFiles, made: IssuedCertificates) -> str:
    lines = [
        f"Created a certificate for {', '.join(made.names)}",
        f"  {files.server}, valid until {made.expires:%Y-%m-%d}",
        f"  SHA-256 {made.server_fingerprint}",
    ]
    if not made.is_new_authority:
        lines.append("The authority is the same as before. Restart the server to use the new certificate.")
        lines.append("Clients that use --fingerprint need the new fingerprint.")
        if not made.is_constrained:
            lines.append("This authority can issue certificates for any name. To limit it: --new-authority")
        return "\n".join(lines)
    lines += [
        "Issued by an authority that can issue certificates for these names only:",
        f"  {files.authority}, valid until {made.authority_expires:%Y-%m-%d}",
        f"  SHA-256 {made.fingerprint}",
        "On each machine that calls this server, do one of the following:",
        f"  dayline relay --fingerprint {made.server_fingerprint}",
        "  Copy ca.pem there: dayline relay --ca-file ca.pem, curl --cacert ca.pem, or import it into the browser.",
        "The other files stay here. To renew the certificate before it expires, run this command again.",
    ]
    return "\n".join(lines)


def _shown_as_json(loaded: "ServerTls") -> bytes:
    return msgspec.json.encode(
        {
            "certificate": str(loaded.certificate),
            "names": loaded.names,
            "expires": loaded.expires,
            "fingerprint": loaded.fingerprint,
            "fault": loaded.fault,
        }
    )


def _shown_as_text(loaded: "ServerTls") -> str:
    lines = [str(loaded.certificate), f"  SHA-256 {loaded.fingerprint}"]
    if loaded.names:
        lines.append(f"  for {', '.join(loaded.names)}")
    if loaded.expires is not None:
        lines.append(f"  valid until {loaded.expires:%Y-%m-%d}")
    if loaded.fault is not None:
        lines.append(f"  clients will not accept it: {loaded.fault}")
    return "\n".join(lines)
