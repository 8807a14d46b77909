"""Functions that filter, sort, limit and concatenate events."""

from collections.abc import Sequence
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np

from dayline.model.data import canonical_json, normal_form
from dayline.query.columns.dictionaries import join
from dayline.query.columns.distinct import lookup, numbered_within, stable_order, used_codes
from dayline.query.columns.table import Table, no_events
from dayline.query.errors import QueryFunctionError
from dayline.query.language.values import Context, Value
from dayline.query.patterns.matching import Pattern
from dayline.query.patterns.python import PatternError, PatternTooSlow, shortened
from dayline.storage.columns.source import Codes, Column, Flags, Items

_FEW_ITEMS = 500  # are checked without finding out which of them occur


def filter_keyvals(events: Table, key: str, values: Sequence[Value]) -> Table:
    """The events whose data has one of the values under the key."""
    return events.take(np.flatnonzero(_has_one_of(events, key, values)))


def exclude_keyvals(events: Table, key: str, values: Sequence[Value]) -> Table:
    """The events whose data has none of the values under the key, or not the key."""
    return events.take(np.flatnonzero(~_has_one_of(events, key, values)))


def filter_keyvals_regex(context: Context, events: Table, key: str, pattern: str) -> Table:
    """The events with a string under the key that the pattern matches."""
    try:
        compiled = Pattern(pattern)
    except PatternError as error:
        raise QueryFunctionError(error.message, hint=error.hint) from error
    if not compiled.uses_re2:
        context.trace.fallbacks.append(pattern)
    column = events.data.column(key)
    needed = _used_items(events, column)
    found = np.zeros(len(column.items), dtype=np.bool_)
    try:
        found[needed] = compiled.found_in(column.items, needed)
    except PatternTooSlow as error:
        raise QueryFunctionError(
            f"the regular expression {shortened(pattern)} takes too long: the search in {shortened(error.text)} was "
            "stopped",
            hint="avoid nested repetitions such as (a+)+",
        ) from error
    return events.take(np.flatnonzero(lookup(found, column.codes, False).take(events.value)))


def _has_one_of(events: Table, key: str, values: Sequence[Value]) -> Flags:
    column = events.data.column(key)
    items = column.items
    candidates = _used_items(events, column)
    is_string = items.is_string[candidates]
    wanted = np.zeros(len(items), dtype=np.bool_)
    wanted[_strings_among(items, candidates[is_string], values)] = True
    wanted[_others_among(items, candidates[~is_string], values)] = True
    return lookup(wanted, column.codes, False).take(events.value)


def _used_items(events: Table, column: Column) -> Codes:
    if len(column.items) <= _FEW_ITEMS:
        return np.arange(len(column.items), dtype=np.int32)
    values = used_codes(events.value, len(events.data))
    return used_codes(column.codes[values], len(column.items))


def _strings_among(items: Items, candidates: Codes, values: Sequence[Value]) -> list[int]:
    strings = {value.encode() for value in values if isinstance(value, str)}
    length = items.offsets[candidates + 1] - items.offsets[candidates]
    likely = candidates[np.isin(length, [len(string) for string in strings])]
    return [number for number, raw in zip(likely.tolist(), items.raws(likely), strict=True) if raw in strings]


def _others_among(items: Items, candidates: Codes, values: Sequence[Value]) -> list[int]:
    others = {normal_form(canonical_json(value)) for value in values if not isinstance(value, str)}
    return [number for number in candidates.tolist() if normal_form(items.raw(number)) in others]


# Order and limits of events.


# Reversed events and their originals: flood reverses most of what query_bucket has reversed.
_TURNED: Final[WeakKeyDictionary[Table, Table]] = WeakKeyDictionary()


def sort_by_timestamp(events: Table) -> Table:
    """Ascending by start; equal starts keep their order."""
    if is_ascending(events):
        return events
    if (events.start[1:] <= events.start[:-1]).all():  # as query_bucket returns them
        return turned_round(events)
    return events.take(np.argsort(events.start, kind="stable"))


def sort_by_duration(events: Table) -> Table:
    """Descending by duration; equal durations keep their order."""
    return events.take(stable_order(-events.duration))


def limit_events(events: Table, count: float) -> Table:
    """The first `count` events; a fraction is dropped, a negative number is 0."""
    return events.take(slice(0, int(min(max(0.0, count), len(events)))))


def turned_round(events: Table) -> Table:
    """Reverse ascending or descending events; equal starts keep their order."""
    before = _TURNED.get(events)
    if before is not None:
        return before
    turned = events.take(slice(None, None, -1))
    ties = np.flatnonzero(turned.start[1:] == turned.start[:-1])
    if not len(ties):
        return turned
    # Equal starts are few, and are reversed again in place.
    first = ties[np.append(True, ties[1:] > ties[:-1] + 1)]
    last = ties[np.append(ties[1:] > ties[:-1] + 1, True)] + 1
    length = last - first + 1
    place = numbered_within(length) + np.repeat(first, length)
    again = turned.take(np.repeat(first + last, length) - place)
    start, end, number, value = turned.start, turned.end.copy(), turned.id.copy(), turned.value.copy()
    end[place], number[place], value[place] = again.end, again.id, again.value
    result = Table(start, end, number, value, events.data)
    _TURNED[result] = events
    return result


def is_ascending(events: Table) -> bool:
    """Whether no event starts before the previous one."""
    return bool((events.start[1:] >= events.start[:-1]).all())


def concatenate(tables: Sequence[Table]) -> Table:
    """The events of all lists, in the order given."""
    tables = [table for table in tables if len(table)]
    if len(tables) < 2:
        return tables[0] if tables else no_events()
    data, new_codes = join([table.data for table in tables])
    return Table(
        np.concatenate([table.start for table in tables]),
        np.concatenate([table.end for table in tables]),
        np.concatenate([table.id for table in tables]),
        np.concatenate([codes[table.value] for table, codes in zip(tables, new_codes, strict=True)]),
        data,
    )
