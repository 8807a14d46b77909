"""Events and other JSON as tables: a row for each, a column for each field."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, cast

import msgspec

from dayline.cli.options.view import View
from dayline.cli.screens.amounts import duration
from dayline.cli.screens.layout import GAP, Cell, Column, table
from dayline.cli.screens.screen import Screen
from dayline.cli.screens.text import Line, Span, clean

EVENT_FIELDS: Final = frozenset(("id", "timestamp", "duration", "data"))
# These fields come first; others follow in the order of the data.
_FIRST: Final = ("app", "title", "url", "status", "file", "project")
_MIN_WIDTH: Final = 10
_TIMES: Final = 32  # columns for time and duration


def is_events(rows: Sequence[Mapping[str, Any]]) -> bool:
    """Whether objects are events, as the server writes them."""
    return all("timestamp" in row and "data" in row and row.keys() <= EVENT_FIELDS for row in rows)


def fields_of(events: Iterable[Mapping[str, Any]]) -> list[str]:
    """The fields of their data, the most useful first."""
    fields = dict.fromkeys(field for event in events for field in event["data"])
    return sorted(fields, key=lambda field: _FIRST.index(field) if field in _FIRST else len(_FIRST))


def event_table(screen: Screen, events: Sequence[Mapping[str, Any]], view: View) -> list[Line]:
    """Events with their times in the zone of the view; in a terminal the day only when it changes."""
    fields = fields_of(events)
    shown = fields[: max(1, (screen.width - _TIMES) // (_MIN_WIDTH + GAP))] if screen.cuts else fields
    columns = [
        Column(heading="time"),
        Column(heading="duration", align="right"),
        *(Column(heading=clean(field), fit="cut", min_width=_MIN_WIDTH) for field in shown),
    ]
    rows: list[list[Cell]] = []
    day = ""
    for event in events:
        time = view.local(event["timestamp"])
        rows.append(
            [
                (Span(" " * 10 if time[:10] == day and screen.cuts else time[:10], "dim"), Span(f" {time[11:19]}")),
                (Span(duration(event["duration"], screen.durations), "bold"),),
                *((Span(text_of(event["data"].get(field, ""))),) for field in shown),
            ]
        )
        day = time[:10]
    return table(screen, columns, rows)


def value_table(screen: Screen, value: object, view: View) -> list[Line]:
    """Any JSON value: events and lists of objects as tables, an object as its fields, anything else as itself."""
    if isinstance(value, dict):
        return _fields(screen, cast("dict[str, Any]", value), view)
    if not isinstance(value, list):
        return [(Span(f"  {text_of(value)}"),)]
    items = cast("list[object]", value)
    rows = [cast("dict[str, Any]", item) for item in items if isinstance(item, dict)]
    if not rows or len(rows) < len(items):
        return [(Span(f"  {text_of(item)}"),) for item in items]
    return event_table(screen, rows, view) if is_events(rows) else _objects(screen, rows)


def text_of(value: object) -> str:
    """A value in a cell: a text as it is, anything else as JSON."""
    return clean(value if isinstance(value, str) else msgspec.json.encode(value).decode())


def _objects(screen: Screen, rows: Sequence[Mapping[str, Any]]) -> list[Line]:
    names = list(dict.fromkeys(name for row in rows for name in row))
    names = names[: max(1, screen.width // (_MIN_WIDTH + GAP))] if screen.cuts else names
    columns = [Column(heading=clean(name), fit="cut", min_width=_MIN_WIDTH) for name in names]
    return table(screen, columns, [[(Span(text_of(row.get(name, ""))),) for name in names] for row in rows])


def _fields(screen: Screen, value: Mapping[str, Any], view: View) -> list[Line]:
    lines: list[Line] = []
    plain = {name: each for name, each in value.items() if not isinstance(each, list | dict)}
    if plain:
        columns = [Column(), Column(fit="cut", min_width=_MIN_WIDTH)]
        rows: list[list[Cell]] = [[(Span(clean(name), "dim"),), (Span(text_of(each)),)] for name, each in plain.items()]
        lines += table(screen, columns, rows)
    for name, each in value.items():
        if name not in plain:
            lines += [(), (Span(f"  {clean(name)}", "bold"),), *value_table(screen, each, view)]
    return lines
