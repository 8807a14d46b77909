"""`dayline privacy`: rules for what arrives, and for what is stored already."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

from dayline.cli.local import local_server
from dayline.cli.options import as_json, on_database
from dayline.cli.privacy_output import print_preview, print_redactions, print_rules, told
from dayline.cli.settings import Settings
from dayline.model.errors import Invalid, NotFound

F = TypeVar("F", bound=Callable[..., Any])

RULES = "/api/1/privacy/rules"
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
  dayline privacy preview --rules rules.json --bucket 'aw-watcher-web-*'
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


def rule_options(command: F) -> F:
    """The options that make up one rule."""
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
    with local_server(settings) as server:
        book = server.call("GET", RULES)
    if is_json:
        told(book)
    else:
        print_rules(book)


@privacy.command(epilog="\b\nExample:\n  dayline privacy add --field title --pattern '(?i)incognito' --action drop")
@rule_options
@click.option("--name", default="", help="A name of your own for it.")
@on_database
def add(
    settings: Settings,
    field: str | None,
    pattern: str | None,
    action: str | None,
    replacement: str | None,
    buckets: tuple[str, ...],
    name: str,
) -> None:
    """Add a rule, in force from now on. What is stored already stays as it is: see preview and apply."""
    rule = _rule(field, pattern, action, replacement, buckets)
    if rule is None:
        raise Invalid("a rule needs --field, --pattern and --action")
    with local_server(settings) as server:
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


@privacy.command(epilog=PREVIEW_EXAMPLES)
@rule_options
@click.option(
    "--rules",
    "rules_file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="JSON file with a list of rules.",
)
@click.option("--samples", type=click.IntRange(0, 1000), default=5, show_default=True, help="Examples for each rule.")
@as_json
@on_database
def preview(
    settings: Settings,
    field: str | None,
    pattern: str | None,
    action: str | None,
    replacement: str | None,
    buckets: tuple[str, ...],
    rules_file: Path | None,
    samples: int,
    is_json: bool,
) -> None:
    """Show what rules would have changed in history. Nothing is changed."""
    request = _request(_rule(field, pattern, action, replacement, buckets), rules_file, buckets, samples)
    with local_server(settings) as server:
        found = server.call("POST", "/api/1/privacy/preview", request)
    if is_json:
        told(found)
    else:
        print_preview(found)


@privacy.command(epilog=APPLY_EXAMPLES)
@rule_options
@click.option(
    "--rules",
    "rules_file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="JSON file with a list of rules.",
)
@click.option("--yes", is_flag=True, help="Do not ask.")
@as_json
@on_database
def apply(
    settings: Settings,
    field: str | None,
    pattern: str | None,
    action: str | None,
    replacement: str | None,
    buckets: tuple[str, ...],
    rules_file: Path | None,
    yes: bool,
    is_json: bool,
) -> None:
    """Change history by rules. It can be undone until it is made final."""
    request = _request(_rule(field, pattern, action, replacement, buckets), rules_file, buckets, 5)
    with local_server(settings) as server:
        if not yes:
            print_preview(server.call("POST", "/api/1/privacy/preview", request))
            click.confirm("Change history so?", abort=True, err=True)
        done = server.call("POST", "/api/1/privacy/apply", request)
    if is_json:
        told(done)
        return
    click.echo(
        f"{done['changed_events']:,} events changed, {done['dropped_events']:,} dropped. "
        f"To undo it: dayline privacy undo {done['id']}",
        err=True,
    )
    click.echo(f"To remove the originals from the disk for good: dayline privacy final {done['id']}", err=True)


@privacy.command("list")
@as_json
@on_database
def list_(settings: Settings, is_json: bool) -> None:
    """List what was applied to history, the latest first."""
    with local_server(settings) as server:
        found = server.call("GET", "/api/1/privacy/redactions")
    if is_json:
        told(found)
    else:
        print_redactions(found)


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
    if not yes:
        click.confirm("The originals cannot be had back after this. Go on?", abort=True, err=True)
    with local_server(settings) as server:
        server.call("POST", f"/api/1/privacy/redactions/{number}/final")
    click.echo("The originals are gone from the database. Copies that you have made of it still hold them.", err=True)


def _rule(
    field: str | None, pattern: str | None, action: str | None, replacement: str | None, buckets: tuple[str, ...]
) -> dict[str, Any] | None:
    """The rule that the options make up; None where they make up none."""
    given = {"field": field, "pattern": pattern, "action": action}
    missing = [f"--{name}" for name, value in given.items() if value is None]
    if len(missing) == len(given) and replacement is None:
        return None
    if missing:
        raise Invalid(f"a rule needs {', '.join(missing)} too")
    rule: dict[str, Any] = {**given, "buckets": list(buckets)}
    return rule if replacement is None else {**rule, "replacement": replacement}


def _request(
    rule: dict[str, Any] | None, rules_file: Path | None, buckets: tuple[str, ...], samples: int
) -> dict[str, Any]:
    request: dict[str, Any] = {"buckets": list(buckets), "samples": samples}
    if rule is not None and rules_file is not None:
        raise Invalid("give one rule, or a file of rules, not both")
    if rule is not None:
        request["rules"] = [rule]
    if rules_file is not None:
        try:
            request["rules"] = msgspec.json.decode(rules_file.read_bytes())
        except (OSError, msgspec.DecodeError) as error:
            raise Invalid(f"{rules_file} is not a JSON file: {error}") from error
    return request
