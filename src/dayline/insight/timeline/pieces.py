"""Events merged into at most one piece a pixel. Only query processes import this.

pixels   |    |    |    |    |    |    |
events   a aba  c [dddddddddd]e ee  [fff]      more of them than pixels
pieces   [4 a]  c [dddddddddd][3 e] [fff]      long ones stay themselves, short ones of one pixel are merged
"""

from typing import Final

import numpy as np
from msgspec import Struct

from dayline.insight.timeline.coverage import Coverage
from dayline.insight.timeline.dominance import Dominance, Shares
from dayline.insight.timeline.grid import Grid
from dayline.query.table import NO_ID
from dayline.storage.columns.source import Codes, Flags, Ids, Times

# How many pixels a column may have for events as long as one to stay themselves. Of events that do not overlap, those
# as long as two pixels are at most half as many as pixels, and so are columns of that width; the others are for events
# that overlap.
_PIXELS_A_COLUMN: Final = (1, 2, 4, 8)


class Spans(Struct, frozen=True, eq=False):
    """Events by start, cut to the grid, with the codes of what they show and of their category; -1 is none."""

    start: Times
    end: Times
    id: Ids
    key: Codes
    category: Codes

    def __len__(self) -> int:
        return len(self.start)


class Pieces(Struct, frozen=True, eq=False):
    """What is drawn, by start.

    `key` and `category` are those with most time in the piece, `share` is that of the key in the time of its events;
    `count` is how many events there are in it, `cover` the share of it in which there is one. `id` is NO_ID where
    several are merged.
    """

    start: Times
    end: Times
    id: Ids
    key: Codes
    share: Shares
    category: Codes
    count: Ids
    cover: Shares

    def __len__(self) -> int:
        return len(self.start)


def pieces_of(spans: Spans, coverage: Coverage, grid: Grid) -> Pieces:
    """The events themselves where there are no more of them than pixels, else merged so that there are not."""
    if len(spans) <= grid.px:
        return _single(spans)
    return _merged(spans, coverage, _firsts(spans, grid))


def _single(spans: Spans) -> Pieces:
    ones = np.ones(len(spans), dtype=np.float64)
    return Pieces(
        spans.start, spans.end, spans.id, spans.key, ones, spans.category, np.ones(len(spans), dtype=np.int64), ones
    )


def _firsts(spans: Spans, grid: Grid) -> Ids:
    """Which events begin a piece; a piece goes on until the next one.

    Events that are as long as a column stay themselves, if that leaves room for the others.
    """
    for pixels in _PIXELS_A_COLUMN:
        columns = max(1, grid.px // pixels)
        begins = _column_begins(spans, grid.edges(columns))
        is_long = spans.end - spans.start >= grid.widest(columns)
        begins |= is_long
        begins[1:] |= is_long[:-1]
        if np.count_nonzero(begins) <= grid.px:
            return np.flatnonzero(begins)
    return np.flatnonzero(_column_begins(spans, grid.edges(grid.px)))


def _column_begins(spans: Spans, edges: Times) -> Flags:
    """For each event whether it is the first that begins in its column."""
    firsts = np.searchsorted(spans.start, edges[:-1])
    begins = np.zeros(len(spans) + 1, dtype=np.bool_)  # one more, for columns behind the last event
    begins[firsts] = True
    return begins[:-1]


def _merged(spans: Spans, coverage: Coverage, firsts: Ids) -> Pieces:
    count = np.diff(firsts, append=len(spans))
    start, end = spans.start[firsts], np.maximum.reduceat(spans.end, firsts)
    dominance = Dominance(spans.start, spans.end, firsts)
    key, share = dominance.of(spans.key)
    category, _ = dominance.of(spans.category)
    length = end - start
    covered = coverage.of_runs(firsts)
    # What has no length is there as a whole.
    cover = np.divide(covered, length, out=np.ones(len(firsts)), where=length > 0)
    ids = np.where(count == 1, spans.id[firsts], NO_ID)
    return Pieces(start, end, ids, key, share, category, count, cover)
