"""Functions that sort, limit and concatenate events."""

from collections.abc import Sequence
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np

from dayline.query.columns.dictionaries import join
from dayline.query.columns.distinct import numbered_within, stable_order
from dayline.query.columns.table import Table, no_events

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
    rows = numbered_within(length) + np.repeat(first, length)
    again = turned.take(np.repeat(first + last, length) - rows)
    start, end, number, value = turned.start, turned.end.copy(), turned.id.copy(), turned.value.copy()
    end[rows], number[rows], value[rows] = again.end, again.id, again.value
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
