"""Events as stretches of time that tile what they cover: which one counts where they overlap, and small gaps closed.

Both rules are local: what holds at a moment follows from the events within GAP of it, whatever range was asked for.
"""

from typing import Final

import numpy as np
from msgspec import Struct

from dayline.insight.active.intervals import Spans
from dayline.model.timestamps import SECOND
from dayline.query.functions.covering import swept
from dayline.storage.columns.source import Flags, Ids, Times

GAP: Final = 5 * SECOND  # smaller gaps are closed: a watcher looks once a second or so


class Stretches(Struct, frozen=True, eq=False):
    """Stretches of time, ascending and apart, and the row of the event that counts there."""

    spans: Spans
    row: Ids


def flooded(start: Times, end: Times) -> Stretches:
    """What events cover; of several at once the one that began last counts, of those the last to end.

        events    [a      ]  [b ]    [c ]
                     [d]
        result    [a][d][a ][b   ]   [c ]

    A gap below GAP is shared by its neighbours; of an odd number of microseconds the later one has one more.
    """
    row = _order(start, end)
    start, end = start[row], end[row]
    latest = np.maximum.accumulate(end)
    is_overlapping = np.zeros(len(start) + 1, dtype=np.bool_)
    is_overlapping[1:-1] = start[1:] < latest[:-1]
    if is_overlapping.any():
        start, end, row = _unravelled(start, end, row, is_overlapping)
    gap = start[1:] - end[:-1]
    half = np.where(gap < GAP, gap >> 1, 0)
    rest = np.where(gap < GAP, gap - half, 0)
    start[1:] -= rest
    end[:-1] += half
    has_length = end > start
    if has_length.all():
        return Stretches(Spans(start, end), row)
    return Stretches(Spans(start[has_length], end[has_length]), row[has_length])


def _order(start: Times, end: Times) -> Ids:
    """The order by start and then by end, which they mostly have already."""
    is_later = start[1:] > start[:-1]
    if (is_later | ((start[1:] == start[:-1]) & (end[1:] >= end[:-1]))).all():
        return np.arange(len(start))
    return np.lexsort((end, start))


def _unravelled(start: Times, end: Times, row: Ids, is_overlapping: Flags) -> tuple[Times, Times, Ids]:
    """Events by start that overlap, cut so that they do not. Events without length stay where nothing else is."""
    begins = np.flatnonzero(~is_overlapping[:-1])
    sizes = np.diff(np.append(begins, len(start)))
    # In a cluster in which each event ends later than the one before, each lasts until the next begins.
    falls = np.append(False, end[1:] < end[:-1]) & is_overlapping[:-1]
    is_simple = np.add.reduceat(falls.astype(np.int64), begins) == 0
    simple = np.flatnonzero(np.repeat(is_simple, sizes))
    last_of_cluster = np.zeros(len(start), dtype=np.bool_)
    last_of_cluster[np.append(begins[1:], len(start)) - 1] = True
    cut = np.where(last_of_cluster, end, np.append(start[1:], 0))
    nested = np.flatnonzero(~np.repeat(is_simple, sizes))
    kept = simple[(cut[simple] > start[simple]) | last_of_cluster[simple]]
    if not len(nested):
        return start[kept], cut[kept], row[kept]
    pieces = swept(start[nested].tolist(), end[nested].tolist(), row[nested].tolist())
    starts = np.concatenate([start[kept], pieces[:, 0]])
    ends = np.concatenate([cut[kept], pieces[:, 1]])
    order = np.lexsort((ends, starts))
    return starts[order], ends[order], np.concatenate([row[kept], pieces[:, 2]])[order]
