"""Functions that select events by their data."""

from collections.abc import Sequence

import numpy as np

from dayline.model.data import canonical_json, normal_form
from dayline.query.columns.distinct import lookup, used_codes
from dayline.query.columns.table import Table
from dayline.query.errors import QueryFunctionError
from dayline.query.language.environment import Context
from dayline.query.language.values import Value
from dayline.query.patterns.limits import PatternTooSlow
from dayline.query.patterns.matching import Pattern
from dayline.query.patterns.python import PatternError, shortened
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
    matches = np.zeros(len(column.items), dtype=np.bool_)
    try:
        matches[needed] = compiled.found_in(column.items, needed)
    except PatternTooSlow as error:
        raise QueryFunctionError(
            f"the regular expression {shortened(pattern)} takes too long: the search in {shortened(error.text)} was "
            "stopped",
            hint="avoid nested repetitions such as (a+)+",
        ) from error
    return events.take(np.flatnonzero(lookup(matches, column.codes, False).take(events.value)))


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
