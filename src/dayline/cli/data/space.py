"""`dayline space`, `dayline compact` and `dayline retention`: disk space, and downsampling old events."""

import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, Final

import click

from dayline.cli.calls.local import LocalServer, local_server, reading_server, storing_server
from dayline.cli.options.options import as_json, on_database
from dayline.cli.options.settings import Settings
from dayline.cli.screens.amounts import size_in_words
from dayline.cli.screens.layout import print_json, print_list, print_table
from dayline.model.errors import DaylineError, Invalid
from dayline.runtime.text import quantity

EXAMPLES = """\b
Examples:
  dayline space
  dayline space --json
"""
_PARTS = {
    "events": "events",
    "values": "their distinct values",
    "trash": "trash",
    "redactions": "originals of redactions",
    "audit": "audit",
    "unused": "values nobody has",
    "free": "free pages",
    "other": "everything else",
}


@click.command(epilog=EXAMPLES)
@as_json
@on_database
def space(settings: Settings, is_json: bool) -> None:
    """Tell what takes room on the disk: buckets, years, trash, free pages, backups.

    dayline compact gives back what nobody needs; dayline retention thins what is old.
    """
    with reading_server(settings) as server:
        found: dict[str, Any] = server.call("GET", "/api/1/space")
    if is_json:
        print_json(found)
        return
    file = found["database"]
    about = "" if file["is_exact"] else "about "
    if file["buckets"]:
        print_table(
            ("bucket", "events", "values", "size"),
            [
                (each["id"], f"{each['events']:,}", f"{each['values']:,}", about + size_in_words(each["bytes"]))
                for each in file["buckets"]
            ],
        )
        click.echo()
        print_table(
            ("year", "events", "size"),
            [
                (str(each["year"]), f"{each['events']:,}", about + size_in_words(each["bytes"]))
                for each in file["years"]
            ],
        )
        click.echo()
    parts = [(words, about + size_in_words(file["parts"][part])) for part, words in _PARTS.items()]
    print_table(("of the database", "size"), [*parts, ("together", size_in_words(file["file"]))])
    click.echo()
    beside = [("database", file["file"]), ("write-ahead log", found["log"]), ("segments", found["segments"])]
    beside += [("backups", found["backups"]), ("together", found["total"])]
    print_table(("on the disk", "size"), [(words, size_in_words(size)) for words, size in beside])


# `dayline compact`: give free room back to the system.


_LOOK_S: Final = 0.5
_WORDS: Final = {"values": "values that nobody has", "pages": "free pages", "log": "the write-ahead log"}

COMPACT_EXAMPLES = """\b
Examples:
  dayline compact
  dayline compact --json
"""


@click.command(epilog=COMPACT_EXAMPLES)
@as_json
@on_database
def compact(settings: Settings, is_json: bool) -> None:
    """Reclaim unused disk space. Recording goes on meanwhile.

    Removes distinct values that no event, nor anything in the trash, has any more, and cuts free pages off the file.
    The server does so automatically when a fifth of the file is free, unless [space] of the settings turns that off.
    """
    with local_server(settings) as server, _progress(server):
        done: dict[str, Any] = server.call("POST", "/api/1/compact")
    if is_json:
        print_json(done)
        return
    before, after = size_in_words(done["before"]), size_in_words(done["after"])
    click.echo(f"{before} before, {after} after. Removed {quantity(done['values'], 'unused value')}.")


@contextmanager
def _progress(server: LocalServer) -> Generator[None]:
    """Say how far it is, for as long as the block lasts; at the start only where no server can be asked meanwhile."""
    click.echo("Compacting …", err=True)
    if not server.is_server:
        yield
        return
    is_over = threading.Event()
    teller = threading.Thread(target=_tell, args=(server, is_over), daemon=True)
    teller.start()
    try:
        yield
    finally:
        is_over.set()
        teller.join()


def _tell(server: LocalServer, is_over: threading.Event) -> None:
    while not is_over.wait(_LOOK_S):
        try:
            found: dict[str, Any] = server.call("GET", "/api/1/compact")
        except DaylineError:
            return  # the call that waits will tell
        if found["state"] in _WORDS:
            how_far = f": {found['done']:,} of {found['of']:,}" if found["of"] else ""
            click.echo(f"  {_WORDS[found['state']]}{how_far}", err=True)


# `dayline retention`: thin what is old.


RETENTION_EXAMPLES = """\b
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


@click.group(epilog=RETENTION_EXAMPLES)
def retention() -> None:
    """Downsample old events (off by default).

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
    is_changed = any(each["removed"] for each in found)
    rows = [(each["bucket"], f"{each['removed']:,}", str(each["undo"] or "-")) for each in found if is_changed]
    print_list(found, ("bucket", "events fewer", "undo"), rows, empty="There was nothing to thin.", is_json=is_json)


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
