"""`dayline space`: what uses disk space, reclaiming it, and downsampling old events."""

import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, Final

import click
import msgspec

from dayline.cli.calls.local import LocalServer, local_server, reading_server, shows, storing_server
from dayline.cli.groups import Group
from dayline.cli.options.options import as_json, confirm, on_database, yes_option
from dayline.cli.options.settings import Settings
from dayline.cli.screens.layout import print_answer, print_json, print_list, print_table
from dayline.model.errors import DaylineError, Invalid
from dayline.model.upkeep.retention import DownsampledBucket, DownsamplingPreview, RetentionView
from dayline.model.upkeep.space import Compacted, Compaction, Space
from dayline.runtime.text import format_size, quantity

EXAMPLES = """\b
Examples:
  dayline space
  dayline space compact
  dayline space retention set 'aw-watcher-window_*=365'
"""
SHOW_EXAMPLES = """\b
Examples:
  dayline space
  dayline space show --json
"""
COMPACT_EXAMPLES = """\b
Examples:
  dayline space compact
  dayline space compact --json
"""
_INTERVAL_S: Final = 0.5
_PARTS: Final = {
    "events": "events",
    "values": "their distinct values",
    "trash": "trash",
    "redactions": "originals of redactions",
    "audit": "audit log",
    "unused": "unreferenced values",
    "free": "free pages",
    "other": "everything else",
}
_STEPS: Final = {"values": "unreferenced values", "pages": "free pages", "log": "the write-ahead log"}


@click.group(cls=Group, default="show", epilog=EXAMPLES)
def space() -> None:
    """Show, reclaim and limit disk space."""


@space.command(epilog=SHOW_EXAMPLES)
@shows("/api/1/space")
def show(answer: Any) -> None:
    """Show what uses disk space: buckets, years, trash, backups.

    `dayline space compact` reclaims unused space, and `dayline space retention` downsamples old events.
    """
    disk = msgspec.convert(answer, Space)
    file = disk.database
    about = "" if file.is_exact else "about "
    if file.buckets:
        print_table(
            ("bucket", "events", "values", "size"),
            [
                (each.id, f"{each.events:,}", f"{each.values:,}", about + format_size(each.bytes))
                for each in file.buckets
            ],
        )
        click.echo()
        print_table(
            ("year", "events", "size"),
            [(str(each.year), f"{each.events:,}", about + format_size(each.bytes)) for each in file.years],
        )
        click.echo()
    parts = [(name, about + format_size(getattr(file.parts, part))) for part, name in _PARTS.items()]
    print_table(("in the database", "size"), [*parts, ("total", format_size(file.file))])
    click.echo()
    files = [("database", file.file), ("write-ahead log", disk.log), ("segments", disk.segments)]
    files += [("backups", disk.backups), ("total", disk.total)]
    print_table(("on disk", "size"), [(name, format_size(size)) for name, size in files])


@space.command(epilog=COMPACT_EXAMPLES)
@as_json
@on_database
def compact(settings: Settings, is_json: bool) -> None:
    """Reclaim unused disk space. The server keeps recording.

    Deletes distinct values that neither an event nor the trash references, and truncates free pages of the file. The
    server does this automatically when a fifth of the file is free, unless [space] of the settings turns it off.
    """
    with local_server(settings) as server, _progress(server):
        answer: Any = server.call("POST", "/api/1/compact")
    if is_json:
        print_json(answer)
        return
    done = msgspec.convert(answer, Compacted)
    before, after = format_size(done.before), format_size(done.after)
    click.echo(f"{before} before, {after} after. Deleted {quantity(done.values, 'unreferenced value')}.")


@contextmanager
def _progress(server: LocalServer) -> Generator[None]:
    """Print the progress while the block runs; only the start if no server can report it."""
    click.echo("Compacting …", err=True)
    if not server.is_server:
        yield
        return
    is_over = threading.Event()
    reporter = threading.Thread(target=_report, args=(server, is_over), daemon=True)
    reporter.start()
    try:
        yield
    finally:
        is_over.set()
        reporter.join()


def _report(server: LocalServer, is_over: threading.Event) -> None:
    last = ""
    while not is_over.wait(_INTERVAL_S):
        try:
            progress = msgspec.convert(server.call("GET", "/api/1/compact"), Compaction)
        except DaylineError:
            return  # the call that waits reports it
        if progress.state in _STEPS:
            how_far = f": {progress.done:,} of {progress.of:,}" if progress.of else ""
            line = f"  {_STEPS[progress.state]}{how_far}"
            if line != last:
                click.echo(line, err=True)
            last = line


