"""`dayline audit`: who has called, and what they did."""

from datetime import UTC, datetime, timedelta
from typing import Any

import click

from dayline.cli.calls.local import reading_server
from dayline.cli.options.options import Length, as_json, on_database
from dayline.cli.options.settings import Settings
from dayline.cli.screens.layout import print_list

EXAMPLES = """\b
Examples:
  dayline audit
  dayline audit --refused --since 7d
  dayline audit --bucket aw-watcher-window_laptop --json
"""


@click.command(epilog=EXAMPLES)
@click.option("--key", help="Only calls with the key of this id.")
@click.option("--bucket", help="Only calls about this bucket.")
@click.option("--refused", is_flag=True, help="Only what was refused.")
@click.option("--since", type=Length(), help="Only the last so many days or hours: 7d, 12h.")
@click.option("--limit", type=click.IntRange(1, 1000), default=50, show_default=True, help="At most so many lines.")
@as_json
@on_database
def audit(
    settings: Settings,
    key: str | None,
    bucket: str | None,
    refused: bool,
    since: timedelta | None,
    limit: int,
    is_json: bool,
) -> None:
    """Show the audit log, newest first.

    Recording and reading are counted by day, refusals by hour; what destroys something has a line of its own.
    """
    start = None if since is None else (datetime.now(UTC) - since).isoformat()
    with reading_server(settings) as server:
        page: dict[str, Any] = server.call(
            "GET", "/api/1/audit", key=key, bucket=bucket, refused="1" if refused else None, since=start, limit=limit
        )
    is_table = print_list(
        page["lines"],
        ("last", "times", "who", "from", "call", "bucket", "answer"),
        [_row(line) for line in page["lines"]],
        empty="Nothing has been noted.",
        is_json=is_json,
    )
    if is_table and page["cursor"]:
        click.echo(f"There is more: --limit {min(limit * 2, 1000)}", err=True)


def _row(line: dict[str, Any]) -> tuple[str, ...]:
    last = datetime.fromisoformat(line["last"]).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    who = f"{line['who']} ({line['key_name']})" if line["key_name"] else line["who"]
    return last, f"{line['count']:,}", who, line["address"], line["call"], line["bucket"] or "-", str(line["status"])
