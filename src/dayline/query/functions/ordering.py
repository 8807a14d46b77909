"""The order of events, and how many of them."""

from typing import Final
from weakref import WeakKeyDictionary

import numpy as np

from dayline.query.distinct import numbered_within
from dayline.query.sorting import stable_order
from dayline.query.table import Table

# Events that were turned round, and what they were: most of what query_bucket turns round is turned back by flood.
_TURNED: Final[WeakKeyDictionary[Table, Table]] = WeakKeyDictionary()


def sort_by_timestamp(events: Table) -> Table:
    """Ascending by start; equal starts keep their order."""
    if is_ascending(events):
        return events
    if (events.start[1:] <= events.start[:-1]).all():  # as query_bucket gives them
        return turned_round(events)
    return events.take(np.argsort(events.start, kind="stable"))


def sort_by_duration(events: Table) -> Table:
    """Descending by duration; equal durations keep their order."""
    return events.take(stable_order(-events.duration))


def limit_events(events: Table, count: float) -> Table:
    """The first `count` events; a fraction is dropped, less than none is none."""
    return events.take(slice(0, int(min(max(0.0, count), len(events)))))


def turned_round(events: Table) -> Table:
    """Ascending events descending, or the other way about; equal starts keep their order."""
    before = _TURNED.get(events)
    if before is not None:
        return before
    turned = events.take(slice(None, None, -1))
    ties = np.flatnonzero(turned.start[1:] == turned.start[:-1])
    if not len(ties):
        return turned
    # Equal starts are few, and are turned round again where they stand.
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
    """Whether no event starts before the one in front of it."""
    return bool((events.start[1:] >= events.start[:-1]).all())
