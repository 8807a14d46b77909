"""`dayline events`: events of a bucket, once or as they arrive."""

import sys
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

import click
import msgspec

from dayline.cli.calls.call import LocalServer
from dayline.cli.calls.interruption import ctrl_c_deferred
from dayline.cli.calls.local import reading_server
from dayline.cli.options.names import bucket_hint, bucket_ids
from dayline.cli.options.options import as_json, on_database
from dayline.cli.options.ranges import Range, range_options
from dayline.cli.options.settings import Settings
from dayline.cli.options.view import View, view_of
from dayline.cli.screens.layout import print_json
from dayline.cli.screens.records import event_table, fields_of
from dayline.cli.screens.screen import Screen, screen_of_output
from dayline.cli.screens.text import Line, advice
from dayline.model.bucket import bucket_path
from dayline.model.errors import NotFound, Unavailable

INTERVAL_S: Final = 1.0
_MAX_EVENTS: Final = 1000  # per request
_ERASE: Final = "\r\x1b[2K"

Event = dict[str, Any]


def follow(server: LocalServer, path: str, found: Sequence[Event], view: View, *, is_json: bool) -> None:
    """Write events when they end, and in a terminal also the current one. `found` are the newest, newest first.

    Runs until Ctrl-C, which also writes the last event.
    """
    writer = _Writer(view, is_json=is_json)
    known = sorted(found, key=_order)
    writer.write(known[:-1])
    last = known[-1] if known else None
    try:
        with ctrl_c_deferred() as is_interrupted_within:  # an event could otherwise be written twice or not at all
            writer.update(last)
            while not is_interrupted_within(INTERVAL_S):
                # The last event in its current state, then those that started since.
                for event in _since(server, path, last):
                    if last is not None and event["id"] != last["id"]:
                        writer.write([last])
                    last = event
                writer.update(last)
        raise KeyboardInterrupt
    finally:
        if last is not None:
            writer.write([last])


def _since(server: LocalServer, path: str, last: Event | None) -> list[Event]:
    """The last event in its current state and later ones, newest last."""
    start = None if last is None else last["timestamp"]
    events = msgspec.convert(server.call("GET", path, start=start, limit=_MAX_EVENTS), list[Event])
    # Earlier events that overlap the start are truncated and already known.
    return sorted((event for event in events if last is None or event["id"] >= last["id"]), key=_order)


def _order(event: Event) -> tuple[datetime, int]:
    return datetime.fromisoformat(event["timestamp"]), event["id"]


class _Writer:
    def __init__(self, view: View, *, is_json: bool) -> None:
        self._view = view
        self._is_json = is_json
        self._screen: Screen = screen_of_output(view.duration_style)
        self._shows_last = sys.stdout.isatty() and not is_json

    def write(self, events: Sequence[Event]) -> None:
        """Write events that have ended."""
        for event in events:
            text = msgspec.json.encode(event).decode() if self._is_json else self._line(event)
            click.echo(f"{_ERASE if self._shows_last else ''}{text}", color=True)

    def update(self, event: Event | None) -> None:
        """Show an event that may still grow, if the line can be overwritten."""
        if self._shows_last and event is not None:
            click.echo(f"{_ERASE}{self._line(event)}", nl=False, color=True)

    def _line(self, event: Event) -> str:
        fields = fields_of([event])
        event = {**event, "data": {field: event["data"][field] for field in fields}}
        return self._screen.text(event_table(self._screen, [event], self._view)[1:]).rstrip("\n")


EXAMPLES = """\b
Examples:
  dayline events aw-watcher-window_laptop
  dayline events aw-watcher-window_laptop --follow
  dayline events aw-watcher-afk_laptop --from 2026-03-02 --to 2026-03-06 --limit 1000
  dayline events aw-watcher-web-firefox --last week --json
"""
LISTED: Final = 20


@click.command(epilog=EXAMPLES)
@click.argument("bucket", shell_complete=bucket_ids)
@click.option("--follow", "-f", "is_followed", is_flag=True, help="Print new events until Ctrl-C.")
@click.option("--limit", "-n", type=click.IntRange(1), help=f"Number of events. [default: {LISTED}; with a range all]")
@range_options()
@as_json
@on_database
def events(settings: Settings, bucket: str, is_followed: bool, limit: int | None, range_: Range, is_json: bool) -> None:
    """Show events of a bucket, also as they arrive.

    The newest event comes last. With --follow and --json each event is a line that is written when the next event
    starts, because it may grow.
    """
    with reading_server(settings) as server:
        if is_followed and not server.is_server:
            raise Unavailable("no server runs, so there are no new events", hint="start one with: dayline serve")
        view = view_of(server)
        stored = _read(server, bucket, range_, limit, view)
        if is_followed:
            follow(server, f"{bucket_path(bucket)}/events", stored, view, is_json=is_json)
            return
    if is_json:
        print_json(stored)
        return
    screen = screen_of_output(view.duration_style)
    screen.show(event_table(screen, stored[::-1], view) if stored else _nothing(screen, bucket, range_))


def _read(server: LocalServer, bucket: str, range_: Range, limit: int | None, view: View) -> list[dict[str, Any]]:
    start, end = range_.span(view) if range_.is_given else (None, None)
    count = limit if limit is not None else LISTED if start is None else -1
    try:
        answer: Any = server.call("GET", f"{bucket_path(bucket)}/events", start=start, end=end, limit=count)
    except NotFound as error:
        raise NotFound(error.message, hint=bucket_hint(server, bucket)) from error
    return msgspec.convert(answer, list[dict[str, Any]])


def _nothing(screen: Screen, bucket: str, range_: Range) -> list[Line]:
    if not range_.is_given:
        return advice(f"{bucket} has no events yet.", "see what is recording: dayline status", screen.width)
    hint = f"to see its newest events: dayline events {bucket}"
    return advice(f"{bucket} has no events in this period.", hint, screen.width)
