"""`dayline open`: the page of the running server, signed in."""

import webbrowser

import click

from dayline.cli.local import local_server
from dayline.cli.options import on_database
from dayline.cli.settings import Settings
from dayline.cli.token_file import read_token_file
from dayline.model.errors import Unavailable

EXAMPLES = """\b
Examples:
  dayline open
  dayline open --print     only print the link, for another browser
"""


@click.command("open", epilog=EXAMPLES)
@click.option("--print", "is_printed_only", is_flag=True, help="Print the link, and open nothing.")
@on_database
def open_(settings: Settings, is_printed_only: bool) -> None:
    """Open the page of the running server in the browser, signed in as its owner.

    The link signs in once, and within five minutes.
    """
    door = read_token_file(settings.database)
    if door is None:
        raise Unavailable(f"no server uses {settings.database}", hint="start one with: dayline serve")
    with local_server(settings) as server:
        code = server.call("POST", "/api/1/session/codes")["code"]
    link = f"{door.url}/#code={code}"
    click.echo(link)
    if not is_printed_only:
        webbrowser.open(link)
