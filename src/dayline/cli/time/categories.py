"""`dayline categories`: the rules that assign time to categories."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from dayline.cli.calls.local import local_server, reading_server, shows, storing_server
from dayline.cli.groups import Group, WrongUsage
from dayline.cli.options.names import bucket_ids, category_names, device_names
from dayline.cli.options.options import as_json, dry_run_option, limit_option, on_database
from dayline.cli.options.ranges import Range, TimeParser, check_time, range_options
from dayline.cli.options.settings import Settings
from dayline.cli.options.types import InputFile, read_json
from dayline.cli.options.view import view_of
from dayline.cli.screens.amounts import duration, local_time
from dayline.cli.screens.layout import print_json, print_table
from dayline.model.errors import Invalid, Malformed

if TYPE_CHECKING:
    from dayline.insight.categories.model import CategoryView, ConditionView, RuleMatch

CATEGORIES = "/api/1/categories"
OPERATORS = ("is", "has", "word", "starts", "ends", "regex")
EXAMPLES = """\b
Examples:
  dayline categories
  dayline categories add Work/Code --app Code
  dayline categories explain --app Code --title "main.py - dayline"
  dayline categories explain --at 2026-03-05T10:15:00Z
  dayline categories suggest --last 30d
  dayline categories export > rules.json
  dayline categories import rules.json --dry-run
  dayline categories history
  dayline categories restore 12
"""


ADD_EXAMPLES = """\b
Examples:
  dayline categories add Work/Code --app Code
  dayline categories add Work/Docs --domain docs.python.org --color teal
  dayline categories add Media --rule title:regex:'(youtube|netflix)'
"""
EXPLAIN_EXAMPLES = """\b
Examples:
  dayline categories explain --app Code --title "main.py - dayline"
  dayline categories explain --at 2026-03-05T10:15:00Z
"""
IMPORT_EXAMPLES = """\b
Examples:
  dayline categories import rules.json --dry-run
  dayline categories import rules.json --mode replace
