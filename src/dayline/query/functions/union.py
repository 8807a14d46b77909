"""Functions that unite events: two lists as one without overlap, and the time that events cover."""

import numpy as np

from dayline.query.columns.distinct import numbered_within
from dayline.query.columns.table import NO_DATA, NO_ID, Table
from dayline.query.functions.ordering import concatenate, is_ascending, sort_by_timestamp
from dayline.query.functions.overlap import Swept, sweep, sweep_few
from dayline.storage.columns.source import Flags, Ids

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
    previous_end = np.append(a_start[0], end[:-1])
    low = np.maximum(np.searchsorted(a_start, previous_end), np.searchsorted(a_end, start, side="right"))
    cuts = np.maximum(np.searchsorted(a_start, end) - low, 0)

    event = np.repeat(np.arange(len(second)), cuts + 1)
    number = numbered_within(cuts + 1)
    after = low[event] + number
    piece_start = np.where(number == 0, start[event], a_end[after - 1])
    piece_end = np.where(number == cuts[event], end[event], a_start[np.minimum(after, len(first) - 1)])
    is_left = piece_end > piece_start
    event = event[is_left]
    all_starts = np.append(a_start, piece_start[is_left])
    order = np.argsort(all_starts, kind="stable")  # of two that start together, the first list's comes first
    return Swept(
        np.append(first, second[event])[order],
        all_starts[order],
        np.append(a_end, piece_end[is_left])[order],
        np.append(np.zeros(len(first), dtype=np.bool_), cuts[event] > 0)[order],
    )


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
