"""`dayline open`: the page of the running server, signed in."""

import html
import os
import platform
import sys
from typing import Final
from urllib.parse import urlsplit

import click

from dayline.cli.options.options import on_database
from dayline.cli.options.settings import Settings
from dayline.model.errors import Unavailable

EXAMPLES = """\b
Examples:
  dayline open
  dayline open --print     only print the link, for another browser
"""

PAGE: Final = "open.html"
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
@click.option("--print", "is_printed_only", is_flag=True, help="Print the link, and open nothing.")
@on_database
def open_(settings: Settings, is_printed_only: bool) -> None:
    """Open the page of the running server in the browser, signed in as its owner.

    The link signs in once, and within five minutes. It is printed too, for where no browser can be opened from here.
    """
    # Here and below, because whoever asks for help alone starts quicker without it.
    from dayline.cli.calls.running import running_server

    server = running_server(settings)
    if server is None:
        raise _nobody(settings)
    code = server.call("POST", "/api/1/session/codes")["code"]
    link = f"{server.url}/#code={code}"
    click.echo(link)
    if is_printed_only:
        return
    if _is_far():
        click.echo(_way_here(server.url), err=True)
    elif _is_shown(link, settings):
        click.echo("If the browser says that it cannot read the file, open the link above in it.", err=True)
    else:
        click.echo("No browser could be opened from here; open the link in one on this computer.", err=True)


def _is_shown(link: str, settings: Settings) -> bool:
    """Open the link; whether there is a browser that took it.

    The browser gets a file that only the owner can read and that leads to the link: every user of this computer sees
    the arguments of a process, and whoever were quicker with the code would be signed in.
    """
    if not _has_screen():
        return False  # a browser for terminals may be there, and would take this one over
    import webbrowser

    from dayline.runtime.files import opened_for_writing

    page = settings.database.parent / PAGE
    with opened_for_writing(page) as file:
        file.write(_REDIRECT.format(link=html.escape(link)).encode())
    return webbrowser.open(page.absolute().as_uri())


def _is_far() -> bool:
    """Whether whoever types this sits at another computer, and no window of here is shown there."""
    return "SSH_CONNECTION" in os.environ and not _has_screen()


def _has_screen() -> bool:
    if sys.platform in ("win32", "darwin"):
        return "SSH_CONNECTION" not in os.environ
    return any(os.environ.get(name) for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"))


def _way_here(url: str) -> str:
    port = urlsplit(url).port
    return (
        "You are here by ssh: run this at the computer where you sit, and open the link there.\n"
        f"  ssh -L {port}:127.0.0.1:{port} {platform.node()}"
    )


def _nobody(settings: Settings) -> Unavailable:
    from dayline.cli.calls.running import version_at
    from dayline.cli.options.options import shown_database

    if version_at(settings.port) is None:
        return Unavailable(f"no server here uses {shown_database(settings)}", hint="start one with: dayline serve")
    return Unavailable(
        f"no server here uses {shown_database(settings)}, but one answers at port {settings.port}",
        hint="name its database with --database; or run this as the user who runs it",
    )
