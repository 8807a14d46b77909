"""`dayline devices`: the computers and phones that recorded."""

from typing import Any

import click

from dayline.cli.local import reading_server
from dayline.cli.options import as_json, on_database
from dayline.cli.settings import Settings
from dayline.cli.tables import print_json, print_table

EXAMPLES = """\b
Examples:
  dayline devices
  dayline devices --json
"""


@click.command(epilog=EXAMPLES)
@as_json
@on_database
def devices(settings: Settings, is_json: bool) -> None:
    """List the computers and phones that recorded, by host name, and those that look like one that was renamed."""
    with reading_server(settings) as server:
        found: list[dict[str, Any]] = server.call("GET", "/api/1/devices")
    if is_json:
        print_json(found)
        return
    if not found:
        click.echo("There are no buckets yet.", err=True)
        return
    print_table(
        ("host name", "buckets", "events", "first seen", "last seen"),
        [
            (
                device["hostname"], str(len(device["buckets"])), f"{device['events']:,}",
                device["first_seen"] or "-", device["last_seen"] or "-",
            )
            for device in found
        ],
    )  # fmt: skip
    for device in found:
        for other in device["looks_like"]:
            if not other["is_newer"]:
                click.echo(
                    f"{device['hostname']} may be {other['hostname']} with a new name: {other['reason']}.", err=True
                )
