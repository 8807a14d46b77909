"""Stretches of time as columns: ascending, apart from each other, and none of them empty.

All is done by looking for the edges of one list among those of another, never stretch by stretch.
"""

from collections.abc import Sequence
from typing import Final, Literal

import numpy as np
from msgspec import Struct

from dayline.query.sorting import stable_order
from dayline.storage.columns.source import Flags, Ids, Times

NEVER: Final = np.iinfo(np.int64).max
ALWAYS: Final = np.iinfo(np.int64).min
OUTSIDE: Final = -1  # of all spans
_FEWER: Final = 4  # times
_MANY: Final = 2_000  # with fewer it is all the same


class Spans(Struct, frozen=True, eq=False):
    """Stretches of time, ascending and apart. They may touch."""

    start: Times
    end: Times

    def __len__(self) -> int:
        return len(self.start)

    @property
    def total(self) -> int:
        """How long they are together, in microseconds."""
        return int((self.end - self.start).sum())

    def take(self, which: Ids | Flags | slice) -> "Spans":
        """Some of them, in the same order."""
        return Spans(self.start[which], self.end[which])


class Overlaps(Struct, frozen=True, eq=False):
    """The parts that two lists share, ascending: which stretch of each it is, from when to when."""

    first: Ids
    second: Ids
    start: Times
    end: Times

    @property
    def spans(self) -> Spans:
        return Spans(self.start, self.end)


def no_spans() -> Spans:
    """No time at all."""
    nothing = np.zeros(0, dtype=np.int64)
    return Spans(nothing, nothing)


def spans_of(*edges: tuple[int, int]) -> Spans:
    """Stretches given one by one, which must be ascending and apart."""
    start, end = np.array(edges, dtype=np.int64).reshape(-1, 2).T
    return Spans(start.copy(), end.copy())


def overlaps(first: Spans, second: Spans) -> Overlaps:
    """What two lists share.

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
    # For each stretch of the first list 0, 1, 2 … from `low` on.
    of_second = np.repeat(low + count - behind, count)
    of_second += np.arange(len(of_second))
    return Overlaps(
        of_first,
        of_second,
        np.maximum(first.start[of_first], second.start[of_second]),
        np.minimum(first.end[of_first], second.end[of_second]),
    )


def _places(edges: Times, moments: Times, *, side: Literal["left", "right"]) -> Ids:
    """What np.searchsorted(edges, moments, side) gives, where both ascend: the fewer are looked for among the more."""
    if len(moments) < _MANY or len(edges) * _FEWER > len(moments):
        return np.searchsorted(edges, moments, side=side)
    steps = np.searchsorted(moments, edges, side="left" if side == "right" else "right")
    return np.repeat(np.arange(len(edges) + 1), np.diff(steps, prepend=0, append=len(moments)))


def gaps_of(spans: Spans) -> Spans:
    """All the time that is not in them."""
    start = np.concatenate([[ALWAYS], spans.end])
    end = np.concatenate([spans.start, [NEVER]])
    return Spans(start, end).take(start < end)


def tiled(spans: Spans) -> tuple[Spans, Ids]:
    """All time, cut where the spans begin and end, and for each part of it which of them it is; OUTSIDE: none."""
    edges = np.full((2, 2 * len(spans) + 1), NEVER, dtype=np.int64)
    edges[0, 0] = ALWAYS
    edges[0, 1::2] = edges[1, 0:-1:2] = spans.start
    edges[0, 2::2] = edges[1, 1::2] = spans.end
    which = np.full(2 * len(spans) + 1, OUTSIDE, dtype=np.int64)
    which[1::2] = np.arange(len(spans))
    has_length = edges[0] < edges[1]
    return Spans(edges[0, has_length], edges[1, has_length]), which[has_length]


def united(lists: Sequence[Spans]) -> Spans:
    """The time that is in any of the lists. What touches becomes one."""
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


def clipped(spans: Spans, start: int, end: int) -> Spans:
    """What lies within start..end."""
    low = int(np.searchsorted(spans.end, start, side="right"))
    high = int(np.searchsorted(spans.start, end, side="left"))
    if low >= high:
        return no_spans()
    return Spans(np.maximum(spans.start[low:high], start), np.minimum(spans.end[low:high], end))
