"""`dayline tls`: certificates of one's own, for a server that other machines of the house may reach."""

from datetime import UTC, datetime

import click
import msgspec

from dayline.access.certificates import (
    MOST_SERVER_DAYS,
    SERVER_DAYS,
    CertificateFiles,
    Made,
    files_beside,
    make_certificates,
)
from dayline.cli.options import as_json, on_database
from dayline.cli.settings import Settings

EXAMPLES = """\b
Examples:
  dayline tls init
  dayline tls init --name laptop.lan --name 192.168.1.5
"""


@click.group()
def tls() -> None:
    """Certificates for a server that other machines reach."""


@tls.command(epilog=EXAMPLES)
@click.option(
    "--name", "names", multiple=True, metavar="NAME", help="Host name or address that clients call; several times."
)
@click.option(
    "--days", type=click.IntRange(1, MOST_SERVER_DAYS), default=SERVER_DAYS, show_default=True,
    help="How long the server's certificate is valid.",
)  # fmt: skip
@as_json
@on_database
def init(settings: Settings, names: tuple[str, ...], days: int, is_json: bool) -> None:
    """Make a certificate for this server, and the authority that vouches for it.

    They lie in the folder tls beside the database, where `dayline serve` finds them. Called again, it renews the
    certificate for the names it had and those added; the authority stays the same.
    """
    files = files_beside(settings.database)
    made = make_certificates(files, names, now=datetime.now(UTC), days=days)
    click.echo(_as_json(files, made) if is_json else _as_words(files, made))


def _as_json(files: CertificateFiles, made: Made) -> bytes:
    paths = {"ca": files.authority, "certificate": files.server, "key": files.server_key}
    return msgspec.json.encode({name: str(path) for name, path in paths.items()} | msgspec.to_builtins(made))


def _as_words(files: CertificateFiles, made: Made) -> str:
    first = f"""\
A certificate for {", ".join(made.names)}
  is in {files.server}, valid until {made.expires:%Y-%m-%d}.
"""
    if not made.is_new_authority:
        return f"{first}The authority is the same as before. Restart the server to use the new certificate."
    return f"""\
{first}It was issued by an authority made for this server alone:
  {files.authority}
  SHA-256 {made.fingerprint}
Copy that one file to each machine that will call this server, and name it there:
  dayline relay --ca-file ca.pem, curl --cacert ca.pem, or import it into the browser.
The other files stay here. To renew the certificate in time, run this command again."""
