"""`dayline annotations`: labels, categories and entries that you add to spans of time."""

from datetime import UTC, datetime, timedelta
from typing import Any

import click
import msgspec

from dayline.cli.calls.local import local_server, reading_server, storing_server
from dayline.cli.groups import Group, WrongUsage
from dayline.cli.options.names import category_names, check_category, check_devices, device_names
from dayline.cli.options.options import as_json, limit_option, on_database
from dayline.cli.options.ranges import Range, TimeParser, check_time, range_options
from dayline.cli.options.settings import Settings
from dayline.cli.options.types import Length
from dayline.cli.options.view import view_of
from dayline.cli.screens.layout import print_json, print_list
from dayline.model.edits.annotation import AnnotationPage, AnnotationView, ChangedAnnotation, RemovedAnnotation

EXAMPLES = """\b
Examples:
  dayline annotations --last 7d
  dayline annotations add "Stand-up" --from 09:00 --to 09:15 --entry --category Work/Meetings
  dayline annotations off 17
  dayline annotations delete 17
"""
ADD_EXAMPLES = """\b
Examples:
  dayline annotations add "Stand-up" --from 09:00 --to 09:15 --entry --category Work/Meetings
  dayline annotations add --from "yesterday 14:00" --for 2h --category Work/Review
  dayline annotations add --from "monday 12:00" --to 13:00 --exclude
  dayline annotations add "at home" --from 2026-03-05T08:00 --to 2026-03-05T17:00
"""
LIST_EXAMPLES = """\b
Examples:
  dayline annotations list
  dayline annotations list --from yesterday
  dayline annotations list --last 30d --json
"""
_PATH = "/api/1/annotations"


@click.group(cls=Group, default="list", epilog=EXAMPLES)
def annotations() -> None:
    """Add, list, disable and delete annotations.

    An annotation gives a span of time a label or a category, adds time that no watcher recorded, or excludes time.
    Recorded events stay as they are.
    """


@annotations.command(epilog=ADD_EXAMPLES)
@click.argument("label", default="")
@click.option("--from", "from_", required=True, metavar="TIME", help="Start: 09:00, yesterday 14:00, …")
@click.option("--to", metavar="TIME", help="End; a day is included. [default: now]")
@click.option("--for", "length", type=Length(), help="Length, such as 15m or 2h, instead of --to.")
@click.option("--category", metavar="PATH", shell_complete=category_names, help="Its category: Work/Code.")
@click.option("--entry", is_flag=True, help="Add time that no watcher recorded.")
@click.option("--exclude", is_flag=True, help="Do not count the time.")
@click.option("--device", metavar="HOST", shell_complete=device_names, help="Only for this device.")
@click.option("--note", default="", help="A note.")
@as_json
@on_database
def add(
    settings: Settings,
    label: str,
    from_: str,
    to: str | None,
    length: timedelta | None,
    category: str | None,
    entry: bool,
    exclude: bool,
    device: str | None,
    note: str,
    is_json: bool,
) -> None:
    """Annotate a span of time with a LABEL, a category, or both.

    Recorded events stay as they are. `dayline undo` reverts it.
    """
    if to is not None and length is not None:
        raise WrongUsage("--to and --for contradict each other", hint="give one of them")
    if exclude and (entry or category is not None):
        raise WrongUsage("--exclude cannot be combined with --entry or --category", hint="give one of them")
    for text, option in ((from_, "--from"), (to, "--to")):
        if text is not None:
            check_time(text, option)  # before a database is created
    with storing_server(settings) as server:
        times = TimeParser(view_of(server))
        start = times.time(from_, "--from")
        end = start + length if length is not None else times.end_after(to or "now", start, "--to")
        if end <= start:
            raise WrongUsage(
                f"the range is empty: --to {to or 'now'} is not after --from {from_}",
                hint="give a later --to, or --for",
            )
        if category is not None:
            check_category(server, category)
        if device is not None:
            check_devices(server, (device,))
        body = {
            "kind": "exclude" if exclude else "entry" if entry else "label" if category is None else "category",
            "start": _utc(start),
            "end": _utc(end),
            "label": label,
            "category": None if category is None else category.split("/"),
            "device": device,
            "note": note,
        }
        answer: Any = server.call("POST", _PATH, body)
    if is_json:
        print_json(answer)
    else:
        made = msgspec.convert(answer, ChangedAnnotation)
        click.echo(f"{made.id}: {_line(times, made)}. Undo it with dayline undo {made.undo}.")


