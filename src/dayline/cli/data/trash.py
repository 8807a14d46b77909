"""`dayline undo` and `dayline trash`: what was deleted or changed, and the way back."""

from datetime import datetime
from typing import Any

import click

from dayline.cli.calls.local import LocalServer, local_server, reading_server
from dayline.cli.options.options import as_json, on_database
from dayline.cli.options.settings import Settings
from dayline.cli.screens.layout import print_list
from dayline.model.errors import NotFound
from dayline.runtime.text import quantity

UNDO_EXAMPLES = """\b
Examples:
  dayline undo                  the latest, after a question
  dayline undo 17 --yes
"""
TRASH_EXAMPLES = """\b
Examples:
  dayline trash list
  dayline trash empty 17        one thing
  dayline trash empty           everything in it, after a question
"""
WORDS: dict[str, str] = {
    "delete_bucket": "bucket deleted",
    "delete_buckets": "buckets of the demo removed",
    "delete_events": "events deleted",
    "replace_events": "events replaced",
    "split_event": "event split",
    "insert_events": "events added",
    "update_bucket": "bucket's fields changed",
    "rename_bucket": "bucket renamed",
    "merge_buckets": "buckets merged",
    "rehost_bucket": "bucket moved to another host",
    "remove_alias": "alias of a bucket removed",
    "thin_bucket": "bucket thinned",
    "mend_events": "events mended",
    "redaction": "privacy rules applied",
}


@click.command(epilog=UNDO_EXAMPLES)
@click.argument("number", type=click.IntRange(1), required=False)
@click.option("--refuse", is_flag=True, help="Where a deleted bucket was made again: do not merge both.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@on_database
def undo(settings: Settings, number: int | None, refuse: bool, yes: bool) -> None:
    """Undo a deletion or a change, by the NUMBER that the trash has for it; without one, the latest.

    Ids, times, data and metadata are exactly as they were before.
    """
    with local_server(settings) as server:
        item = _found(server, number)
        click.echo(_line(item))
        if not yes:
            click.confirm("Undo this?", default=True, abort=True)
        conflict = "refuse" if refuse else None
        undone: dict[str, Any] = server.call("POST", f"/api/1/undo/{item['id']}", conflict=conflict)
    merged = " What was recorded there meanwhile is kept." if undone["merged"] else ""
    click.echo(f"Undone.{merged}")


@click.group(epilog=TRASH_EXAMPLES)
def trash() -> None:
    """Show what was deleted or changed and can be brought back, or let go of it.

    dayline undo brings it back.
    """


@trash.command("list")
@as_json
@on_database
def list_(settings: Settings, is_json: bool) -> None:
    """List what can be undone, the latest first."""
    with reading_server(settings) as server:
        items: list[dict[str, Any]] = server.call("GET", "/api/1/trash")
    columns = ("number", "done", "what", "bucket", "events", "kept until")
    print_list(items, columns, [_row(item) for item in items], empty="The trash is empty.", is_json=is_json)


@trash.command()
@click.argument("number", type=click.IntRange(1), required=False)
@click.option("--yes", is_flag=True, help="Do not ask.")
@on_database
def empty(settings: Settings, number: int | None, yes: bool) -> None:
    """Let go of one thing, or of everything in the trash, for good."""
    with local_server(settings) as server:
        items: list[dict[str, Any]] = [_found(server, number)] if number else server.call("GET", "/api/1/trash")
        if not items:
            click.echo("The trash is empty.", err=True)
            return
        for item in items:
            click.echo(_line(item))
        if not yes:
            click.confirm("This cannot be undone. Let go of it for good?", abort=True)
        path = f"/api/1/trash/{number}" if number else "/api/1/trash"
        emptied: dict[str, Any] = server.call("DELETE", path)
    click.echo(f"{emptied['items']:,} let go of.")


def _found(server: LocalServer, number: int | None) -> dict[str, Any]:
    """What is to be undone. Raises NotFound."""
    items: list[dict[str, Any]] = server.call("GET", "/api/1/trash")
    for item in items:
        if number is None or item["id"] == number:
            return item
    if number is None:
        raise NotFound("there is nothing to undo: the trash is empty")
    raise NotFound(f"there is nothing to undo by the number {number}", hint="dayline trash list shows what there is")


def _row(item: dict[str, Any]) -> tuple[str, ...]:
    made, until = (datetime.fromisoformat(item[name]).astimezone() for name in ("made", "until"))
    return (
        str(item["id"]), f"{made:%Y-%m-%d %H:%M:%S}", WORDS[item["kind"]],
        " → ".join(filter(None, (item["bucket"], item["other"]))) or "-", f"{item['events']:,}", f"{until:%Y-%m-%d}",
    )  # fmt: skip


def _line(item: dict[str, Any]) -> str:
    number, made, what, bucket_id, *_ = _row(item)
    return f"{number}  {made}  {what}: {bucket_id} ({quantity(item['events'], 'event')})"
