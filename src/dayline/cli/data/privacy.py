"""`dayline privacy`: rules for new events, and for stored ones."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import click
import msgspec

from dayline.cli.calls.local import local_server, reading_server, shows, storing_server
from dayline.cli.groups import Group, WrongUsage
from dayline.cli.options.names import bucket_ids
from dayline.cli.options.options import as_json, confirm, on_database, yes_option
from dayline.cli.options.settings import Settings
from dayline.cli.options.types import InputFile, read_json
from dayline.cli.screens.amounts import duration, local_time
from dayline.cli.screens.layout import print_answer, print_change, print_json, print_rows, print_table
from dayline.model.errors import Conflict, Invalid, Malformed, NotFound
from dayline.runtime.text import quantity

_SHOWN: Final = 90  # characters of a data object in a sample


def print_preview(found: dict[str, Any]) -> None:
    """Print how much each rule would change, with examples."""
    touching = [rule for rule in found["rules"] if rule["buckets"]]
    if not touching:
        click.echo("No stored event would change.", err=True)
        return
    print_table(
        ("rule", "bucket", "values", "events", "time"),
        [
            (
                _title(rule),
                bucket["bucket"],
                f"{bucket['values']:,}",
                f"{bucket['events']:,}",
                duration(bucket["seconds"]),
            )
            for rule in touching
            for bucket in rule["buckets"]
        ],
    )
    for rule in touching:
        for sample in rule["samples"]:
            click.echo(f"\n  {sample['bucket']}, {quantity(sample['events'], 'event')}, {duration(sample['seconds'])}")
            before, after = sample["before"], sample["after"]
            click.echo(f"  - {_short(before, after)}")
            click.echo("  + (deleted)" if after is None else f"  + {_short(after, before)}")
    click.echo(
        f"\n{quantity(found['changed_events'], 'event')} would change, {found['dropped_events']:,} would be deleted.",
        err=True,
    )


def _cells(rule: dict[str, Any]) -> tuple[str, ...]:
    buckets = ", ".join(rule.get("buckets") or []) or (
        f"{rule['bucket_prefix']}*" if rule.get("bucket_prefix") else "all"
    )
    action = rule["action"] if rule["action"] == "drop" else f"{rule['action']} → {rule['replacement']}"
    name = rule.get("name", "(privacy_filters)")
    return rule["field"], rule["pattern"], action, buckets, "yes" if rule["enabled"] else "no", name


def _title(rule: dict[str, Any]) -> str:
    return rule["name"] or f"{rule['action']} {rule['field']} ~ {rule['pattern']}"


def _short(data: dict[str, Any], other: dict[str, Any] | None) -> str:
    """The fields that differ between two data objects; all if there is only one."""
    shown = data if other is None else {key: value for key, value in data.items() if other.get(key) != value}
    text = msgspec.json.encode(shown).decode()
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


F = TypeVar("F", bound=Callable[..., Any])

RULES = "/api/1/privacy/rules"
_RULE: Final = "/api/1/privacy/rule"
_RULE_OPTIONS: Final = ("field", "pattern", "action", "replacement", "buckets")
ACTIONS = ("drop", "redact", "rewrite")
ADD_EXAMPLES = """\b
Examples:
  dayline privacy add --app Signal
  dayline privacy add --site bank.example.org
  dayline privacy add --title payroll
  dayline privacy add --field title --pattern '(?i)incognito' --action drop
"""
EXAMPLES = """\b
Examples:
  dayline privacy add --app Signal
  dayline privacy preview --field title --pattern '(?i)payroll' --action redact
  dayline privacy add --field title --pattern '(?i)payroll' --action redact
  dayline privacy apply
"""
PREVIEW_EXAMPLES = """\b
Examples:
  dayline privacy preview                  what the current rules would change
  dayline privacy preview --field url --pattern 'token=[^&]+' --action rewrite --replacement 'token=…'
  dayline privacy preview --rules rules.json
"""
APPLY_EXAMPLES = """\b
Examples:
  dayline privacy apply                    the current rules, to all stored events
  dayline privacy apply --field title --pattern '(?i)payroll' --action redact --yes
