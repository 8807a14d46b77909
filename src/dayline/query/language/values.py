"""Values of the query language."""

from collections.abc import Iterable
from typing import Final, TypeAlias, TypeGuard

from msgspec import Struct

from dayline.query.columns.table import Table
from dayline.query.errors import QueryInterpretError

MAX_STRING_CHARACTERS: Final = 16 << 20
MAX_ITEMS: Final = 1_000_000
MAX_EVENTS: Final = 30_000_000
# A literal nests to 100 levels, and the value of a variable in it as deep again: well within Python's own limit.
MAX_LEVELS: Final = 200


class SingleEvent(Struct, frozen=True, eq=False):
    """One event as an item of a mixed list. Its table has one row."""

    table: Table


Value: TypeAlias = "bool | float | str | list[Value] | dict[str, Value] | Table | SingleEvent | None"


def kind_of(value: Value) -> str:
    """The type of a value, for messages."""
    match value:
        case None:
            return "nothing"
        case bool():
            return "a boolean"
        case float() | int():
            return "a number"
        case str():
            return "a string"
        case Table():
            return "a list of events"
        case list():
            return "a list"
        case dict():
            return "a dict"
        case SingleEvent():
            return "an event"


def is_list(value: Value) -> TypeGuard["list[Value] | Table"]:
    """Whether it is a list in the language: of events, or of anything."""
    return isinstance(value, list | Table)


def single_events(table: Table) -> list[Value]:
    """The events of a table as separate values."""
    return [SingleEvent(table.take(slice(row, row + 1))) for row in range(len(table))]


def check_levels(value: Value) -> None:
    """Raise QueryInterpretError if lists and dicts nest deeper than MAX_LEVELS.

    Level by level, and shared parts once per level: neither depth nor sharing costs much.
    """
    level: Iterable[Value] = (value,)
    for _ in range(MAX_LEVELS):
        level = {id(item): item for outer in level for item in _items(outer) if isinstance(item, list | dict)}.values()
        if not level:
            return
    raise QueryInterpretError(f"lists and dicts are nested deeper than {MAX_LEVELS} levels")


def _items(value: Value) -> Iterable[Value]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()
