"""Events as they come in: read again and again, since a heartbeat makes the last one longer."""

import signal
import sys
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from datetime import datetime
from types import FrameType
from typing import Any, Final

import click
import msgspec

from dayline.cli.local_call import LocalServer
from dayline.cli.screens.records import event_table, fields_of
from dayline.cli.screens.screen import Screen, screen_of_output
from dayline.cli.view import View

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
