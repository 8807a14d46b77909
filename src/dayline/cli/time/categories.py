"""`dayline categories`: the rules that say what time was spent on."""

import sys
from pathlib import Path
from typing import Any

import click
import msgspec

from dayline.cli.calls.local import local_server, reading_server, storing_server
from dayline.cli.options.options import as_json, on_database
from dayline.cli.options.settings import Settings
from dayline.cli.options.view import view_of
from dayline.cli.screens.amounts import duration
from dayline.cli.screens.layout import print_json, print_table

CATEGORIES = "/api/1/categories"
EXAMPLES = """\b
Examples:
  dayline categories list
  dayline categories explain --app Code --title "main.py - dayline"
  dayline categories explain --at 2026-03-05T10:15:00Z
  dayline categories suggest --period last-30-days
  dayline categories export > rules.json
  dayline categories import rules.json --dry-run
  dayline categories history
  dayline categories restore 12
"""


@click.group(epilog=EXAMPLES)
def categories() -> None:
    """Say what time was spent on: categories and their rules."""


@categories.command("list")
@as_json
@on_database
def list_(settings: Settings, is_json: bool) -> None:
    """List the categories and their rules."""
    with reading_server(settings) as server:
        found: dict[str, Any] = server.call("GET", CATEGORIES)
    if is_json:
        print_json(found)
        return
    print_table(
        ("category", "rules", "colour"),
        [(_path(each["name"]), "; ".join(_rules(each)), each["color"] or "") for each in found["categories"]],
    )
    for fault in found["faults"]:
        click.secho(f"{_path(fault['name'])}: {fault['message']}", fg="yellow", err=True)


@categories.command()
@click.option("--at", metavar="TIME", help="What was in front at this moment, as RFC 3339.")
@click.option("--device", metavar="HOST", help="On this device, with --at.")
@click.option("--bucket", metavar="BUCKET", help="An event of this bucket, with --id.")
@click.option("--id", "event_id", type=int, help="The event's id, with --bucket.")
@click.option("--app", help="A window of this app.")
@click.option("--title", help="A window of this title.")
@click.option("--url", help="A tab of this URL.")
@as_json
@on_database
def explain(
    settings: Settings, is_json: bool, at: str | None, device: str | None, bucket: str | None, event_id: int | None,
    app: str | None, title: str | None, url: str | None,
) -> None:  # fmt: skip
    """Tell why something has its category: the rule, the field, and what matched there."""
    given = {"app": app, "title": title, "url": url}
    data = {name: text for name, text in given.items() if text is not None}
    asked: dict[str, Any] = {"at": at, "device": device, "bucket": bucket, "id": event_id}
    if data:
        asked |= {"data": data, "type": "web.tab.current" if url is not None else "currentwindow"}
    if not data and at is None and bucket is None:
        raise click.UsageError("say what to explain: --app and --title, --url, --bucket and --id, or --at")
    with reading_server(settings) as server:
        told: dict[str, Any] = server.call("POST", f"{CATEGORIES}/explain", asked)
    if is_json:
        print_json(told)
        return
    if not told["is_active"]:
        click.echo("nobody was active then")
        return
    click.echo(_path(told["category"]))
    if told["annotation"] is not None:
        click.echo(f"  because annotation {told['annotation']} says so")
    elif told["winner"] is None:
        click.echo("  because no rule matches")
    else:
        click.echo(f"  because {_match(told['winner'])}")
    for other in told["others"]:
        click.echo(f"  also {_path(other['category'])}: {_match(other)} (lost by {other['lost_by']})")


@categories.command()
@click.option("--period", default="last-30-days", show_default=True, help="The range to look at, by its name.")
@click.option("--limit", type=click.IntRange(min=1), default=20, show_default=True, help="At most so many.")
@as_json
@on_database
def suggest(settings: Settings, is_json: bool, period: str, limit: int) -> None:
    """Suggest categories for the largest groups of time that have none."""
    with reading_server(settings) as server:
        told: dict[str, Any] = server.call(
            "GET", f"{CATEGORIES}/suggestions", period=period, limit=limit, tz=view_of(server).zone
        )
    if is_json:
        print_json(told)
        return
    click.echo(f"{duration(told['uncategorized'])} without a category, {told['range']['label']}")
    print_table(
        ("time", "rule", "category", "such as"),
        [
            (
                duration(each["seconds"]),
                _condition(each["condition"]),
                _path(each["category"]),
                "; ".join(str(sample["title"] or sample["app"]) for sample in each["samples"][:2]),
            )
            for each in told["suggestions"]
        ],
    )


@categories.command()
@on_database
def export(settings: Settings) -> None:
    """Print all categories as a document that import takes."""
    with reading_server(settings) as server:
        print_json(server.call("GET", f"{CATEGORIES}/export"))


@categories.command("import")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False, allow_dash=True))
@click.option("--mode", type=click.Choice(["merge", "replace"]), default="merge", show_default=True)
@click.option("--dry-run", is_flag=True, help="Tell what would be done, and do nothing.")
@as_json
@on_database
def import_(settings: Settings, is_json: bool, file: Path, mode: str, dry_run: bool) -> None:
    """Import categories from FILE: a document of export, or one of the existing web UI. `-` reads standard input."""
    text = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    try:
        document = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise click.UsageError(f"{file} is not JSON: {error}") from error
    is_dry = "true" if dry_run else "false"
    with (reading_server if dry_run else storing_server)(settings) as server:
        told: dict[str, Any] = server.call("POST", f"{CATEGORIES}/import", document, mode=mode, dry_run=is_dry)
    if is_json:
        print_json(told)
        return
    print_table(("category", "outcome"), [(_path(each["name"]), each["outcome"]) for each in told["categories"]])
    if told["version"] is not None:
        click.echo(f"version {told['version']['number']}")


@categories.command()
@as_json
@on_database
def history(settings: Settings, is_json: bool) -> None:
    """List the versions of the categories: who changed them, when and why."""
    with reading_server(settings) as server:
        told: dict[str, Any] = server.call("GET", f"{CATEGORIES}/versions")
    if is_json:
        print_json(told)
        return
    print_table(
        ("version", "changed", "by", "why"),
        [(str(each["number"]), each["changed"], each["author"], each["comment"]) for each in told["versions"]],
    )


@categories.command()
@click.argument("version", type=click.IntRange(min=1))
@as_json
@on_database
def restore(settings: Settings, is_json: bool, version: int) -> None:
    """Make the categories what they were in VERSION. What they are until now stays in the history."""
    with local_server(settings) as server:
        told: dict[str, Any] = server.call("POST", f"{CATEGORIES}/versions/{version}/restore")
    if is_json:
        print_json(told)
        return
    click.echo(
        f"restored as version {told['version']['number']}; dayline categories restore {told['previous']} undoes it"
    )


def _path(names: list[str]) -> str:
    return "/".join(names)


def _rules(category: dict[str, Any]) -> list[str]:
    classic = [f"/{category['rule']['regex']}/"] if category["rule"] and category["rule"]["regex"] else []
    return [*classic, *map(_condition, category["conditions"])]


def _condition(condition: dict[str, Any]) -> str:
    return f"{condition['field']} {condition['op']} {condition['value']}"


def _match(match: dict[str, Any]) -> str:
    text, start, end = match["text"], match["start"], match["end"]
    shown = f"{text[:start]}[{text[start:end]}]{text[end:]}"
    return f"{match['field']} {match['op']} {match['pattern']!r}: {shown}"
