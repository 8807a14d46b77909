"""The functions of the query language, and those that work on any value."""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

import msgspec

from dayline.query.columns.table import Table
from dayline.query.errors import QueryFunctionError
from dayline.query.functions.fields import categorize, simplify_window_titles, split_url_events, tag
from dayline.query.functions.flood import flood
from dayline.query.functions.grouping import chunk_events_by_key, merge_events_by_keys, sum_durations
from dayline.query.functions.overlap import filter_period_intersect, period_union, union_no_overlap
from dayline.query.functions.reading import find_bucket, query_bucket, query_bucket_eventcount, query_bucket_names
from dayline.query.functions.selecting import (
    exclude_keyvals,
    filter_keyvals,
    filter_keyvals_regex,
    limit_events,
    sort_by_duration,
    sort_by_timestamp,
)
from dayline.query.functions.subwatcher import merge_subwatcher_fields
from dayline.query.language.interpreter import concatenated, equal
from dayline.query.language.values import Context, Function, SingleEvent, Value, is_list, kind_of


def nop() -> float:
    """1, for trying out whether queries work."""
    return 1.0


def _without_context(function: Function) -> Function:
    def run(context: Context, *arguments: Value) -> Value:
        return function(*arguments)

    return run


_FUNCTIONS: Final[tuple[Function, ...]] = (
    categorize,
    filter_keyvals_regex,
    find_bucket,
    query_bucket,
    query_bucket_eventcount,
    query_bucket_names,
    tag,
)
_PURE_FUNCTIONS: Final[tuple[Function, ...]] = (
    chunk_events_by_key,
    exclude_keyvals,
    filter_keyvals,
    filter_period_intersect,
    flood,
    limit_events,
    merge_events_by_keys,
    merge_subwatcher_fields,
    nop,
    period_union,
    simplify_window_titles,
    sort_by_duration,
    sort_by_timestamp,
    split_url_events,
    sum_durations,
    union_no_overlap,
)

FUNCTIONS: Final[Mapping[str, Function]] = MappingProxyType(
    {function.__name__: function for function in _FUNCTIONS}
    | {function.__name__: _without_context(function) for function in _PURE_FUNCTIONS}
)


# The functions that work on any value of the language, not on events.


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
