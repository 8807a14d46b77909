"""The functions of the query language that work on any value, not on events."""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

import msgspec

from dayline.query.columns.table import Table
from dayline.query.errors import QueryFunctionError
from dayline.query.language.environment import Context
from dayline.query.language.operators import concatenated, equal
from dayline.query.language.values import SingleEvent, Value, is_list, kind_of

MAX_LINES: Final = 100
MAX_CHARACTERS: Final = 1000  # per line


def concat(context: Context, *lists: Value) -> Value:
    """Lists as one."""
    return concatenated([part for part in lists if is_list(part)])


def contains(context: Context, container: Value, value: Value) -> Value:
    """Whether a list has an item, or a dict a key."""
    if isinstance(container, dict):
        if not isinstance(value, str):
            raise QueryFunctionError(f"the keys of a dict are strings: `value` must be one, not {kind_of(value)}")
        return value in container
    # The items of a list of events are events, and no expression is a single event.
    return isinstance(container, list) and any(equal(item, value) for item in container)


def print_line(context: Context, *values: Value) -> None:
    """Print a line next to the result. Lines above the limits are dropped."""
    if len(context.printed) < MAX_LINES:
        context.printed.append(_line(values))


LANGUAGE_FUNCTIONS: Final[Mapping[str, Callable[..., Value]]] = {
    "concat": concat,
    "contains": contains,
    "print": print_line,
}


def _line(values: tuple[Value, ...]) -> str:
    line = ""
    for value in values:
        line += " " if line else ""
        # A string on its own is printed without quotes.
        for piece in [value] if isinstance(value, str) else _pieces(value):
            line += piece[:MAX_CHARACTERS]
            if len(line) > MAX_CHARACTERS:
                return f"{line[: MAX_CHARACTERS - 1]}…"
    return line


def _pieces(value: Value) -> Iterator[str]:
    """A value similar to JSON, in pieces, so that only the shown part of a long one is formatted."""
    match value:
        case str():
            yield msgspec.json.encode(value[:MAX_CHARACTERS]).decode()
        case list():
            yield "["
            for position, item in enumerate(value):
                yield ", " if position else ""
                yield from _pieces(item)
            yield "]"
        case dict():
            yield "{"
            for position, (key, item) in enumerate(value.items()):
                yield ", " if position else ""
                yield from _pieces(key)
                yield ": "
                yield from _pieces(item)
            yield "}"
        case Table():
            yield f"<{len(value):,} events>"
        case SingleEvent():
            yield "<an event>"
        case _:
            yield msgspec.json.encode(value).decode()
