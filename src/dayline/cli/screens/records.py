"""Events and other JSON as tables: a row for each, a column for each field."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec

from dayline.cli.screens.amounts import duration
from dayline.cli.screens.layout import GAP, Cell, Column, table
from dayline.cli.screens.screen import Screen
from dayline.cli.screens.text import Line, Span, clean
from dayline.cli.view import View

EVENT_FIELDS: Final = frozenset(("id", "timestamp", "duration", "data"))
# What people look for comes first; other fields follow in the order in which they come.
_FIRST: Final = ("app", "title", "url", "status", "file", "project")
_LEAST: Final = 10
_TIMES: Final = 32  # columns that time and duration take


def is_events(value: object) -> bool:
    """Whether it is a list of events, as the server writes them."""
    return isinstance(value, list) and all(
        isinstance(each, dict) and "timestamp" in each and "data" in each and each.keys() <= EVENT_FIELDS
        for each in value
    )


def fields_of(events: Iterable[Mapping[str, Any]]) -> list[str]:
    """The fields of their data, those first that people look for."""
    found = dict.fromkeys(field for event in events for field in event["data"])
    return sorted(found, key=lambda field: _FIRST.index(field) if field in _FIRST else len(_FIRST))


def event_table(screen: Screen, events: Sequence[Mapping[str, Any]], view: View) -> list[Line]:
    """Events with their times in the zone of the view; on a terminal the day only where it changes."""
    fields = fields_of(events)
    shown = fields[: max(1, (screen.width - _TIMES) // (_LEAST + GAP))] if screen.cuts else fields
    columns = [
        Column(heading="time"),
        Column(heading="duration", align="right"),
        *(Column(heading=clean(field), room="cut", least=_LEAST) for field in shown),
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
    if isinstance(value, list) and value and is_events(value):
        return event_table(screen, value, view)
    if isinstance(value, list) and value and all(isinstance(each, dict) for each in value):
        names = list(dict.fromkeys(name for each in value for name in each))
        names = names[: max(1, screen.width // (_LEAST + GAP))] if screen.cuts else names
        columns = [Column(heading=clean(name), room="cut", least=_LEAST) for name in names]
        return table(screen, columns, [[(Span(text_of(each.get(name, ""))),) for name in names] for each in value])
    if isinstance(value, list):
        return [(Span(f"  {text_of(each)}"),) for each in value]
    if isinstance(value, dict):
        return _fields(screen, value, view)
    return [(Span(f"  {text_of(value)}"),)]


def text_of(value: object) -> str:
    """A value in a cell: a text as it is, anything else as JSON."""
    return clean(value if isinstance(value, str) else msgspec.json.encode(value).decode())


def _fields(screen: Screen, value: Mapping[str, Any], view: View) -> list[Line]:
    lines: list[Line] = []
    plain = {name: each for name, each in value.items() if not isinstance(each, list | dict)}
    if plain:
        columns = [Column(), Column(room="cut", least=_LEAST)]
        rows: list[list[Cell]] = [[(Span(clean(name), "dim"),), (Span(text_of(each)),)] for name, each in plain.items()]
        lines += table(screen, columns, rows)
    for name, each in value.items():
        if name not in plain:
            lines += [(), (Span(f"  {clean(name)}", "bold"),), *value_table(screen, each, view)]
    return lines