@annotations.command("list", epilog=LIST_EXAMPLES)
@range_options()
@limit_option(50, maximum=1000)
@as_json
@on_database
def list_(settings: Settings, range_: Range, limit: int, is_json: bool) -> None:
    """List annotations, newest first."""
    with reading_server(settings) as server:
        view = view_of(server)
        times = TimeParser(view)
        start, end = range_.edges(view)
        answer: Any = server.call("GET", _PATH, start=start, end=end, limit=limit)
    page = msgspec.convert(answer, AnnotationPage)
    is_table = print_list(
        answer,
        ("id", "from", "to", "kind", "label", "category", "device", "on"),
        [_row(times, each) for each in page.annotations],
        empty="There are no annotations.",
        is_json=is_json,
    )
    if is_table and page.cursor is not None:
        click.echo(f"There are more: --limit {min(limit * 2, 1000)}", err=True)


@annotations.command(epilog="\b\nExample:\n  dayline annotations delete 17")
@click.argument("number", metavar="ID", type=click.IntRange(1))
@as_json
@on_database
def delete(settings: Settings, number: int, is_json: bool) -> None:
    """Delete an annotation. `dayline undo` restores it."""
    with local_server(settings) as server:
        answer: Any = server.call("DELETE", f"{_PATH}/{number}")
    if is_json:
        print_json(answer)
    else:
        removed = msgspec.convert(answer, RemovedAnnotation)
        click.echo(f"Deleted. Undo it with dayline undo {removed.undo}.")


@annotations.command(epilog="\b\nExample:\n  dayline annotations off 17")
@click.argument("number", metavar="ID", type=click.IntRange(1))
@as_json
@on_database
def off(settings: Settings, number: int, is_json: bool) -> None:
    """Disable an annotation without deleting it."""
    _switch(settings, number, is_on=False, is_json=is_json)


@annotations.command(epilog="\b\nExample:\n  dayline annotations on 17")
@click.argument("number", metavar="ID", type=click.IntRange(1))
@as_json
@on_database
def on(settings: Settings, number: int, is_json: bool) -> None:
    """Enable an annotation again."""
    _switch(settings, number, is_on=True, is_json=is_json)


def _switch(settings: Settings, number: int, *, is_on: bool, is_json: bool) -> None:
    with local_server(settings) as server:
        answer: Any = server.call("PATCH", f"{_PATH}/{number}", {"is_on": is_on})
    if is_json:
        print_json(answer)
    else:
        changed = msgspec.convert(answer, ChangedAnnotation)
        click.echo(f"{'Enabled' if is_on else 'Disabled'}. Undo it with dayline undo {changed.undo}.")


def _row(times: TimeParser, each: AnnotationView) -> tuple[str, ...]:
    return (
        str(each.id), times.shown(each.start), times.shown(each.end), each.kind, each.label or "-",
        "/".join(each.category or ()) or "-", each.device or "-", "yes" if each.is_on else "no",
    )  # fmt: skip


def _line(times: TimeParser, each: AnnotationView) -> str:
    _, start, end, kind, label, category, _, _ = _row(times, each)
    words = " ".join(part for part in (label, category) if part != "-")
    end = end[11:] if end[:10] == start[:10] else end
    return f"{start} to {end}, {kind}{f' {words}' if words else ''}"


def _utc(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat()