RETENTION_EXAMPLES = """\b
Examples:
  dayline space retention set 'aw-watcher-window_*=365' 'aw-watcher-afk_*=90'
  dayline space retention preview
  dayline space retention apply
"""
SET_EXAMPLES = """\b
Examples:
  dayline space retention set 'aw-watcher-window_*=365'
  dayline space retention set                          delete all rules
"""
PREVIEW_EXAMPLES = """\b
Examples:
  dayline space retention preview                      the current rules
  dayline space retention preview '*=180'              other rules
"""


@space.group(cls=Group, default="show", epilog=RETENTION_EXAMPLES)
def retention() -> None:
    """Downsample old events (off by default).

    Events that are older than the days of a rule are rearranged within a quarter of an hour, so that equal ones become
    one. Totals stay the same. The server does this once a day. `dayline undo` reverts it until the trash expires.
    """


@retention.command("show", epilog="\b\nExample:\n  dayline space retention show --json")
@shows("/api/1/retention")
def show_rules(answer: Any) -> None:
    """Show the rules and the buckets that each matches."""
    _print_rules(answer)


@retention.command("set", epilog=SET_EXAMPLES)
@click.argument("rules", metavar="[BUCKET=DAYS]...", nargs=-1)
@as_json
@on_database
def set_(settings: Settings, rules: tuple[str, ...], is_json: bool) -> None:
    """Set the rules, replacing all existing ones.

    * in BUCKET matches any characters. The first rule that matches a bucket counts.
    """
    parsed = [_rule(text) for text in rules]  # before a database is created
    with storing_server(settings) as server:
        answer: Any = server.call("PUT", "/api/1/retention", parsed)
    print_answer(answer, _print_rules, is_json=is_json)


@retention.command(epilog=PREVIEW_EXAMPLES)
@click.argument("rules", metavar="[BUCKET=DAYS]...", nargs=-1)
@as_json
@on_database
def preview(settings: Settings, rules: tuple[str, ...], is_json: bool) -> None:
    """Show what the rules, or other rules, would change."""
    body = {"rules": [_rule(text) for text in rules]} if rules else {}
    with reading_server(settings) as server:
        answer: Any = server.call("POST", "/api/1/retention/preview", body)
    print_answer(answer, _print_preview, is_json=is_json)


@retention.command(epilog="\b\nExample:\n  dayline space retention apply --yes")
@yes_option
@as_json
@on_database
def apply(settings: Settings, yes: bool, is_json: bool) -> None:
    """Apply the rules now. The server keeps recording."""
    with local_server(settings) as server:
        if not yes:
            _print_preview(server.call("POST", "/api/1/retention/preview", {}))
            confirm("Downsample these buckets?")
        answer: Any = server.call("POST", "/api/1/retention/apply")
    buckets = msgspec.convert(answer, list[DownsampledBucket])
    is_changed = any(each.removed for each in buckets)
    rows = [(each.bucket, f"{each.removed:,}", str(each.undo or "-")) for each in buckets if is_changed]
    print_list(
        answer, ("bucket", "events removed", "undo"), rows, empty="There is nothing to downsample.", is_json=is_json
    )


def _rule(text: str) -> dict[str, object]:
    bucket, equals, days = text.rpartition("=")
    if not (bucket and equals and days.isascii() and days.isdigit()):
        raise Invalid(f"invalid rule {text!r}", hint="write BUCKET=DAYS, such as 'aw-watcher-window_*=365'")
    return {"bucket": bucket, "days": int(days)}


def _print_rules(answer: Any) -> None:
    rules = msgspec.convert(answer, RetentionView).rules
    if not rules:
        click.echo("There are no rules: no events are downsampled.", err=True)
        return
    rows = [(rule.bucket, str(rule.days), ", ".join(rule.buckets) or "-") for rule in rules]
    print_table(("rule", "days", "buckets"), rows)


def _print_preview(answer: Any) -> None:
    buckets = msgspec.convert(answer, list[DownsamplingPreview])
    if not buckets:
        click.echo("No rule matches a bucket: no events are downsampled.", err=True)
        return
    rows = [
        (each.bucket, str(each.days), f"{each.events:,}", f"{each.after:,}", format_size(each.bytes))
        for each in buckets
    ]
    print_table(("bucket", "days", "events", "after", "saves about"), rows)
