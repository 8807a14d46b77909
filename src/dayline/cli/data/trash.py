"""`dayline undo` and `dayline trash`: list and revert deletions and changes."""

from typing import Any
from urllib.parse import quote

import click
import msgspec

from dayline.cli.calls.local import LocalServer, local_server, shows
from dayline.cli.groups import Group, WrongUsage
from dayline.cli.options.options import as_json, confirm, on_database, yes_option
from dayline.cli.options.settings import Settings
from dayline.cli.screens.amounts import local_time
from dayline.cli.screens.layout import print_change, print_json, print_rows
from dayline.model.errors import NotFound
from dayline.model.upkeep.undo import Emptied, TrashItem, Undone
from dayline.runtime.text import quantity

UNDO_EXAMPLES = """\b
Examples:
  dayline undo                  the latest change, after confirmation
  dayline undo 17 --yes
  dayline undo --group sync-1773847800000-412
"""
TRASH_EXAMPLES = """\b
Examples:
  dayline trash
  dayline trash empty 17        one entry
  dayline trash empty           all entries, after confirmation
"""
WORDS: dict[str, str] = {
    "delete_bucket": "bucket deleted",
    "delete_buckets": "demo data deleted",
    "delete_events": "events deleted",
    "replace_events": "events replaced",
    "split_event": "event split",
    "insert_events": "events added",
    "update_bucket": "bucket changed",
    "rename_bucket": "bucket renamed",
    "merge_buckets": "buckets merged",
    "rehost_bucket": "host of a bucket changed",
    "remove_alias": "alias deleted",
    "thin_bucket": "bucket downsampled",
    "mend_events": "events fixed",
    "redaction": "privacy rules applied",
}


@click.command(epilog=UNDO_EXAMPLES)
@click.argument("number", type=click.IntRange(1), required=False)
@click.option("--group", metavar="NAME", help="Undo all operations of this group, the latest first.")
@click.option("--refuse", is_flag=True, help="Fail if a deleted bucket was created again, instead of merging both.")
@yes_option
@as_json
@on_database
def undo(settings: Settings, number: int | None, group: str | None, refuse: bool, yes: bool, is_json: bool) -> None:
    """Undo the latest change, or the one with NUMBER.

    `dayline trash` lists the numbers. Ids, times, data and metadata are exactly as before.
    """
    if group is not None:
        if number is not None:
            raise WrongUsage("NUMBER cannot be combined with --group", hint="dayline trash lists the numbers")
        _undo_group(settings, group, yes=yes, is_json=is_json)
        return
    with local_server(settings) as server:
        item = _item(server, number)
        click.echo(_line(item), err=is_json)
        if not yes:
            confirm("Undo this?", default=True, err=is_json)
        conflict = "refuse" if refuse else None
        answer = server.call("POST", f"/api/1/undo/{item.id}", conflict=conflict)
    if is_json:
        print_json(answer)
        return
    undone = msgspec.convert(answer, Undone)
    merged = " Events that were recorded since then are kept." if undone.merged else ""
    click.echo(f"Undone.{merged}")


def _undo_group(settings: Settings, group: str, *, yes: bool, is_json: bool) -> None:
    with local_server(settings) as server:
        items = [item for item in _items(server) if item.group == group]
        for item in items:
            click.echo(_line(item), err=is_json)
        if items and not yes:
            confirm("Undo all of this?", default=True, err=is_json)
        answer: Any = server.call("POST", f"/api/1/undo/groups/{quote(group, safe='')}")
    if is_json:
        print_json(answer)
    else:
        click.echo(f"Undone: {quantity(len(answer), 'operation')}.")


@click.group(cls=Group, default="list", epilog=TRASH_EXAMPLES)
def trash() -> None:
    """List changes that can be undone, or empty the trash.

    `dayline undo` reverts a change.
    """


@trash.command("list", epilog="\b\nExample:\n  dayline trash list --json")
@shows("/api/1/trash")
def list_(answer: Any) -> None:
    """List changes that can be undone, newest first."""
    rows = [_row(item) for item in msgspec.convert(answer, list[TrashItem])]
    print_rows(("number", "time", "change", "bucket", "events", "expires"), rows, empty="The trash is empty.")


@trash.command(epilog="\b\nExamples:\n  dayline trash empty 17\n  dayline trash empty --yes")
@click.argument("number", type=click.IntRange(1), required=False)
@yes_option
@as_json
@on_database
def empty(settings: Settings, is_json: bool, number: int | None, yes: bool) -> None:
    """Delete one entry, or all, permanently."""
    with local_server(settings) as server:
        items = [_item(server, number)] if number else _items(server)
        if not items:
            print_change({"items": 0}, "The trash is empty.", is_json=is_json)
            return
        for item in items:
            click.echo(_line(item), err=is_json)
        if not yes:
            confirm("This cannot be undone. Delete permanently?", err=is_json)
        path = f"/api/1/trash/{number}" if number else "/api/1/trash"
        emptied = msgspec.convert(server.call("DELETE", path), Emptied)
    if is_json:
        print_json(msgspec.structs.asdict(emptied))
    else:
        click.echo(f"Deleted {quantity(emptied.items, 'entry', 'entries')}.")


def _items(server: LocalServer) -> list[TrashItem]:
    return msgspec.convert(server.call("GET", "/api/1/trash"), list[TrashItem])


def _item(server: LocalServer, number: int | None) -> TrashItem:
    """The entry to undo. Raises NotFound."""
    for item in _items(server):
        if number is None or item.id == number:
            return item
    if number is None:
        raise NotFound("there is nothing to undo: the trash is empty")
    raise NotFound(f"there is no undo entry {number}", hint="dayline trash lists them")


def _row(item: TrashItem) -> tuple[str, ...]:
    return (
        str(item.id), local_time(item.made), item.progress.text if item.progress else WORDS[item.kind],
        " → ".join(filter(None, (item.bucket, item.other))) or "-", f"{item.events:,}", local_time(item.until)[:10],
    )  # fmt: skip


def _line(item: TrashItem) -> str:
    number, made, what, bucket_id, *_ = _row(item)
    return f"{number}  {made}  {what}: {bucket_id} ({quantity(item.events, 'event')})"
