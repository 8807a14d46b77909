"""The values of the query language, which are never changed once made."""

from collections.abc import Iterable
from typing import Final, TypeAlias, TypeGuard

from msgspec import Struct

from dayline.query.errors import QueryInterpretError
from dayline.query.table import Table

MOST_STRING_CHARACTERS: Final = 16 << 20
MOST_ITEMS: Final = 1_000_000
MOST_EVENTS: Final = 30_000_000
# A literal nests to 100 levels, and the value of a variable in it as deep again: well within Python's own limit.
MOST_LEVELS: Final = 200


class SingleEvent(Struct, frozen=True, eq=False):
    """One event as an item of a list that holds other things too. Its table has one row."""

    table: Table


Value: TypeAlias = "bool | float | str | list[Value] | dict[str, Value] | Table | SingleEvent | None"


def kind_of(value: Value) -> str:
    """What messages call a value."""
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
    """Whether the language takes it for a list: of events, or of anything."""
    return isinstance(value, list | Table)


def single_events(table: Table) -> list[Value]:
    """The events of a table, each for itself."""
    return [SingleEvent(table.take(slice(row, row + 1))) for row in range(len(table))]


def check_levels(value: Value) -> None:
    """Raise QueryInterpretError where lists and dicts nest deeper than MOST_LEVELS.

    Level by level, and what occurs several times in a level once: neither depth nor sharing costs much.
    """
    level: Iterable[Value] = (value,)
    for _ in range(MOST_LEVELS):
        level = {id(item): item for outer in level for item in _items(outer) if isinstance(item, list | dict)}.values()
        if not level:
            return
    raise QueryInterpretError(f"lists and dicts may be nested to {MOST_LEVELS} levels, and this is deeper")


def _items(value: Value) -> Iterable[Value]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()
