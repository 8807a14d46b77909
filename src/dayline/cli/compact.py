"""`dayline compact`: give free room back to the system."""

from typing import Any

import click

from dayline.cli.local import local_server
from dayline.cli.options import as_json, on_database
from dayline.cli.settings import Settings
from dayline.cli.sizes import size_in_words
from dayline.cli.tables import print_json

EXAMPLES = """\b
Examples:
  dayline compact
  dayline compact --json
"""


@click.command(epilog=EXAMPLES)
@as_json
@on_database
def compact(settings: Settings, is_json: bool) -> None:
    """Give back to the system what nobody needs. Recording goes on meanwhile.

    Removes distinct values that no event, nor anything in the trash, has any more, and cuts free pages off the file.
    The server does so by itself when a fifth of the file is free: see [space] in docs/settings.md.
    """
    click.echo("Compacting …", err=True)
    with local_server(settings) as server:
        done: dict[str, Any] = server.call("POST", "/api/1/compact")
    if is_json:
        print_json(done)
        return
    before, after = size_in_words(done["before"]), size_in_words(done["after"])
    click.echo(f"{before} before, {after} after. {done['values']:,} values that nobody had were removed.")
