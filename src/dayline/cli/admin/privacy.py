"""`dayline privacy`: rules for incoming and for stored events."""

import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import click
import msgspec

from dayline.cli.calls.local import local_server, reading_server, storing_server
from dayline.cli.options.options import as_json, on_database
from dayline.cli.options.settings import Settings
from dayline.cli.screens.amounts import duration, local_time
from dayline.cli.screens.layout import print_json, print_list, print_table
from dayline.model.errors import Invalid, NotFound
from dayline.runtime.text import quantity

_SHOWN: Final = 90  # characters of a data object in a sample


def print_rules(book: dict[str, Any]) -> None:
    """Every rule with its number."""
    all_rules: list[dict[str, Any]] = [*book["filters"], *book["rules"]]
    if not all_rules:
        click.echo(
            "There are no rules. Add one: dayline privacy add --field title --pattern '(?i)payroll' --action redact",
            err=True,
        )
        return
    print_table(
        ("no.", "field", "pattern", "action", "in buckets", "in force", "name"),
        [(str(number), *_cells(rule)) for number, rule in enumerate(all_rules, start=1)],
    )


def print_preview(found: dict[str, Any]) -> None:
    """How much each rule would change, and what."""
    touching = [rule for rule in found["rules"] if rule["buckets"]]
    if not touching:
        click.echo("Nothing in history would change.", err=True)
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
            click.echo("  + (dropped)" if after is None else f"  + {_short(after, before)}")
    click.echo(
        f"\nIn all {quantity(found['changed_events'], 'event')} would change, "
        f"and {found['dropped_events']:,} be dropped.",
        err=True,
    )


def print_redactions(found: Sequence[dict[str, Any]], *, is_json: bool) -> None:
    """Every redaction with its number."""
    print_list(
        found,
        ("no.", "when", "state", "changed", "dropped", "rules"),
        [
            (
                str(one["id"]), local_time(one["made"]),
                one["state"], f"{one['changed_events']:,}", f"{one['dropped_events']:,}",
                ", ".join(rule["pattern"] for rule in (*one["rules"]["filters"], *one["rules"]["rules"])),
            )
            for one in found
        ],
        empty="No rules were applied to history yet: dayline privacy apply",
        is_json=is_json,
    )  # fmt: skip


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
    """The fields that differ from the other's; all where there is no other."""
    shown = data if other is None else {key: value for key, value in data.items() if other.get(key) != value}
    text = msgspec.json.encode(shown).decode()
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


# `dayline privacy`: rules for what arrives, and for what is stored already.


F = TypeVar("F", bound=Callable[..., Any])

RULES = "/api/1/privacy/rules"
_RULE_OPTIONS: Final = ("field", "pattern", "action", "replacement", "buckets")
ACTIONS = ("drop", "redact", "rewrite")
EXAMPLES = """\b
Examples:
  dayline privacy preview --field title --pattern '(?i)payroll' --action redact
  dayline privacy add --field title --pattern '(?i)payroll' --action redact
  dayline privacy apply
"""
PREVIEW_EXAMPLES = """\b
Examples:
  dayline privacy preview                  what the rules in force would have changed
  dayline privacy preview --field url --pattern 'token=[^&]+' --action rewrite --replacement 'token=…'
  dayline privacy preview --rules rules.json
"""
APPLY_EXAMPLES = """\b
Examples:
  dayline privacy apply                    the rules in force, to all that is stored
  dayline privacy apply --field title --pattern '(?i)payroll' --action redact --yes
"""


@click.group(epilog=EXAMPLES)
def privacy() -> None:
    """Privacy rules: what is never stored, and what history is to forget.

    Rules are in force for all that arrives from then on. Preview shows what they would have changed in history; apply
    changes it, and can be undone until it is made final.
    """


def _rule_options(command: F) -> F:
    for option in reversed(
        (
            click.option("--field", help="Where in the data: title, url, tab.url, or * for every text in them."),
            click.option("--pattern", help="Regular expression (RE2), looked for anywhere in the text."),
            click.option(
                "--action", type=click.Choice(ACTIONS), help="drop the event, redact the text, rewrite what fits."
            ),
            click.option(
                "--replacement", help="The new text; in a rewrite \\1 is the first group. [default: REDACTED]"
            ),
            click.option(
                "--bucket", "buckets", multiple=True, help="Only in this bucket; * stands for any characters."
            ),
        )
    ):
        command = option(command)
    return command


@privacy.command()
@as_json
@on_database
def rules(settings: Settings, is_json: bool) -> None:
    """List the rules, in the order in which they are applied."""
    with reading_server(settings) as server:
        book = server.call("GET", RULES)
    if is_json:
        print_json(book)
    else:
        print_rules(book)


@privacy.command(epilog="\b\nExample:\n  dayline privacy add --field title --pattern '(?i)incognito' --action drop")
@_rule_options
@click.option("--name", default="", help="A name of your own for it.")
@on_database
def add(settings: Settings, /, name: str, **options: Any) -> None:
    """Add a rule, in force from now on. What is stored already stays as it is: see preview and apply."""
    rule = _rule(options)
    if rule is None:
        raise Invalid("a rule needs --field, --pattern and --action")
    with storing_server(settings) as server:
        own = server.call("GET", RULES)["rules"]
        server.call("PUT", RULES, [*own, {**rule, "name": name}])
    click.echo("It is in force. To see what it would change in history: dayline privacy preview", err=True)


