"""`dayline open`: open the web UI, signed in."""

import html
import os
import platform
import sys
from typing import Final
from urllib.parse import urlsplit

import click

from dayline.cli.options.options import on_database
from dayline.cli.options.settings import Settings
from dayline.config.data_folder import DataFile, data_file
from dayline.model.errors import Unavailable

EXAMPLES = """\b
Examples:
  dayline open
  dayline open --print     only print the link
"""

_REDIRECT: Final = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url={link}">
<meta name="referrer" content="no-referrer">
<title>Opening Dayline</title>
<a href="{link}">Open Dayline</a>
</html>
"""


@click.command("open", epilog=EXAMPLES)
@click.option("--print", "is_printed_only", is_flag=True, help="Print the link, and open no browser.")
@on_database
def open_(settings: Settings, is_printed_only: bool) -> None:
    """Open the web UI in a browser.

    The link signs you in. It works once, within five minutes. It is also printed, in case no browser can be opened.
    """
    # Here and below, because --help does not need it.
    from dayline.cli.calls.running import running_server

    server = running_server(settings)
    if server is None:
        raise _no_server(settings)
    code = server.call("POST", "/api/1/session/codes")["code"]
    link = f"{server.url}/#code={code}"
    click.echo(link)
    if is_printed_only:
        return
    if _is_remote():
        click.echo(_tunnel_hint(server.url), err=True)
    elif _is_shown(link, settings):
        click.echo("If the browser cannot read the file, open the link above.", err=True)
    else:
        click.echo("No browser could be opened. Open the link in a browser on this computer.", err=True)


def _is_shown(link: str, settings: Settings) -> bool:
    """Open the link. Returns whether a browser was started.

    The browser gets a file that redirects to the link and that only the owner can read: other users can see the
    arguments of a process, and could sign in with the code.
    """
    if not _has_screen():
        return False  # a text browser would take over this terminal
    import webbrowser

    from dayline.cli.output_files import write_whole

    page = data_file(settings.database, DataFile.SIGN_IN_PAGE)
    write_whole(page, _REDIRECT.format(link=html.escape(link)).encode(), mode=0o600)
    return webbrowser.open(page.absolute().as_uri())


def _is_remote() -> bool:
    """Whether this is an SSH session without a display."""
    return "SSH_CONNECTION" in os.environ and not _has_screen()


def _has_screen() -> bool:
    if sys.platform in ("win32", "darwin"):
        return "SSH_CONNECTION" not in os.environ
    return any(os.environ.get(name) for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"))


def _tunnel_hint(url: str) -> str:
    port = urlsplit(url).port
    return (
        "This is an SSH session. Run this on your own computer, then open the link there:\n"
        f"  ssh -L {port}:127.0.0.1:{port} {platform.node()}"
    )


def _no_server(settings: Settings) -> Unavailable:
    from dayline.cli.calls.running import version_at
    from dayline.cli.options.options import shown_database

    if version_at(settings.port) is None:
        return Unavailable(
            f"no server on this computer uses {shown_database(settings)}", hint="start one with: dayline serve"
        )
    return Unavailable(
        f"no server on this computer uses {shown_database(settings)}, but one answers at port {settings.port}",
        hint="choose its database with --database, or run this as the user who runs it",
    )
