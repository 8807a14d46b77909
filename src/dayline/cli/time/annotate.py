"""`dayline annotate` and `dayline annotations`: say what a span of time was, and see what was said."""

from datetime import UTC, datetime, timedelta
from typing import Any

import click

from dayline.cli.calls.local import local_server, reading_server, storing_server
from dayline.cli.options.options import Length, as_json, on_database
from dayline.cli.options.settings import Settings
from dayline.cli.options.times import SpokenTimes
from dayline.cli.screens.layout import print_json, print_list
from dayline.model.errors import Invalid

ANNOTATE_EXAMPLES = """\b
Examples:
  dayline annotate "Stand-up" --from 09:00 --to 09:15 --entry --category Work/Meetings
  dayline annotate --from "yesterday 14:00" --for 2h --category Work/Review
  dayline annotate --from "monday 12:00" --to 13:00 --exclude
  dayline annotate "at home" --from 2026-03-05T08:00 --to 2026-03-05T17:00
"""
EXAMPLES = """\b
Examples:
  dayline annotations list --from yesterday
  dayline annotations off 17
  dayline annotations remove 17
"""
_PATH = "/api/1/annotations"


@click.command(epilog=ANNOTATE_EXAMPLES)
@click.argument("label", default="")
@click.option("--from", "from_", required=True, metavar="TIME", help="Where it begins: 09:00, yesterday 14:00, …")
@click.option("--to", metavar="TIME", help="Where it ends; a day alone is included. [default: now]")
@click.option("--for", "length", type=Length(), help="How long it is, such as 15m or 2h, in the place of --to.")
@click.option("--category", metavar="PATH", help="The category that the time belongs to, such as Work/Code.")
@click.option("--entry", is_flag=True, help="Time that no watcher saw: it is added.")
@click.option("--exclude", is_flag=True, help="The time does not count.")
@click.option("--device", metavar="HOST", help="Only for this device.")
@click.option("--note", default="", help="Anything else there is to say.")
@as_json
@on_database
def annotate(
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
    """Say what a span of time was: give it a LABEL, a category, or a meeting that no watcher saw; or leave it out.

    What was recorded stays as it is. dayline undo takes it back, dayline annotations shows what there is.
    """
    if to is not None and length is not None:
        raise Invalid("--to and --for both say where it ends", hint="give one of them")
    if exclude and (entry or category is not None):
        raise Invalid("--exclude leaves the time out, and --entry and --category count it", hint="give one of them")
    with storing_server(settings) as server:
        times = SpokenTimes.of(server)
        start = times.moment(from_, name="--from")
        end = start + length if length is not None else times.after(to or "now", start, name="--to")
        body = {
            "kind": "exclude" if exclude else "entry" if entry else "label" if category is None else "category",
            "start": _told(start),
            "end": _told(end),
            "label": label,
            "category": None if category is None else category.split("/"),
            "device": device,
            "note": note,
        }
        made: dict[str, Any] = server.call("POST", _PATH, body)
    if is_json:
        print_json(made)
    else:
        _say(f"{made['id']}: {_line(times, made)}. Undo it with dayline undo {made['undo']}.")


@click.group(epilog=EXAMPLES)
def annotations() -> None:
    """Show what was said about spans of time, switch it off and on, or remove it. dayline annotate says more."""


@annotations.command("list")
@click.option("--from", "from_", metavar="TIME", help="Only what ends after it.")
@click.option("--to", metavar="TIME", help="Only what begins before it; a day alone is included.")
@click.option("--limit", type=click.IntRange(1, 1000), default=50, show_default=True, help="At most so many.")
@as_json
@on_database
def list_(settings: Settings, from_: str | None, to: str | None, limit: int, is_json: bool) -> None:
    """List annotations, the one that begins last first."""
    with reading_server(settings) as server:
        times = SpokenTimes.of(server)
        start = None if from_ is None else _told(times.moment(from_, name="--from"))
        end = None if to is None else _told(times.moment(to, name="--to", is_end=True))
        found: dict[str, Any] = server.call("GET", _PATH, start=start, end=end, limit=limit)
    is_table = print_list(
        found,
        ("id", "from", "to", "kind", "label", "category", "device", "on"),
        [_row(times, each) for each in found["annotations"]],
        empty="There are no annotations.",
        is_json=is_json,
    )
    if is_table and found["cursor"] is not None:
        click.echo("There are more: raise --limit.", err=True)


@annotations.command()
@click.argument("number", metavar="ID", type=click.IntRange(1))
@on_database
def remove(settings: Settings, number: int) -> None:
    """Remove an annotation. dayline undo brings it back."""
    with local_server(settings) as server:
        removed: dict[str, Any] = server.call("DELETE", f"{_PATH}/{number}")
    _say(f"Removed. Undo it with dayline undo {removed['undo']}.")


@annotations.command()
@click.argument("number", metavar="ID", type=click.IntRange(1))
@on_database
def off(settings: Settings, number: int) -> None:
    """Keep an annotation, without its effect."""
    _switch(settings, number, is_on=False)


@annotations.command()
@click.argument("number", metavar="ID", type=click.IntRange(1))
@on_database
def on(settings: Settings, number: int) -> None:
    """Give an annotation its effect again."""
    _switch(settings, number, is_on=True)


def _switch(settings: Settings, number: int, *, is_on: bool) -> None:
    with local_server(settings) as server:
        server.call("PATCH", f"{_PATH}/{number}", {"is_on": is_on})
    _say(f"Switched {'on' if is_on else 'off'}.")


def _row(times: SpokenTimes, each: dict[str, Any]) -> tuple[str, ...]:
    return (
        str(each["id"]), times.shown(each["start"]), times.shown(each["end"]), each["kind"], each["label"] or "-",
        "/".join(each["category"] or ()) or "-", each["device"] or "-", "yes" if each["is_on"] else "no",
    )  # fmt: skip


def _line(times: SpokenTimes, each: dict[str, Any]) -> str:
    _, start, end, kind, label, category, _, _ = _row(times, each)
    said = " ".join(part for part in (label, category) if part != "-")
    end = end[11:] if end[:10] == start[:10] else end
    return f"{start} to {end}, {kind}{f' {said}' if said else ''}"


def _told(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat()


def _say(text: str) -> None:
    click.echo(text)
