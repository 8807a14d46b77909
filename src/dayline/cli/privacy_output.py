"""What `dayline privacy` prints."""

from collections.abc import Sequence
from typing import Any, Final

import click
import msgspec

from dayline.cli.screens.amounts import duration, local_time
from dayline.cli.tables import print_table

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
            click.echo(f"\n  {sample['bucket']}, {sample['events']:,} events, {duration(sample['seconds'])}")
            before, after = sample["before"], sample["after"]
            click.echo(f"  - {_short(before, after)}")
            click.echo("  + (dropped)" if after is None else f"  + {_short(after, before)}")
    click.echo(
        f"\nIn all {found['changed_events']:,} events would change, and {found['dropped_events']:,} be dropped.",
        err=True,
    )


def print_redactions(found: Sequence[dict[str, Any]]) -> None:
    """Every redaction with its number."""
    if not found:
        click.echo("No rules were applied to history yet: dayline privacy apply", err=True)
        return
    print_table(
        ("no.", "when", "state", "changed", "dropped", "rules"),
        [
            (
                str(one["id"]), local_time(one["made"]),
                one["state"], f"{one['changed_events']:,}", f"{one['dropped_events']:,}",
                ", ".join(rule["pattern"] for rule in (*one["rules"]["filters"], *one["rules"]["rules"])),
            )
            for one in found
        ],
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