@privacy.command(epilog="\b\nExample:\n  dayline privacy remove 2")
@click.argument("number", type=click.IntRange(min=1))
@on_database
def remove(settings: Settings, number: int) -> None:
    """Remove a rule by its number in the list. What it has kept out stays out."""
    with local_server(settings) as server:
        book = server.call("GET", RULES)
        place = number - 1 - len(book["filters"])
        if place < 0:
            raise Invalid(
                f"rule {number} belongs to the setting privacy_filters", hint="change it in the web UI that has made it"
            )
        if place >= len(book["rules"]):
            raise NotFound(f"there is no rule {number}", hint="dayline privacy rules lists them")
        own = book["rules"]
        server.call("PUT", RULES, own[:place] + own[place + 1 :])
    click.echo(f"Rule {number} is removed.", err=True)


def _on_history(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that say which rules to apply to history, and pass it the `request` they make up."""

    @_rule_options
    @click.option(
        "--rules", "rules_file", type=click.Path(path_type=Path, exists=True, dir_okay=False),
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
    """Show what rules would have changed in history. Nothing is changed."""
    with reading_server(settings) as server:
        found = server.call("POST", "/api/1/privacy/preview", {**request, "samples": samples})
    if is_json:
        print_json(found)
    else:
        print_preview(found)


@privacy.command(epilog=APPLY_EXAMPLES)
@_on_history
@click.option("--yes", is_flag=True, help="Do not ask.")
@as_json
@on_database
def apply(settings: Settings, request: dict[str, Any], yes: bool, is_json: bool) -> None:
    """Change history by rules. It can be undone until it is made final."""
    with local_server(settings) as server:
        if not yes:
            planned = server.call("POST", "/api/1/privacy/preview", {**request, "samples": 5})
            print_preview(planned)
            if not planned["changed_values"] and not planned["changed_events"] and not planned["dropped_events"]:
                return
            click.confirm("Change history so?", abort=True, err=True)
        done = server.call("POST", "/api/1/privacy/apply", request)
    if is_json:
        print_json(done)
        return
    click.echo(
        f"{quantity(done['changed_events'], 'event')} changed, {done['dropped_events']:,} dropped. "
        f"To undo it: dayline privacy undo {done['id']}",
        err=True,
    )
    click.echo(f"To remove the originals from the disk for good: dayline privacy final {done['id']}", err=True)


@privacy.command("list")
@as_json
@on_database
def list_(settings: Settings, is_json: bool) -> None:
    """List what was applied to history, the latest first."""
    with reading_server(settings) as server:
        found = server.call("GET", "/api/1/privacy/redactions")
    print_redactions(found, is_json=is_json)


@privacy.command(epilog="\b\nExample:\n  dayline privacy undo 3")
@click.argument("number", type=click.IntRange(min=1))
@on_database
def undo(settings: Settings, number: int) -> None:
    """Give events back what was changed or dropped; the latest has to be undone first."""
    with local_server(settings) as server:
        server.call("POST", f"/api/1/privacy/redactions/{number}/undo")
    click.echo("History is as it was before. The rules in force are still so: dayline privacy rules", err=True)


@privacy.command(epilog="\b\nExample:\n  dayline privacy final 3")
@click.argument("number", type=click.IntRange(min=1))
@click.option("--yes", is_flag=True, help="Do not ask.")
@on_database
def final(settings: Settings, number: int, yes: bool) -> None:
    """Remove the originals from the disk. It cannot be undone then."""
    with local_server(settings) as server:
        if not yes and _can_be_final(server.call("GET", "/api/1/privacy/redactions"), number):
            click.confirm("This permanently deletes the originals. Continue?", abort=True, err=True)
        server.call("POST", f"/api/1/privacy/redactions/{number}/final")
    click.echo("The originals are gone from the database. Copies that you have made of it still hold them.", err=True)


def _can_be_final(redactions: list[dict[str, Any]], number: int) -> bool:
    """Whether there is something to ask about; everything else the server refuses, or has done already."""
    applied = [one["id"] for one in redactions if one["state"] in ("applying", "applied")]
    return bool(applied) and number == min(applied)


def _rule(options: dict[str, Any]) -> dict[str, Any] | None:
    """The rule that the options make up; None where they make up none."""
    needed = ("field", "pattern", "action")
    missing = [f"--{name}" for name in needed if options[name] is None]
    if len(missing) == len(needed) and options["replacement"] is None and not options["buckets"]:
        return None
    if missing:
        raise Invalid(f"a rule needs {', '.join(missing)} too")
    rule = {name: value for name, value in options.items() if value is not None}
    return {**rule, "buckets": list(options["buckets"])}


def _request(rule: dict[str, Any] | None, rules_file: Path | None) -> dict[str, Any]:
    if rule is not None and rules_file is not None:
        raise Invalid("give one rule, or a file of rules, not both")
    if rule is not None:
        return {"rules": [rule]}
    if rules_file is None:
        return {}
    try:
        return {"rules": msgspec.json.decode(rules_file.read_bytes())}
    except (OSError, msgspec.DecodeError) as error:
        raise Invalid(f"{rules_file} is not a JSON file: {error}") from error
