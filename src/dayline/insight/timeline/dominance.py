"""What there is most of in each piece of a timeline. Only query processes import this."""

from typing import Final

import numpy as np
import numpy.typing as npt

from dayline.query.distinct import firsts as first_places
from dayline.query.distinct import renumbered
from dayline.storage.columns import Codes, Ids, Times

_EVENTS_AT_ONCE: Final = 1 << 20  # what is computed for each event then stays in the processor's cache, more or less


def dominant(codes: Codes, start: Times, end: Times, firsts: Ids) -> tuple[Codes, npt.NDArray[np.float64]]:
    """For each piece the code with most time, and its share in the time of all; codes are from -1 on.

    Of equal ones the one of more events, and then the one that comes first. `firsts` are the events that begin a piece.
    """
    found = codes[firsts].astype(np.int32)
    share = np.ones(len(firsts), dtype=np.float64)
    if not len(firsts) or codes.max() == codes.min():
        return found, share
    bounds = np.append(firsts, len(codes))
    low = 0
    while low < len(firsts):
        high = max(low + 1, int(np.searchsorted(bounds, bounds[low] + _EVENTS_AT_ONCE, side="right")) - 1)
        which = slice(bounds[low], bounds[high])
        pieces = np.repeat(np.arange(high - low), np.diff(bounds[low : high + 1]))
        found[low:high], share[low:high] = _dominant(codes[which], end[which] - start[which], pieces, high - low)
        low = high
    return found, share


def _dominant(codes: Codes, duration: Times, pieces: Ids, count: int) -> tuple[Codes, npt.NDArray[np.float64]]:
    """The same for pieces 0 to `count`, each of which has an event; `pieces` ascends."""
    size = int(codes.max()) + 2
    pairs, pair_count = renumbered(pieces * size + (codes + 1), count * size)
    firsts = first_places(pairs, pair_count)  # pairs ascend with the pieces, and so do these groups
    piece, code = pieces[firsts], codes[firsts]
    time = np.bincount(pairs, weights=duration, minlength=pair_count)  # exact: below 2⁵³ µs there are 285 years
    events = np.bincount(pairs, minlength=pair_count)

    groups = np.flatnonzero(np.diff(piece, prepend=-1))
    most = np.maximum.reduceat(time, groups)
    candidates = np.flatnonzero(time == most[piece])
    order = np.lexsort((firsts[candidates], -events[candidates], piece[candidates]))
    winners = candidates[order][np.flatnonzero(np.diff(piece[candidates][order], prepend=-1))]
    total = np.add.reduceat(time, groups)
    share = np.divide(most, total, out=_shares_by_count(events, groups, winners), where=total > 0)
    return code[winners].astype(np.int32), share


def _shares_by_count(events: Ids, groups: Ids, winners: Ids) -> npt.NDArray[np.float64]:
    """The share of the winner where no event of the piece has any length."""
    return events[winners] / np.add.reduceat(events, groups)