"""


@click.group(cls=Group, default="list", epilog=EXAMPLES)
def categories() -> None:
    """Add, list, explain, import and export categories."""


@categories.command(epilog=ADD_EXAMPLES)
@click.argument("name", shell_complete=category_names)
@click.option("--app", "apps", multiple=True, help="Windows of this app.")
@click.option("--title", "titles", multiple=True, help="Windows and tabs whose title contains this text.")
@click.option("--domain", "domains", multiple=True, help="Pages of this web site.")
@click.option(
    "--rule",
    "rules",
    multiple=True,
    metavar="FIELD:OP:VALUE",
    help=f"Another rule; OP is one of {', '.join(OPERATORS)}.",
)
@click.option("--color", help="Color, such as teal or #3b82f6.")
@as_json
@on_database
def add(
    settings: Settings,
    name: str,
    apps: tuple[str, ...],
    titles: tuple[str, ...],
    domains: tuple[str, ...],
    rules: tuple[str, ...],
    color: str | None,
    is_json: bool,
) -> None:
    """Add a category, or add rules to one.

    NAME is a path such as Work/Code. Time that matches any of the rules belongs to the category.
    """
    path = [part.strip() for part in name.split("/")]
    if not all(path):
        raise Invalid(f"invalid category {name!r}", hint="write a path such as Work/Code")
    conditions = [
        *(_rule("app", "is", value) for value in apps),
        *(_rule("title", "has", value) for value in titles),
        *(_rule("domain", "is", value) for value in domains),
        *map(_parse_rule, rules),
    ]
    from dayline.insight.categories.colors import check_color  # here, because --help does not need it

    check_color(color, "--color")
    with storing_server(settings) as server:
        document: dict[str, Any] = server.call("GET", f"{CATEGORIES}/export")
        category: dict[str, Any] = next(
            (each for each in document["categories"] if each["name"] == path), {"name": path}
        )
        outcome = "added" if category not in document["categories"] else "changed"
        known = category.get("conditions", [])
        new = [each for each in conditions if not any(each.items() <= old.items() for old in known)]
        category["conditions"] = [*known, *new]
        category |= {} if color is None else {"color": color}
        document = {"kind": document["kind"], "version": document["version"], "categories": [category]}
        comment = f"{outcome} {'/'.join(path)}"
        changed: Any = server.call("POST", f"{CATEGORIES}/import", document, mode="merge", comment=comment)
    if is_json:
        print_json(changed)
        return
    rules_text = "; ".join(_described(each["field"], each["op"], each["value"]) for each in category["conditions"])
    click.echo(f"{outcome.capitalize()} {'/'.join(path)}: {rules_text or 'no rules'}{_undoing(changed['previous'])}")


def _undoing(previous: int | None) -> str:
    """How to undo a change, if there is a version before it."""
    return "" if previous is None else f". To undo it: dayline categories restore {previous}"


def _rule(field: str, op: str, value: str) -> dict[str, Any]:
    return {"field": field, "op": op, "value": value}


def _parse_rule(text: str) -> dict[str, Any]:
    field, _, rest = text.partition(":")
    op, _, value = rest.partition(":")
    if not (field and value) or op not in OPERATORS:
        raise Invalid(
            f"invalid rule {text!r}",
            hint=f"write FIELD:OP:VALUE, such as app:is:Code; OP is one of {', '.join(OPERATORS)}",
        )
    if op == "regex":
        from dayline.insight.categories.checking import check_pattern  # here, because other rules do not need it

        check_pattern(value, True, "--rule")
    return _rule(field, op, value)


@categories.command("list", epilog="\b\nExample:\n  dayline categories list --json")
@shows(CATEGORIES)
def list_(answer: Any) -> None:
    """List the categories and their rules."""
    # Here, because --help and --json do not need it.
    from dayline.insight.categories.model import Categories

    listed = msgspec.convert(answer, Categories)
    print_table(
        ("category", "rules", "color"),
        [(_path(each.name), "; ".join(_rules(each)), each.color or "") for each in listed.categories],
    )
    for fault in listed.faults:
        click.secho(f"{_path(fault.name)}: {fault.message}", fg="yellow", err=True)


@categories.command(epilog=EXPLAIN_EXAMPLES)
@click.option("--at", metavar="TIME", help="The window that was active then: 09:00, yesterday 14:00, …")
@click.option("--device", metavar="HOST", shell_complete=device_names, help="The device, with --at.")
@click.option("--bucket", metavar="BUCKET", shell_complete=bucket_ids, help="The bucket of an event, with --id.")
@click.option("--id", "event_id", type=int, help="The id of the event, with --bucket.")
@click.option("--app", help="App of a window.")
@click.option("--title", help="Title of a window.")
@click.option("--url", help="URL of a tab.")
@as_json
@on_database
def explain(
    settings: Settings, is_json: bool, at: str | None, device: str | None, bucket: str | None, event_id: int | None,
    app: str | None, title: str | None, url: str | None,
) -> None:  # fmt: skip
    """Explain which rule assigns a category."""
    given = {"app": app, "title": title, "url": url}
    data = {name: text for name, text in given.items() if text is not None}
    asked: dict[str, Any] = {"at": at, "device": device, "bucket": bucket, "id": event_id}
    if data:
        asked |= {"data": data, "type": "web.tab.current" if url is not None else "currentwindow"}
    if not data and at is None and bucket is None:
        raise WrongUsage("nothing to explain", hint="give --app and --title, --url, --bucket and --id, or --at")
    if at is not None and (data or bucket is not None):
        raise WrongUsage("--at cannot be combined with --app, --title, --url or --bucket", hint="give one of them")
    if at is not None:
        check_time(at, "--at")
    with reading_server(settings) as server:
        if at is not None:
            asked["at"] = TimeParser(view_of(server)).time(at, "--at").isoformat()
        answer: Any = server.call("POST", f"{CATEGORIES}/explain", asked)
    if is_json:
        print_json(answer)
        return
    # Here, because --help and --json do not need it.
    from dayline.insight.categories.model import Explanation

    explanation = msgspec.convert(answer, Explanation)
    if not explanation.is_active:
        click.echo("There was no activity at that time.")
        return
    click.echo(_path(explanation.category))
    if explanation.annotation is not None:
        click.echo(f"  because of annotation {explanation.annotation}")
    elif explanation.winner is None:
        click.echo("  because no rule matches")
    else:
        click.echo(f"  because {_match(explanation.winner)}")
    for other in explanation.others:
        click.echo(f"  also {_path(other.category)}: {_match(other)} (lost by {other.lost_by})")


@categories.command(epilog="\b\nExample:\n  dayline categories suggest --last 30d")
@range_options("last-30-days")
@limit_option(20, maximum=1000)
@as_json
@on_database
def suggest(settings: Settings, is_json: bool, range_: Range, limit: int) -> None:
    """Suggest categories for uncategorized time."""
    with reading_server(settings) as server:
        answer: Any = server.call("GET", f"{CATEGORIES}/suggestions", limit=limit, **range_.parameters(view_of(server)))
    if is_json:
        print_json(answer)
        return
    # Here, because --help and --json do not need it.
    from dayline.insight.categories.model import Suggestions

    suggestions = msgspec.convert(answer, Suggestions)
    click.echo(f"{duration(suggestions.uncategorized)} without a category, {suggestions.range.label}")
    print_table(
        ("time", "rule", "category", "examples"),
        [
            (
                duration(each.seconds),
                _condition(each.condition),
                _path(each.category),
                "; ".join(str(sample.title or sample.app) for sample in each.samples[:2]),
            )
            for each in suggestions.suggestions
        ],
    )


@categories.command(epilog="\b\nExample:\n  dayline categories export > rules.json")
@on_database
def export(settings: Settings) -> None:
    """Export all categories as JSON."""
    with reading_server(settings) as server:
        print_json(server.call("GET", f"{CATEGORIES}/export"))


@categories.command("import", epilog=IMPORT_EXAMPLES)
@click.argument("file", type=InputFile(allow_dash=True))
@click.option(
    "--mode", type=click.Choice(["merge", "replace"]), default="merge", show_default=True,
    help="Keep other categories, or delete them.",
)  # fmt: skip
@dry_run_option
@as_json
@on_database
def import_(settings: Settings, is_json: bool, file: Path, mode: str, dry_run: bool) -> None:
    """Import categories from FILE, or from standard input with -.

    Accepts exports of Dayline and of the ActivityWatch web UI.
    """
    text = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    document = read_json(text, file)
    if document is None:
        raise Malformed(
            f"{file} contains no categories (got null)", hint="dayline categories export writes such a file"
        )
    is_dry = "true" if dry_run else "false"
    with (reading_server if dry_run else storing_server)(settings) as server:
        answer: Any = server.call("POST", f"{CATEGORIES}/import", document, mode=mode, dry_run=is_dry)
    if is_json:
        print_json(answer)
        return
    # Here, because --help and --json do not need it.
    from dayline.insight.categories.model import CategoryImport

    imported = msgspec.convert(answer, CategoryImport)
    print_table(("category", "outcome"), [(_path(each.name), each.outcome) for each in imported.categories])
    if imported.version is not None:
        click.echo(f"version {imported.version.number}{_undoing(imported.previous)}")


@categories.command(epilog="\b\nExample:\n  dayline categories history")
@shows(f"{CATEGORIES}/versions")
def history(answer: Any) -> None:
    """List the versions of the categories."""
    # Here, because --help and --json do not need it.
    from dayline.insight.categories.model import CategoryVersions

    versions = msgspec.convert(answer, CategoryVersions)
    print_table(
        ("version", "changed", "by", "why"),
        [(str(each.number), local_time(each.changed), each.author, each.comment) for each in versions.versions],
    )


@categories.command(epilog="\b\nExample:\n  dayline categories restore 12")
@click.argument("version", type=click.IntRange(min=1))
@as_json
@on_database
def restore(settings: Settings, is_json: bool, version: int) -> None:
    """Restore the categories of VERSION.

    The current ones stay in the history.
    """
    with local_server(settings) as server:
        answer: Any = server.call("POST", f"{CATEGORIES}/versions/{version}/restore")
    if is_json:
        print_json(answer)
        return
    # Here, because --help and --json do not need it.
    from dayline.insight.categories.model import ChangedCategories

    restored = msgspec.convert(answer, ChangedCategories)
    number = None if restored.version is None else restored.version.number
    click.echo(f"Restored as version {number}; dayline categories restore {restored.previous} undoes it")


def _path(names: Sequence[str]) -> str:
    return "/".join(names)


def _rules(category: "CategoryView") -> list[str]:
    classic = [f"/{category.rule.regex}/"] if category.rule and category.rule.regex else []
    return [*classic, *map(_condition, category.conditions)]


def _condition(condition: "ConditionView") -> str:
    return _described(condition.field, condition.op, condition.value)


def _described(field: str, op: str, value: str) -> str:
    return f"{field} {op} {value}"


def _match(match: "RuleMatch") -> str:
    text, start, end = match.text, match.start, match.end
    shown = f"{text[:start]}[{text[start:end]}]{text[end:]}"
    return f"{match.field} {match.op} {match.pattern!r}: {shown}"