"""


@click.group(cls=Group, default="list", epilog=EXAMPLES)
def privacy() -> None:
    """Manage privacy rules, and apply them to stored events.

    A rule applies to new events as soon as you add it. `preview` shows what it would change in stored events; `apply`
    changes them, which you can undo until you make it final.
    """


def _rule_options(command: F) -> F:
    for option in reversed(
        (
            click.option("--field", help="Field of the data: title, url, tab.url, or * for every text."),
            click.option("--pattern", help="Regular expression (RE2) that matches anywhere in the text."),
            click.option(
                "--action", type=click.Choice(ACTIONS), help="drop the event, redact the text, or rewrite the match."
            ),
            click.option("--replacement", help="New text; in a rewrite \\1 is the first group. [default: REDACTED]"),
            click.option(
                "--bucket",
                "buckets",
                multiple=True,
                shell_complete=bucket_ids,
                help="Only in this bucket; * matches any characters.",
            ),
        )
    ):
        command = option(command)
    return command


@privacy.command("list", epilog="\b\nExample:\n  dayline privacy list --json")
@shows(RULES)
def list_rules(book: dict[str, Any]) -> None:
    """List the rules in the order they are applied."""
    all_rules: list[dict[str, Any]] = [*book["filters"], *book["rules"]]
    print_rows(
        ("no.", "field", "pattern", "action", "buckets", "enabled", "name"),
        [(str(number), *_cells(rule)) for number, rule in enumerate(all_rules, start=1)],
        empty="There are no rules. Add one: dayline privacy add --app Signal",
    )


@privacy.command(epilog=ADD_EXAMPLES)
@click.option("--app", help="Never record this app.")
@click.option("--site", help="Never record this site and its subdomains.")
@click.option("--title", help="Never record titles that contain this text.")
@_rule_options
@click.option("--name", default="", help="A label for the rule.")
@as_json
@on_database
def add(
    settings: Settings, /, is_json: bool, app: str | None, site: str | None, title: str | None, name: str,
    **options: Any,
) -> None:  # fmt: skip
    """Add a rule for new events.

    Name an app, a site or a part of titles, or write a pattern. Stored events stay as they are: see preview and apply.
    """
    never = {kind: value for kind, value in (("app", app), ("site", site), ("title", title)) if value is not None}
    rule = _rule(options)
    if (rule is None) is (not never) or len(never) > 1:
        raise WrongUsage(
            "a rule needs one of --app, --site and --title, or --field, --pattern and --action",
            hint="dayline privacy add --app Signal",
        )
    with storing_server(settings) as server:
        added: dict[str, Any] = rule or server.call("GET", _RULE, **never)
        own = server.call("GET", RULES)["rules"]
        added = {**added, "name": name or added.get("name", "")}
        server.call("PUT", RULES, [*own, added])
    text = "Added. To see what it would change in stored events: dayline privacy preview"
    print_change(added, text, is_json=is_json)


@privacy.command(epilog="\b\nExample:\n  dayline privacy delete 2")
@click.argument("number", type=click.IntRange(min=1))
@as_json
@on_database
def delete(settings: Settings, is_json: bool, number: int) -> None:
    """Delete a rule by its number in the list."""
    with local_server(settings) as server:
        book = server.call("GET", RULES)
        index = number - 1 - len(book["filters"])
        if index < 0:
            raise Invalid(
                f"rule {number} belongs to the setting privacy_filters", hint="change it in the web UI of ActivityWatch"
            )
        if index >= len(book["rules"]):
            raise NotFound(f"there is no rule {number}", hint="dayline privacy list shows the rules")
        own = book["rules"]
        server.call("PUT", RULES, own[:index] + own[index + 1 :])
    print_change(own[index], f"Deleted rule {number}.", is_json=is_json)


def _on_history(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that select rules, and pass it the `request`."""

    @_rule_options
    @click.option(
        "--rules", "rules_file", type=InputFile(),
        help="JSON file with a list of rules.",
    )  # fmt: skip
    @functools.wraps(command)
    def with_request(rules_file: Path | None, **options: Any) -> None:
        rule = _rule({name: options.pop(name) for name in _RULE_OPTIONS})
        command(request=_request(rule, rules_file), **options)

    return with_request


@privacy.command(epilog=PREVIEW_EXAMPLES)
@_on_history
@click.option("--samples", type=click.IntRange(0, 1000), default=5, show_default=True, help="Examples for each rule.")
@as_json
@on_database
def preview(settings: Settings, request: dict[str, Any], samples: int, is_json: bool) -> None:
    """Show what rules would change in stored events."""
    with reading_server(settings) as server:
        answer = server.call("POST", "/api/1/privacy/preview", {**request, "samples": samples})
    print_answer(answer, print_preview, is_json=is_json)


