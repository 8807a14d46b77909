"""Intervals as columns: ascending, disjoint, never empty. Also closes small gaps between them.

Everything is computed by searching the edges of one list in another, never interval by interval.
"""

from collections.abc import Sequence
from typing import Final, Literal

import numpy as np
from msgspec import Struct

from dayline.model.time import SECOND
from dayline.query.columns.distinct import stable_order
from dayline.query.functions.covering import swept
from dayline.storage.columns.source import Flags, Ids, Times

NEVER: Final = np.iinfo(np.int64).max
ALWAYS: Final = np.iinfo(np.int64).min
OUTSIDE: Final = -1  # not in any span
_FEWER: Final = 4  # factor from which searching the shorter list is faster
_MANY: Final = 2_000  # with fewer, both ways take the same time


class Spans(Struct, frozen=True, eq=False):
    """Intervals, ascending and disjoint. They may touch."""

    start: Times
    end: Times

    def __len__(self) -> int:
        return len(self.start)

    @property
    def total(self) -> int:
        """Their total duration in microseconds."""
        return int((self.end - self.start).sum())

    def take(self, which: Ids | Flags | slice) -> "Spans":
        """The selected ones, in the same order."""
        return Spans(self.start[which], self.end[which])


class Overlaps(Struct, frozen=True, eq=False):
    """The intersections of two lists, ascending: the index in each list, start and end."""

    first: Ids
    second: Ids
    start: Times
    end: Times

    @property
    def spans(self) -> Spans:
        return Spans(self.start, self.end)


def no_spans() -> Spans:
    """An empty list."""
    nothing = np.zeros(0, dtype=np.int64)
    return Spans(nothing, nothing)


def overlaps(first: Spans, second: Spans) -> Overlaps:
    """The intersection of two lists.

    first     [a      ]   [b   ]
    second  [x] [y]   [z      ]
    shared    [][ ]       [b   ]
              ax ay        bz
    """
    low = _places(second.end, first.start, side="right")
    high = _places(second.start, first.end, side="left")
    count = np.maximum(high - low, 0)
    behind = np.cumsum(count)
    of_first = np.repeat(np.arange(len(first)), count)
    # For each interval of the first list 0, 1, 2 … from `low` on.
    of_second = np.repeat(low + count - behind, count)
    of_second += np.arange(len(of_second))
    return Overlaps(
        of_first,
        of_second,
        np.maximum(first.start[of_first], second.start[of_second]),
        np.minimum(first.end[of_first], second.end[of_second]),
    )


def _places(edges: Times, moments: Times, *, side: Literal["left", "right"]) -> Ids:
    """np.searchsorted(edges, moments, side) for two ascending arrays: searches the shorter one in the longer one."""
    if len(moments) < _MANY or len(edges) * _FEWER > len(moments):
        return np.searchsorted(edges, moments, side=side)
    steps = np.searchsorted(moments, edges, side="left" if side == "right" else "right")
    return np.repeat(np.arange(len(edges) + 1), np.diff(steps, prepend=0, append=len(moments)))


def gaps_of(spans: Spans) -> Spans:
    """All time outside the spans."""
    start = np.concatenate([[ALWAYS], spans.end])
    end = np.concatenate([spans.start, [NEVER]])
    return Spans(start, end).take(start < end)


def tile(spans: Spans) -> tuple[Spans, Ids]:
    """All time, cut at the edges of the spans, and for each part the index of its span or OUTSIDE."""
    edges = np.full((2, 2 * len(spans) + 1), NEVER, dtype=np.int64)
    edges[0, 0] = ALWAYS
    edges[0, 1::2] = edges[1, 0:-1:2] = spans.start
    edges[0, 2::2] = edges[1, 1::2] = spans.end
    which = np.full(2 * len(spans) + 1, OUTSIDE, dtype=np.int64)
    which[1::2] = np.arange(len(spans))
    has_length = edges[0] < edges[1]
    return Spans(edges[0, has_length], edges[1, has_length]), which[has_length]


def union(lists: Sequence[Spans]) -> Spans:
    """The time in any of the lists. Intervals that touch are merged."""
    start = np.concatenate([np.zeros(0, dtype=np.int64), *(spans.start for spans in lists)])
    end = np.concatenate([np.zeros(0, dtype=np.int64), *(spans.end for spans in lists)])
    if not len(start):
        return no_spans()
    if len(lists) > 1:
        order = stable_order(start)
        start, end = start[order], end[order]
    latest = np.maximum.accumulate(end)
    begins = np.flatnonzero(np.append(True, start[1:] > latest[:-1]))
    return Spans(start[begins], latest[np.append(begins[1:], len(start)) - 1])


def without(spans: Spans, others: Spans) -> Spans:
    """The time of the first list that is not in the second."""
    return overlaps(spans, gaps_of(others)).spans


def clip(spans: Spans, start: int, end: int) -> Spans:
    """The part within start..end."""
    low = int(np.searchsorted(spans.end, start, side="right"))
    high = int(np.searchsorted(spans.start, end, side="left"))
    if low >= high:
        return no_spans()
    return Spans(np.maximum(spans.start[low:high], start), np.minimum(spans.end[low:high], end))


# Events as disjoint intervals: resolves overlaps and closes small gaps.
#
# Both rules are local: the result at any time depends only on events within GAP of it, not on the requested range.


GAP: Final = 5 * SECOND  # smaller gaps are closed: watchers poll about once a second


def flood_gaps(start: Times, end: Times) -> tuple[Spans, Ids]:
    """The time that events cover, and the row of the event that counts in each span.

    Where they overlap, the one that starts last counts; of those, the last to end.

        events    [a      ]  [b ]    [c ]
                     [d]
        result    [a][d][a ][b   ]   [c ]

    A gap shorter than GAP is split between its neighbors; the later one gets the odd microsecond.
    """
    row = _order(start, end)
    start, end = start[row], end[row]
    latest = np.maximum.accumulate(end)
    is_overlapping = np.zeros(len(start) + 1, dtype=np.bool_)
    is_overlapping[1:-1] = start[1:] < latest[:-1]
    if is_overlapping.any():
        start, end, row = _resolve_overlaps(start, end, row, is_overlapping)
    gap = start[1:] - end[:-1]
    half = np.where(gap < GAP, gap >> 1, 0)
    rest = np.where(gap < GAP, gap - half, 0)
    start[1:] -= rest
    end[:-1] += half
    has_length = end > start
    if has_length.all():
        return Spans(start, end), row
    return Spans(start[has_length], end[has_length]), row[has_length]


def _order(start: Times, end: Times) -> Ids:
    """The order by start, then by end. Events mostly have it already."""
    is_later = start[1:] > start[:-1]
    if (is_later | ((start[1:] == start[:-1]) & (end[1:] >= end[:-1]))).all():
        return np.arange(len(start))
    return np.lexsort((end, start))


def _resolve_overlaps(start: Times, end: Times, row: Ids, is_overlapping: Flags) -> tuple[Times, Times, Ids]:
    """Cut overlapping events, sorted by start, so that they are disjoint. Events without duration stay if uncovered."""
    begins = np.flatnonzero(~is_overlapping[:-1])
    sizes = np.diff(np.append(begins, len(start)))
    # In a cluster in which each event ends after the previous one, each lasts until the next one starts.
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
