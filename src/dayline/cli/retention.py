"""`dayline retention`: thin what is old."""

from typing import Any

import click

from dayline.cli.local import local_server, reading_server, storing_server
from dayline.cli.options import as_json, on_database
from dayline.cli.settings import Settings
from dayline.cli.sizes import size_in_words
from dayline.cli.tables import print_json, print_table
from dayline.model.errors import Invalid

EXAMPLES = """\b
Examples:
  dayline retention set 'aw-watcher-window_*=365' 'aw-watcher-afk_*=90'
  dayline retention preview
  dayline retention apply
"""
SET_EXAMPLES = """\b
Examples:
  dayline retention set 'aw-watcher-window_*=365'
  dayline retention set                              nothing is thinned any more
"""
PREVIEW_EXAMPLES = """\b
Examples:
  dayline retention preview                          the rules in force
  dayline retention preview '*=180'                  others, to try
"""


@click.group(epilog=EXAMPLES)
def retention() -> None:
    """Thin what is old: by default nothing is.

    Events older than the days of a rule, with equal data, that began within one hour become one event that lasts as
    long as all of them. The server does so once a day. It can be undone while the trash keeps it: dayline undo.
    """


@retention.command()
@as_json
@on_database
def show(settings: Settings, is_json: bool) -> None:
    """Show the rules, and the buckets that each is for."""
    with reading_server(settings) as server:
        found: dict[str, Any] = server.call("GET", "/api/1/retention")
    if is_json:
        print_json(found)
    else:
        _print_rules(found["rules"])


@retention.command("set", epilog=SET_EXAMPLES)
@click.argument("rules", metavar="[BUCKET=DAYS]...", nargs=-1)
@as_json
@on_database
def set_(settings: Settings, rules: tuple[str, ...], is_json: bool) -> None:
    """Replace the rules. In BUCKET, * stands for any characters; the first rule that fits a bucket counts."""
    with storing_server(settings) as server:
        found: dict[str, Any] = server.call("PUT", "/api/1/retention", [_rule(text) for text in rules])
    if is_json:
        print_json(found)
    else:
        _print_rules(found["rules"])


@retention.command(epilog=PREVIEW_EXAMPLES)
@click.argument("rules", metavar="[BUCKET=DAYS]...", nargs=-1)
@as_json
@on_database
def preview(settings: Settings, rules: tuple[str, ...], is_json: bool) -> None:
    """Show what the rules would do, or others would. Changes nothing."""
    body = {"rules": [_rule(text) for text in rules]} if rules else {}
    with reading_server(settings) as server:
        found: list[dict[str, Any]] = server.call("POST", "/api/1/retention/preview", body)
    if is_json:
        print_json(found)
    else:
        _print_preview(found)


@retention.command()
@click.option("--yes", is_flag=True, help="Do not ask.")
@as_json
@on_database
def apply(settings: Settings, yes: bool, is_json: bool) -> None:
    """Apply the rules now, rather than once a day. Recording goes on meanwhile."""
    with local_server(settings) as server:
        if not yes:
            _print_preview(server.call("POST", "/api/1/retention/preview", {}))
            click.confirm("Thin these buckets?", abort=True, err=True)
        found: list[dict[str, Any]] = server.call("POST", "/api/1/retention/apply")
    if is_json:
        print_json(found)
    elif not any(each["removed"] for each in found):
        click.echo("There was nothing to thin.", err=True)
    else:
        rows = [(each["bucket"], f"{each['removed']:,}", str(each["undo"] or "-")) for each in found]
        print_table(("bucket", "events fewer", "undo"), rows)


def _rule(text: str) -> dict[str, object]:
    bucket, equals, days = text.rpartition("=")
    if not (bucket and equals and days.isascii() and days.isdigit()):
        raise Invalid(f"a rule is BUCKET=DAYS, not {text!r}", hint="such as 'aw-watcher-window_*=365'")
    return {"bucket": bucket, "days": int(days)}


def _print_rules(rules: list[dict[str, Any]]) -> None:
    if not rules:
        click.echo("There are no rules: nothing is thinned.", err=True)
        return
    rows = [(rule["bucket"], str(rule["days"]), ", ".join(rule["buckets"]) or "-") for rule in rules]
    print_table(("rule", "days", "buckets"), rows)


def _print_preview(found: list[dict[str, Any]]) -> None:
    if not found:
        click.echo("No rule fits a bucket: nothing is thinned.", err=True)
        return
    rows = [
        (each["bucket"], str(each["days"]), f"{each['events']:,}", f"{each['after']:,}", size_in_words(each["bytes"]))
        for each in found
    ]
    print_table(("bucket", "days", "events", "after", "saves about"), rows)
