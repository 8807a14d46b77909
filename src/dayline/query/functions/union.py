"""Functions that unite events: two lists as one without overlap, and the time that events cover."""

from typing import Any, TypeAlias, TypeVar

import numpy as np

from dayline.query.columns.table import NO_DATA, NO_ID, Table
from dayline.query.functions.ordering import concatenate, is_ascending, sort_by_timestamp
from dayline.query.functions.overlap import Swept, sweep, sweep_few
from dayline.storage.columns.source import Flags, Ids

T = TypeVar("T", bound=np.generic)
_Numbers: TypeAlias = np.ndarray[Any, np.dtype[T]]

# From this many events of the second list per event of the first, a binary search is faster than a scan.
_MANY_IN_UNION = 16


def union_no_overlap(first: Table, second: Table) -> Table:
    """The events of both lists; where two overlap, the second list's one is cut. Its pieces have no id.

       first       [a  ]      [a]
       second    [b  ]    [b        ]
       result    [b][a  ] [b ][a][b ]

    Meant for lists sorted by start; others are merged as they are. Of several events of the second list under one of
    the first, only the first is cut.
    """
    if not len(first) or not len(second):
        return concatenate([first, second])
    both = concatenate([first, second])
    if is_ascending(second) and len(first) * _MANY_IN_UNION <= len(second):
        swept = sweep_few(both, len(first))
    elif _is_apart(first) and _is_apart(second):
        swept = _cut(both, np.arange(len(first)), np.arange(len(first), len(both)))
    elif is_ascending(first) and is_ascending(second):
        swept = _by_clusters(both, len(first))
    else:
        swept = sweep(both, np.arange(len(first)), np.arange(len(first), len(both)))
    return Table(
        swept.start,
        swept.end,
        np.where(swept.is_piece, NO_ID, both.id[swept.row]),
        both.value[swept.row],
        both.data,
    )


def _by_clusters(both: Table, firsts: int) -> Swept:
    """Overlapping clusters are merged one by one; a cluster of one list is unchanged."""
    order = np.argsort(both.start, kind="stable")
    latest_end = np.maximum.accumulate(both.end[order])
    begins = np.append(True, both.start[order][1:] >= latest_end[:-1])
    cluster = np.cumsum(begins) - 1
    is_mixed = _is_mixed(order < firsts, np.flatnonzero(begins))[cluster]
    is_simple = _is_simple(both, order, firsts, np.flatnonzero(begins))[cluster]

    untouched, simple = order[~is_mixed], order[is_mixed & is_simple]
    nested = order[is_mixed & ~is_simple]
    merged = [
        Swept(untouched, both.start[untouched], both.end[untouched], np.zeros(len(untouched), dtype=np.bool_)),
        _cut(both, simple[simple < firsts], simple[simple >= firsts]),
        sweep(both, nested[nested < firsts], nested[nested >= firsts]),
    ]
    cluster_of = np.empty(len(both), dtype=np.int64)
    cluster_of[order] = cluster
    row = np.concatenate([part.row for part in merged])
    by_cluster = np.argsort(cluster_of[row], kind="stable")
    return Swept(
        row[by_cluster],
        np.concatenate([part.start for part in merged])[by_cluster],
        np.concatenate([part.end for part in merged])[by_cluster],
        np.concatenate([part.is_piece for part in merged])[by_cluster],
    )


def _cut(both: Table, first: Ids, second: Ids) -> Swept:
    """The sweep of two lists, neither of which overlaps itself, all at once.

    An event of the first list cuts the first of the second that ends after its start, and no other.
    """
    if not len(first):
        return Swept(first, both.start[first], both.end[first], np.zeros(0, dtype=np.bool_))
    a_start, a_end = both.start[first], both.end[first]
    start, end = both.start[second], both.end[second]
    after = np.searchsorted(a_start, end)  # of the events that cut one of the second list
    low = np.searchsorted(a_end, start, side="right")
    np.maximum(low[1:], after[:-1], out=low[1:])
    cuts = np.maximum(after - low, 0)
    cutting = np.repeat(low - np.cumsum(cuts) + cuts, cuts) + np.arange(int(cuts.sum()))

    last = np.arange(len(second)) + np.cumsum(cuts)  # the last piece of each event
    pieces = len(second) + len(cutting)
    piece_start = _interleaved(last - cuts, _others(last - cuts, pieces), start, a_end[cutting])
    piece_end = _interleaved(last, _others(last, pieces), end, a_start[cutting])
    event = np.repeat(np.arange(len(second)), cuts + 1)
    left = np.flatnonzero(piece_end > piece_start)
    if len(left) < pieces:
        piece_start, piece_end, event = piece_start[left], piece_end[left], event[left]

    # Of two that start together, the first list's comes first.
    whole = np.arange(len(first)) + np.searchsorted(piece_start, a_start)
    rest = _others(whole, len(first) + len(event))
    return Swept(
        _interleaved(whole, rest, first, second[event]),
        _interleaved(whole, rest, a_start, piece_start),
        _interleaved(whole, rest, a_end, piece_end),
        _interleaved(whole, rest, np.zeros(len(first), dtype=np.bool_), (cuts > 0)[event]),
    )


def _others(places: Ids, size: int) -> Ids:
    """The places below `size` that are not given, ascending."""
    is_other = np.ones(size, dtype=np.bool_)
    is_other[places] = False
    return np.flatnonzero(is_other)


def _interleaved(places: Ids, others: Ids, at_places: _Numbers[T], at_others: _Numbers[T]) -> _Numbers[T]:
    """One array with some numbers at these places, and others at all others."""
    result = np.empty(len(places) + len(others), dtype=at_places.dtype)
    result[places] = at_places
    result[others] = at_others
    return result


def _is_apart(events: Table) -> bool:
    """Whether all have a length and none overlaps another; then they are sorted."""
    return bool((events.end > events.start).all() and (events.start[1:] >= events.end[:-1]).all())


def _is_simple(both: Table, order: Ids, firsts: int, begins: Ids) -> Flags:
    """For each cluster whether its events have a length and none overlaps another of the same list."""
    is_fine = both.end > both.start
    for low, high in ((0, firsts), (firsts, len(both))):
        is_fine[low + 1 : high] &= both.start[low + 1 : high] >= both.end[low : high - 1]
    return np.logical_and.reduceat(is_fine[order], begins)


def _is_mixed(is_first: Flags, begins: Ids) -> Flags:
    """For each cluster whether it has events of both lists."""
    firsts = np.add.reduceat(is_first.astype(np.int64), begins)
    sizes = np.diff(np.append(begins, len(is_first)))
    return (firsts > 0) & (firsts < sizes)


def period_union(one: Table, other: Table) -> Table:
    """The time that events of either list cover, as events without data. Adjacent spans are joined.

    one      [  ]      [ ]
    other      [   ][]      []
    result   [       ] [ ]  []
    """
    events = sort_by_timestamp(concatenate([one, other]))
    if not len(events):
        return events
    latest_end = np.maximum.accumulate(events.end)
    begins = np.flatnonzero(np.append(True, events.start[1:] > latest_end[:-1]))
    finishes = np.append(begins[1:], len(events)) - 1
    no_data = np.zeros(len(begins), dtype=np.int32)
    return Table(events.start[begins], latest_end[finishes], events.id[begins], no_data, NO_DATA)
