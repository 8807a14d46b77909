"""`dayline health`: whether everything is well."""

import shlex
import sys
from typing import Any, Final

import click

from dayline.cli.database_place import database_arguments, shown_database
from dayline.cli.local import reading_server
from dayline.cli.options import as_json, on_database
from dayline.cli.settings import Settings
from dayline.cli.tables import print_json

_NOT_OF_SERVER: Final = ("watcher", "sign-in")  # a restart does not change them

EXAMPLES = """\b
Examples:
  dayline health
  dayline health --json
  dayline health --server      for a check that restarts the server
"""


@click.command(epilog=EXAMPLES)
@click.option(
    "--server", "is_server_only", is_flag=True, help="Leave out watchers and sign-ins: check the server alone."
)
@as_json
@on_database
def health(settings: Settings, is_server_only: bool, is_json: bool) -> None:
    """Check the server, backups, the disk and the watchers.

    Exits with 1 if something needs attention, also if no server runs: then nothing is recorded.
    """
    with reading_server(settings) as server:
        found: dict[str, Any] = server.call("GET", "/api/1/health")
        is_running = server.is_server
    if is_server_only:
        found["problems"] = [problem for problem in found["problems"] if problem["kind"] not in _NOT_OF_SERVER]
    if not is_running:
        found["problems"] = [_no_server(settings), *found["problems"]]
    found["status"] = "degraded" if found["problems"] else "ok"
    if is_json:
        print_json(found)
    elif found["status"] == "ok":
        click.echo("Everything is well.")
    else:
        for problem in found["problems"]:
            click.secho(problem["message"], fg="red")
            if problem["hint"]:
                click.echo(f"  → {problem['hint']}")
    if found["status"] != "ok":
        sys.exit(1)


def _no_server(settings: Settings) -> dict[str, Any]:
    """The problem that no server can report."""
    return {
        "kind": "server",
        "message": f"no server on this computer answers for {shown_database(settings)}: nothing is recorded",
        "hint": f"start it with: {shlex.join(['dayline', 'serve', *database_arguments(settings)])}",
        "since": None,
    }
