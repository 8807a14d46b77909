"""Events as they come in: read again and again, since a heartbeat makes the last one longer."""

import sys
import time
from collections.abc import Sequence
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
    writer.write(found[:0:-1])
    last = found[0] if found else None
    try:
        while True:
            writer.go_on(last)
            time.sleep(LOOK_S)
            newest = _since(server, path, last)
            if newest:
                if last is not None:
                    # The first one is the last of before, as it is now.
                    same = [event for event in newest if event["id"] == last["id"]]
                    others = [event for event in newest if event["id"] != last["id"]]
                    writer.write([*same, *others[:-1]] if others else [])
                    last = others[-1] if others else (same or [last])[-1]
                else:
                    writer.write(newest[:-1])
                    last = newest[-1]
    finally:
        if last is not None:
            writer.write([last])


def _since(server: LocalServer, path: str, last: Event | None) -> list[Event]:
    """The last event as it is now, and those after it, the newest last."""
    start = None if last is None else last["timestamp"]
    events = msgspec.convert(server.call("GET", path, start=start, limit=_AT_ONCE), list[Event])
    return [event for event in reversed(events) if start is None or event["timestamp"] >= start]


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
