"""Merges events into the pieces of a timeline, on a grid of pixels. Only query processes import this."""

from typing import Final

import numpy as np
from msgspec import Struct

from dayline.insight.timeline.coverage import Coverage
from dayline.insight.timeline.dominance import Dominance, Shares
from dayline.model.time import Microseconds
from dayline.query.columns.table import NO_ID
from dayline.storage.columns.source import Codes, Flags, Ids, Times

# Events merged into at most one piece per pixel.
#
# pixels   |    |    |    |    |    |    |
# events   a aba  c [dddddddddd]e ee  [fff]      more events than pixels
# pieces   [4 a]  c [dddddddddd][3 e] [fff]      long ones stay separate, short ones in one pixel are merged


# Column widths in pixels to try: events as long as a column stay separate. Of events that do not overlap, those as long
# as two pixels are at most half as many as pixels, and so are columns of that width. Wider ones are for overlapping
# events.
_PIXELS_A_COLUMN: Final = (1, 2, 4, 8)

MAX_COLUMNS: Final = 240


class Grid(Struct, frozen=True):
    """The half-open range from `start` to `end` on `px` pixels."""

    start: Microseconds
    end: Microseconds
    px: int

    def edges(self, columns: int) -> Times:
        """The start of each column and the end of the last one: one more than there are columns."""
        # In two steps, because the full time range multiplied by the pixels would overflow int64.
        whole, rest = divmod(self.end - self.start, columns)
        numbers = np.arange(columns + 1, dtype=np.int64)
        return self.start + whole * numbers + rest * numbers // columns

    def widest(self, columns: int) -> Microseconds:
        """The duration of the widest column."""
        return -((self.start - self.end) // columns)


class Spans(Struct, frozen=True, eq=False):
    """Events by start, clipped to the grid, with the codes of their key, category and title; -1 is none."""

    start: Times
    end: Times
    id: Ids
    key: Codes
    category: Codes
    title: Codes

    def __len__(self) -> int:
        return len(self.start)


class TimelinePieces(Struct, frozen=True, eq=False):
    """What is drawn, by start.

    `key` and `category` are those with the most time in the piece; `title` is the one with the most time among events
    of that key. `share` is the key's share of the time of all events. `count` is the number of events, `cover` the
    covered share of the piece. `id` is NO_ID if several events are merged.
    """

    start: Times
    end: Times
    id: Ids
    key: Codes
    share: Shares
    category: Codes
    count: Ids
    cover: Shares
    title: Codes

    def __len__(self) -> int:
        return len(self.start)


def pieces_of(spans: Spans, coverage: Coverage, grid: Grid) -> TimelinePieces:
    """The events themselves if there are no more of them than pixels; otherwise merged ones."""
    if len(spans) <= grid.px:
        return _single(spans)
    return _merge(spans, coverage, _firsts(spans, grid))


def _single(spans: Spans) -> TimelinePieces:
    ones = np.ones(len(spans), dtype=np.float64)
    count = np.ones(len(spans), dtype=np.int64)
    return TimelinePieces(spans.start, spans.end, spans.id, spans.key, ones, spans.category, count, ones, spans.title)


def _firsts(spans: Spans, grid: Grid) -> Ids:
    """The events that start a piece; a piece continues until the next one.

    Events as long as a column stay separate, if that leaves enough pieces for the others.
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
    """Whether each event is the first that starts in its column."""
    firsts = np.searchsorted(spans.start, edges[:-1])
    begins = np.zeros(len(spans) + 1, dtype=np.bool_)  # one more, for columns after the last event
    begins[firsts] = True
    return begins[:-1]


def _merge(spans: Spans, coverage: Coverage, firsts: Ids) -> TimelinePieces:
    count = np.diff(firsts, append=len(spans))
    start, end = spans.start[firsts], np.maximum.reduceat(spans.end, firsts)
    dominance = Dominance(spans.start, spans.end, firsts)
    key, share = dominance.of(spans.key)
    category, _ = dominance.of(spans.category)
    length = end - start
    covered = coverage.of_runs(firsts)
    # A piece without duration is fully covered.
    cover = np.divide(covered, length, out=np.ones(len(firsts)), where=length > 0)
    ids = np.where(count == 1, spans.id[firsts], NO_ID)
    return TimelinePieces(start, end, ids, key, share, category, count, cover, _titles(spans, key, count))


def _titles(spans: Spans, key: Codes, count: Ids) -> Codes:
    """The title with the most time among the events of each piece that have its key."""
    pieces = np.repeat(np.arange(len(key)), count)
    which = np.flatnonzero(spans.key == key[pieces])  # at least one event of each piece
    firsts = np.searchsorted(pieces[which], np.arange(len(key)))
    titles, _ = Dominance(spans.start[which], spans.end[which], firsts).of(spans.title[which])
    return titles


def columns_of(grid: Grid) -> int:
    """The number of columns in the overview of a grid."""
    return min(grid.px, MAX_COLUMNS)


def density(coverage: Coverage, grid: Grid) -> Shares:
    """The covered share of each column of the overview."""
    edges = grid.edges(columns_of(grid))
    width = np.diff(edges)
    covered = np.diff(coverage.until(edges))
    shares: Shares = np.divide(covered, width, out=np.zeros(len(width)), where=width > 0)
    return shares
