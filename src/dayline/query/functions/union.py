"""Two lists of events as one in which the first list has the right of way."""

import numpy as np

from dayline.query.functions.joining import concatenate
from dayline.query.functions.ordering import is_ascending
from dayline.query.functions.sweeping import Swept, sweep, sweep_few
from dayline.query.table import NO_ID, Table
from dayline.storage.columns.source import Flags, Ids

# From so many events of the second list for each of the first, one looks for places in it instead of walking through.
_MANY_EACH = 16


def union_no_overlap(first: Table, second: Table) -> Table:
    """The events of both lists; where two overlap, what is left of the second list's one. Its pieces have no id.

        first       [a  ]      [a]
        second    [b  ]    [b        ]
        result    [b][a  ] [b ][a][b ]

    Meant for lists by start; others are walked through as they are. Only the first of several events of the second
    list under one of the first gives way.
    """
    if not len(first) or not len(second):
        return concatenate([first, second])
    both = concatenate([first, second])
    if is_ascending(second) and len(first) * _MANY_EACH <= len(second):
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
    """Clusters of events that overlap are swept one by one; where all events are of one list, they stay as they are."""
    order = np.argsort(both.start, kind="stable")
    latest_end = np.maximum.accumulate(both.end[order])
    begins = np.append(True, both.start[order][1:] >= latest_end[:-1])
    cluster = np.cumsum(begins) - 1
    is_mixed = _is_mixed(order < firsts, np.flatnonzero(begins))[cluster]

    untouched = order[~is_mixed]
    mixed = order[is_mixed]
    swept = sweep(both, mixed[mixed < firsts], mixed[mixed >= firsts])
    cluster_of = np.empty(len(both), dtype=np.int64)
    cluster_of[order] = cluster
    row = np.concatenate([untouched, swept.row])
    by_cluster = np.argsort(cluster_of[row], kind="stable")
    return Swept(
        row[by_cluster],
        np.concatenate([both.start[untouched], swept.start])[by_cluster],
        np.concatenate([both.end[untouched], swept.end])[by_cluster],
        np.concatenate([np.zeros(len(untouched), dtype=np.bool_), swept.is_piece])[by_cluster],
    )


def _is_mixed(is_first: Flags, begins: Ids) -> Flags:
    """For each cluster whether it has events of both lists."""
    firsts = np.add.reduceat(is_first.astype(np.int64), begins)
    sizes = np.diff(np.append(begins, len(is_first)))
    return (firsts > 0) & (firsts < sizes)
