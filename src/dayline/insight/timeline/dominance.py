"""What there is most of in each piece of a timeline. Only query processes import this."""

from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from dayline.query.distinct import firsts as first_places
from dayline.query.distinct import renumbered
from dayline.storage.columns.source import Codes, Ids, Times

Shares = npt.NDArray[np.float64]

_EVENTS_AT_ONCE: Final = 1 << 20  # what is computed for each event then stays in the processor's cache, more or less
# Up to so many entries for each event, a table of all codes in all pieces is quicker than finding out which occur.
_TABLE_ENTRIES_EACH: Final = 2


class _Part(Struct, frozen=True, eq=False):
    """Some pieces in a row, from 0 on, each of which has an event: the piece of each event, and how long it lasts."""

    low: int
    high: int
    events: slice
    pieces: Ids
    durations: Shares


class Dominance:
    """Events in pieces that are so many in a row; `firsts` are those that begin one."""

    def __init__(self, start: Times, end: Times, firsts: Ids) -> None:
        self._start, self._end, self._firsts = start, end, firsts

    def of(self, codes: Codes) -> tuple[Codes, Shares]:
        """For each piece the code with most time, and its share in the time of all; codes are from -1 on.

        Of equal ones the one of more events, and then the one that comes first.
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
            # Exact: below 2⁵³ µs there are 285 years.
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
    """The same from the pairs of piece and code that occur."""
    size = int(codes.max()) + 2
    pairs, pair_count = renumbered(pieces * size + (codes + 1), count * size)
    firsts = first_places(pairs, pair_count)  # pairs ascend with the pieces
    piece, code = pieces[firsts], codes[firsts]
    time = np.bincount(pairs, weights=durations, minlength=pair_count)
    events = np.bincount(pairs, minlength=pair_count)

    groups = np.flatnonzero(np.diff(piece, prepend=-1))
    most, total = np.maximum.reduceat(time, groups), np.add.reduceat(time, groups)
    candidates = np.flatnonzero(time == most[piece])
    order = candidates[np.lexsort((firsts[candidates], -events[candidates], piece[candidates]))]
    winners = order[np.flatnonzero(np.diff(piece[order], prepend=-1))]
    # Where no event of a piece has any length, they are counted.
    by_count = events[winners] / np.add.reduceat(events, groups)
    return code[winners].astype(np.int32), np.divide(most, total, out=by_count, where=total > 0)
