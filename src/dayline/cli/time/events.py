"""`dayline events`: events, once or as they come in."""

import signal
import sys
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from datetime import datetime
from types import FrameType
from typing import Any, Final
from urllib.parse import quote

import click
import msgspec

from dayline.cli.calls.call import LocalServer
from dayline.cli.calls.local import reading_server
from dayline.cli.options.options import as_json, on_database
from dayline.cli.options.periods import Asked, period_options
from dayline.cli.options.settings import Settings
from dayline.cli.options.view import View, view_of
from dayline.cli.screens.layout import Screen, print_json, screen_of_output
from dayline.cli.screens.records import event_table, fields_of
from dayline.cli.screens.text import Line, advice
from dayline.model.errors import NotFound, Unavailable

LOOK_S: Final = 1.0
_AT_ONCE: Final = 1000  # events between two looks
_ERASE: Final = "\r\x1b[2K"

Event = dict[str, Any]


def follow(server: LocalServer, path: str, found: Sequence[Event], view: View, *, is_json: bool) -> None:
    """Write events as they end, and on a terminal the one that goes on. `found` are the newest, newest first.

    Until somebody interrupts it; then the last one is written, too.
    """
    writer = _Writer(view, is_json=is_json)
    known = sorted(found, key=_place)
    writer.write(known[:-1])
    last = known[-1] if known else None
    try:
        with _interruption() as interrupted:
            writer.go_on(last)
            while not interrupted.wait(LOOK_S):
                # The last one comes again, as it is now; then those that have begun since.
                for event in _since(server, path, last):
                    if last is not None and event["id"] != last["id"]:
                        writer.write([last])
                    last = event
                writer.go_on(last)
        raise KeyboardInterrupt
    finally:
        if last is not None:
            writer.write([last])


@contextmanager
def _interruption() -> Generator[threading.Event]:
    """Ctrl-C is noted rather than raised: between two events, one of them would be written twice or not at all."""
    interrupted = threading.Event()

    def note(number: int, frame: FrameType | None) -> None:
        interrupted.set()

    before = signal.signal(signal.SIGINT, note)
    try:
        yield interrupted
    finally:
        signal.signal(signal.SIGINT, before)


def _since(server: LocalServer, path: str, last: Event | None) -> list[Event]:
    """The last event as it is now, and those after it, the newest last."""
    start = None if last is None else last["timestamp"]
    events = msgspec.convert(server.call("GET", path, start=start, limit=_AT_ONCE), list[Event])
    # Those that reach into the time asked for are cut off where it begins, and are no news.
    return sorted((event for event in events if last is None or event["id"] >= last["id"]), key=_place)


def _place(event: Event) -> tuple[datetime, int]:
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

    def go_on(self, event: Event | None) -> None:
        """Show an event that may still grow, where the line can be written again."""
        if self._shows_last and event is not None:
            click.echo(f"{_ERASE}{self._line(event)}", nl=False, color=True)

    def _line(self, event: Event) -> str:
        fields = fields_of([event])
        event = {**event, "data": {field: event["data"][field] for field in fields}}
        return self._screen.text(event_table(self._screen, [event], self._view)[1:]).rstrip("\n")


# `dayline events`: what a bucket holds, and what comes in.


EXAMPLES = """\b
Examples:
  dayline events aw-watcher-window_laptop
  dayline events aw-watcher-window_laptop --follow
  dayline events aw-watcher-afk_laptop --from 2026-03-02 --to 2026-03-06 --limit 1000
  dayline events aw-watcher-web-firefox --last week --json
"""
LISTED: Final = 20


@click.command(epilog=EXAMPLES)
@click.argument("bucket")
@click.option("--follow", "-f", "is_followed", is_flag=True, help="Go on with what comes in, until Ctrl-C.")
@click.option("--limit", type=click.IntRange(1), help=f"The newest so many. [default: {LISTED}; with a period all]")
@period_options(None)
@as_json
@on_database
def events(settings: Settings, bucket: str, is_followed: bool, limit: int | None, asked: Asked, is_json: bool) -> None:
    """Show events of BUCKET, the newest last.

    With --follow and --json each event is a line, written when the next one begins: until then it may still grow.
    """
    with reading_server(settings) as server:
        if is_followed and not server.is_server:
            raise Unavailable("no server runs, so that nothing comes in", hint="start one with: dayline serve")
        view = view_of(server)
        found = _read(server, bucket, asked, limit, view)
        if is_followed:
            follow(server, _path(bucket), found, view, is_json=is_json)
            return
    if is_json:
        print_json(found)
        return
    screen = screen_of_output(view.duration_style)
    screen.show(event_table(screen, found[::-1], view) if found else _nothing(screen, bucket, asked))


def _read(server: LocalServer, bucket: str, asked: Asked, limit: int | None, view: View) -> list[dict[str, Any]]:
    start, end = asked.span(view) if asked != Asked() else (None, None)
    most = limit if limit is not None else LISTED if start is None else -1
    try:
        answer: Any = server.call("GET", _path(bucket), start=start, end=end, limit=most)
    except NotFound as error:
        raise NotFound(error.message, hint="dayline buckets lists them") from error
    return msgspec.convert(answer, list[dict[str, Any]])


def _path(bucket: str) -> str:
    return f"/api/0/buckets/{quote(bucket, safe='')}/events"


def _nothing(screen: Screen, bucket: str, asked: Asked) -> list[Line]:
    if asked == Asked():
        return advice(f"{bucket} has no events yet.", "see what records: dayline status", screen.width)
    hint = f"its newest, whenever they were: dayline events {bucket}"
    return advice(f"{bucket} has no events in this period.", hint, screen.width)
