"""The functions that work on any value of the language, not on events."""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

import msgspec

from dayline.query.context import Context
from dayline.query.errors import QueryFunctionError
from dayline.query.operators import concatenated, equal
from dayline.query.table import Table
from dayline.query.values import SingleEvent, Value, is_list, kind_of

MOST_LINES: Final = 100
MOST_CHARACTERS: Final = 1000  # in a line


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


def tell(context: Context, *values: Value) -> None:
    """Write a line beside the result. What goes beyond the limits is left out."""
    if len(context.printed) < MOST_LINES:
        context.printed.append(_line(values))


LANGUAGE_FUNCTIONS: Final[Mapping[str, Callable[..., Value]]] = {"concat": concat, "contains": contains, "print": tell}


def _line(values: tuple[Value, ...]) -> str:
    line = ""
    for value in values:
        line += " " if line else ""
        # A string that is printed for itself is meant to be read, not to be told apart from other values.
        for piece in [value] if isinstance(value, str) else _pieces(value):
            line += piece[:MOST_CHARACTERS]
            if len(line) > MOST_CHARACTERS:
                return f"{line[: MOST_CHARACTERS - 1]}…"
    return line


def _pieces(value: Value) -> Iterator[str]:
    """A value like JSON, bit by bit, so that of a long one no more is made than is shown."""
    match value:
        case str():
            yield msgspec.json.encode(value[:MOST_CHARACTERS]).decode()
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
