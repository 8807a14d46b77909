"""Merges events into the pieces of a timeline, on a grid of pixels. Only query processes import this."""

from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from dayline.model.time import Microseconds
from dayline.query.columns.distinct import firsts as first_places
from dayline.query.columns.distinct import renumbered
from dayline.query.columns.table import NO_ID
from dayline.storage.columns.source import Codes, Flags, Ids, Times

Shares = npt.NDArray[np.float64]

_EVENTS_AT_ONCE: Final = 1 << 20  # so that temporary arrays mostly stay in the processor's cache
# Up to this many entries per event, a table of all codes in all pieces is faster than finding those that occur.
_TABLE_ENTRIES_EACH: Final = 2


class _Part(Struct, frozen=True, eq=False):
    """Consecutive pieces, numbered from 0, each with at least one event: the piece and duration of each event."""

    low: int
    high: int
    events: slice
    pieces: Ids
    durations: Shares


class Dominance:
    """Finds the dominant code of each piece. A piece is a run of consecutive rows that starts at one of `firsts`."""

    def __init__(self, start: Times, end: Times, firsts: Ids) -> None:
        self._start, self._end, self._firsts = start, end, firsts

    def of(self, codes: Codes) -> tuple[Codes, Shares]:
        """The code with the most time in each piece, and its share of the time of all events. Codes start at -1.

        Of equal ones, the one with more events, and then the first.
        """
        found = codes[self._firsts].astype(np.int32)
        share = np.ones(len(found), dtype=np.float64)
        if len(found) and codes.max() != codes.min():
            for part in self._parts():
                which = slice(part.low, part.high)
                found[which], share[which] = _dominant(codes[part.events], part)
        return found, share

    def _parts(self) -> Iterator[_Part]:
        bounds = np.append(self._firsts, len(self._start))
        low = 0
        while low < len(self._firsts):
            high = max(low + 1, int(np.searchsorted(bounds, bounds[low] + _EVENTS_AT_ONCE, side="right")) - 1)
            events = slice(int(bounds[low]), int(bounds[high]))
            pieces = np.repeat(np.arange(high - low), np.diff(bounds[low : high + 1]))
            # Exact: 2⁵³ µs are 285 years.
            durations = (self._end[events] - self._start[events]).astype(np.float64)
            yield _Part(low, high, events, pieces, durations)
            low = high


def _dominant(codes: Codes, part: _Part) -> tuple[Codes, Shares]:
    count, size = part.high - part.low, int(codes.max()) + 2
    if count * size > _TABLE_ENTRIES_EACH * len(codes):
        return _of_pairs(codes, part.durations, part.pieces, count)
    pairs = part.pieces * size + (codes + 1)
    time = np.bincount(pairs, weights=part.durations, minlength=count * size).reshape(count, size)
    most, total = time.max(axis=1), time.sum(axis=1)
    found = (time.argmax(axis=1) - 1).astype(np.int32)
    share = np.divide(most, total, out=np.ones(count), where=total > 0)
    is_tied = (time == most[:, None]).sum(axis=1) > 1
    if is_tied.any():
        which = np.flatnonzero(is_tied[part.pieces])
        pieces = (np.cumsum(is_tied) - 1)[part.pieces[which]]
        tied = np.flatnonzero(is_tied)
        found[tied], share[tied] = _of_pairs(codes[which], part.durations[which], pieces, len(tied))
    return found, share


def _of_pairs(codes: Codes, durations: Shares, pieces: Ids, count: int) -> tuple[Codes, Shares]:
    """The same, from the pairs of piece and code that occur."""
    size = int(codes.max()) + 2
    pairs, pair_count = renumbered(pieces * size + (codes + 1), count * size)
    firsts = first_places(pairs, pair_count)  # pairs are sorted by piece
    piece, code = pieces[firsts], codes[firsts]
    time = np.bincount(pairs, weights=durations, minlength=pair_count)
    events = np.bincount(pairs, minlength=pair_count)

    groups = np.flatnonzero(np.diff(piece, prepend=-1))
    most, total = np.maximum.reduceat(time, groups), np.add.reduceat(time, groups)
    candidates = np.flatnonzero(time == most[piece])
    order = candidates[np.lexsort((firsts[candidates], -events[candidates], piece[candidates]))]
    winners = order[np.flatnonzero(np.diff(piece[order], prepend=-1))]
    # If no event of a piece has a duration, events are counted instead.
    by_count = events[winners] / np.add.reduceat(events, groups)
    return code[winners].astype(np.int32), np.divide(most, total, out=by_count, where=total > 0)


# The time that events cover, although they may overlap.


class Coverage(Struct, frozen=True, eq=False):
    """For each event, by start: the latest end up to it, and the time that no earlier event covers."""

    start: Times
    end: Times
    reached: Times
    new: Times

    def of_runs(self, firsts: Ids) -> Times:
        """The time that each run of events covers on its own. `firsts` are the events that start a run."""
        covered: Times = np.add.reduceat(self.new, firsts)
        later = firsts[1:]
        lasts = np.append(later, len(self.start))
        # Time counts as covered already only if an earlier event extends into the run.
        for number in (np.flatnonzero(self.reached[later - 1] > self.start[later]) + 1).tolist():
            run = slice(firsts[number], lasts[number])
            covered[number] = _union(self.start[run], self.end[run])
        return covered

    def until(self, moments: Times) -> Times:
        """The covered time before each moment."""
        before = np.searchsorted(self.start, moments)
        covered = np.zeros(len(moments), dtype=np.int64)
        some = np.flatnonzero(before)
        # All that starts before a moment, minus what extends beyond it.
        last = before[some] - 1
        covered[some] = np.cumsum(self.new)[last] - np.maximum(self.reached[last] - moments[some], 0)
        return covered


def coverage_of(start: Times, end: Times) -> Coverage:
    """The coverage of events that are sorted by start."""
    reached = np.maximum.accumulate(end)
    new = end - start
    if len(start):
        np.maximum(start[1:], reached[:-1], out=new[1:])
        np.subtract(reached[1:], new[1:], out=new[1:])
        np.maximum(new, 0, out=new)
    return Coverage(start, end, reached, new)


def _union(start: Times, end: Times) -> Microseconds:
    return int(coverage_of(start, end).new.sum())


# The columns of a timeline: a time span divided into pixels.


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


# Events merged into at most one piece per pixel.
#
# pixels   |    |    |    |    |    |    |
# events   a aba  c [dddddddddd]e ee  [fff]      more events than pixels
# pieces   [4 a]  c [dddddddddd][3 e] [fff]      long ones stay separate, short ones in one pixel are merged


# Column widths in pixels to try: events as long as a column stay separate. Of events that do not overlap, those as long
# as two pixels are at most half as many as pixels, and so are columns of that width. Wider ones are for overlapping
# events.
_PIXELS_A_COLUMN: Final = (1, 2, 4, 8)


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


# The covered share of each column of a timeline.


MAX_COLUMNS: Final = 240


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
