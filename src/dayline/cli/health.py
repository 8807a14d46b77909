"""`dayline health`: whether everything is well."""

import sys
from typing import Any

import click

from dayline.cli.local import local_server
from dayline.cli.options import as_json, on_database
from dayline.cli.settings import Settings
from dayline.cli.tables import print_json

EXAMPLES = """\b
Examples:
  dayline health
  dayline health --json
  dayline health --server      for a check that restarts the server
"""


@click.command(epilog=EXAMPLES)
@click.option("--server", "is_server_only", is_flag=True, help="Leave out the watchers: check the server alone.")
@as_json
@on_database
def health(settings: Settings, is_server_only: bool, is_json: bool) -> None:
    """Check the server, backups, the disk and the watchers.

    Exits with 1 where something needs looking after.
    """
    with local_server(settings) as server:
        found: dict[str, Any] = server.call("GET", "/api/1/health")
    if is_server_only:
        found["problems"] = [problem for problem in found["problems"] if problem["kind"] != "watcher"]
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