@privacy.command(epilog=APPLY_EXAMPLES)
@_on_history
@yes_option
@as_json
@on_database
def apply(settings: Settings, request: dict[str, Any], yes: bool, is_json: bool) -> None:
    """Apply rules to stored events.

    `dayline privacy undo` reverts it.
    """
    with local_server(settings) as server:
        if not yes:
            planned = server.call("POST", "/api/1/privacy/preview", {**request, "samples": 5})
            print_preview(planned)
            if not planned["changed_values"] and not planned["changed_events"] and not planned["dropped_events"]:
                return
            confirm("Change these events?")
        done = server.call("POST", "/api/1/privacy/apply", request)
    if is_json:
        print_json(done)
        return
    click.echo(
        f"{quantity(done['changed_events'], 'event')} changed, {done['dropped_events']:,} deleted. "
        f"To undo it: dayline privacy undo {done['id']}",
        err=True,
    )
    click.echo(f"To delete the originals permanently: dayline privacy make-final {done['id']}", err=True)


@privacy.command(epilog="\b\nExample:\n  dayline privacy history")
@shows("/api/1/privacy/redactions")
def history(found: list[dict[str, Any]]) -> None:
    """List the rules that were applied to stored events."""
    print_rows(
        ("no.", "time", "state", "changed", "deleted", "rules"),
        [
            (
                str(one["id"]), local_time(one["made"]),
                one["state"], f"{one['changed_events']:,}", f"{one['dropped_events']:,}",
                ", ".join(rule["pattern"] for rule in (*one["rules"]["filters"], *one["rules"]["rules"])),
            )
            for one in found
        ],
        empty="No rules have been applied to stored events. To apply them: dayline privacy apply",
    )  # fmt: skip


@privacy.command(epilog="\b\nExample:\n  dayline privacy undo 3")
@click.argument("number", type=click.IntRange(min=1))
@as_json
@on_database
def undo(settings: Settings, number: int, is_json: bool) -> None:
    """Undo a redaction. Undo the latest one first."""
    with local_server(settings) as server:
        redactions: list[dict[str, Any]] = server.call("GET", "/api/1/privacy/redactions")
        if any(one["id"] == number and one["state"] == "undone" for one in redactions):
            raise Conflict(f"redaction {number} is already undone", hint="dayline privacy history lists the redactions")
        answer = server.call("POST", f"/api/1/privacy/redactions/{number}/undo")
    if is_json:
        print_json(answer)
        return
    click.echo("Restored the events. The rules still apply to new events: dayline privacy list", err=True)


@privacy.command(epilog="\b\nExample:\n  dayline privacy make-final 3")
@click.argument("number", type=click.IntRange(min=1))
@yes_option
@as_json
@on_database
def make_final(settings: Settings, number: int, yes: bool, is_json: bool) -> None:
    """Delete the originals permanently."""
    with local_server(settings) as server:
        if not yes and _can_be_final(server.call("GET", "/api/1/privacy/redactions"), number):
            question = "This permanently deletes the originals, also those that undo would restore. Continue?"
            confirm(question)
        answer = server.call("POST", f"/api/1/privacy/redactions/{number}/final")
    if is_json:
        print_json(answer)
        return
    click.echo("Deleted the originals from the database. Your copies of it still contain them.", err=True)


def _can_be_final(redactions: list[dict[str, Any]], number: int) -> bool:
    """Whether there are originals to delete. The server refuses everything else."""
    applied = [one["id"] for one in redactions if one["state"] in ("applying", "applied")]
    return bool(applied) and number == min(applied)


def _rule(options: dict[str, Any]) -> dict[str, Any] | None:
    """The rule that the options describe; None if none is given."""
    needed = ("field", "pattern", "action")
    missing = [f"--{name}" for name in needed if options[name] is None]
    if len(missing) == len(needed) and options["replacement"] is None and not options["buckets"]:
        return None
    if missing:
        raise WrongUsage(f"a rule also needs {' and '.join(missing)}")
    rule = {name: value for name, value in options.items() if value is not None}
    return {**rule, "buckets": list(options["buckets"])}


def _request(rule: dict[str, Any] | None, rules_file: Path | None) -> dict[str, Any]:
    if rule is not None and rules_file is not None:
        raise WrongUsage(
            "--rules cannot be combined with --field, --pattern and --action", hint="give one rule, or a file of rules"
        )
    if rule is not None:
        return {"rules": [rule]}
    if rules_file is None:
        return {}
    rules = read_json(rules_file.read_bytes(), rules_file)
    if not isinstance(rules, list):
        raise Malformed(
            f"{rules_file} contains no list of rules",
            hint='write [{"field": "title", "pattern": "…", "action": "drop"}]',
        )
    return {"rules": cast("list[object]", rules)}
