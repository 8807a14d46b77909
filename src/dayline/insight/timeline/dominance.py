"""Which value takes most of the time of a pixel. Only query processes import this."""

from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from dayline.query.columns.distinct import firsts as first_places
from dayline.query.columns.distinct import renumbered
from dayline.storage.columns.source import Codes, Ids, Times

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
        dominant = codes[self._firsts].astype(np.int32)
        share = np.ones(len(dominant), dtype=np.float64)
        if len(dominant) and codes.max() != codes.min():
            for part in self._parts():
                which = slice(part.low, part.high)
                dominant[which], share[which] = _dominant(codes[part.events], part)
        return dominant, share

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
    dominant = (time.argmax(axis=1) - 1).astype(np.int32)
    share = np.divide(most, total, out=np.ones(count), where=total > 0)
    is_tied = (time == most[:, None]).sum(axis=1) > 1
    if is_tied.any():
        which = np.flatnonzero(is_tied[part.pieces])
        pieces = (np.cumsum(is_tied) - 1)[part.pieces[which]]
        tied = np.flatnonzero(is_tied)
        dominant[tied], share[tied] = _of_pairs(codes[which], part.durations[which], pieces, len(tied))
    return dominant, share


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
