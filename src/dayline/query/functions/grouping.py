"""Functions that merge events with equal data, and sum durations."""

from collections.abc import Sequence
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np
from msgspec import Struct

from dayline.query.columns.dictionaries import compact
from dayline.query.columns.distinct import combined, firsts, item_classes, renumbered, stable_order
from dayline.query.columns.table import NO_ID, Table, no_events
from dayline.query.errors import QueryFunctionError
from dayline.storage.columns.source import MISSING, Codes, Dictionary, Ids, Times

_EXACT_AS_FLOAT = 2**53
_MAX_TOTAL = 2.0**62  # leaves a margin for the start of an event


def sum_durations(events: Table) -> float:
    """Seconds, exact to the microsecond."""
    return _total(events.duration) / 1e6


def sums(durations: Times, group: Ids | Codes, groups: int) -> Times:
    """The total duration of each group."""
    longest = int(durations.max()) if len(durations) else 0
    if longest * len(durations) < _EXACT_AS_FLOAT or _total(durations) < _EXACT_AS_FLOAT:
        return np.bincount(group, weights=durations, minlength=groups).astype(np.int64)
    added = np.zeros(groups, dtype=np.int64)
    np.add.at(added, group, durations)
    return added


def _total(durations: Times) -> int:
    if float(durations.sum(dtype=np.float64)) >= _MAX_TOTAL:
        raise QueryFunctionError(
            "the durations add up to more than 140,000 years", hint="leave out events with wrong durations"
        )
    return int(durations.sum())


def merge_events_by_keys(events: Table, keys: Sequence[str]) -> Table:
    """One event per combination of the keys' values, in order of first occurrence, with the total duration.

    It has the start and the whole data of the first event, and no id. Events that lack a key are left out.
    """
    if not keys or not len(events):
        return no_events()
    events = compact(events)
    by_value = _by_value(events)
    groups = _groups(events.data, keys)
    values = by_value.values[groups[by_value.values] != MISSING]
    if not len(values):
        return no_events()
    numbers, count = renumbered(groups[values], int(groups.max()) + 1)
    leaders = np.sort(firsts(numbers, count))
    duration = sums(by_value.duration[values], numbers, count)[numbers[leaders]]
    row = by_value.first[values[leaders]]
    start = events.start[row]
    return Table(start, start + duration, np.full(count, NO_ID, dtype=np.int64), events.value[row], events.data)


def chunk_events_by_key(events: Table, key: str) -> Table:
    """Merge neighbors in the list with equal values of the key: the first one with the total duration.

    Events that lack the key are left out and do not separate neighbors; neither do gaps.
    """
    events = compact(events)
    groups = _groups(events.data, [key]).take(events.value)
    has_key = np.flatnonzero(groups != MISSING)
    if not len(has_key):
        return no_events()
    events, groups = events.take(has_key), groups[has_key]
    begins = np.append(True, groups[1:] != groups[:-1])
    chunk = np.cumsum(begins) - 1
    first = events.take(begins)
    duration = sums(events.duration, chunk, len(first))
    return Table(first.start, first.start + duration, first.id, first.value, first.data)


class _ByValue(Struct, frozen=True, eq=False):
    """Events grouped by value, of which there are fewer.

    `values` are those that occur, in order of first occurrence; the others have no entry in `first`.
    """

    values: Ids
    first: Ids
    duration: Times


# The same events are grouped several times in a query, by one key after the other.
_KNOWN: Final[WeakKeyDictionary[Table, _ByValue]] = WeakKeyDictionary()


def _by_value(events: Table) -> _ByValue:
    known = _KNOWN.get(events)
    if known is None:
        known = _KNOWN[events] = _computed_by_value(events)
    return known


def _computed_by_value(events: Table) -> _ByValue:
    size = len(events.data)
    value = events.value.astype(np.intp)
    first = np.full(size, len(events), dtype=np.int64)
    first[value[::-1]] = np.arange(len(events) - 1, -1, -1)  # of several assignments, the last one stays
    values = np.flatnonzero(first < len(events))
    return _ByValue(values[stable_order(first[values])], first, sums(events.duration, value, size))


def _groups(data: Dictionary, keys: Sequence[str]) -> Ids:
    """For each value the number of its combination, MISSING if it lacks a key."""
    columns = [data.column(key) for key in keys]
    classes = [item_classes(column) for column in columns]
    if len(keys) == 1:
        return classes[0].astype(np.int64)
    has_all = np.logical_and.reduce([codes != MISSING for codes in classes])
    groups = np.full(len(data), MISSING, dtype=np.int64)
    numbers, _ = combined([codes[has_all] for codes in classes], [len(column.items) for column in columns])
    groups[has_all] = numbers
    return groups
