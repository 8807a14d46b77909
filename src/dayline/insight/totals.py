"""How much of a range was spent how. Only query processes import this."""

import numpy as np
from msgspec import Struct

from dayline.insight.active.intervals import clipped, united
from dayline.insight.active.pieces import Pieces
from dayline.insight.calendar import Calendar
from dayline.insight.summary_answer import Focus, Totals
from dayline.model.categories import Path
from dayline.model.timestamps import SECOND, Microseconds

# Shorter interruptions do not end a stretch in one category, and a change of app after a longer break is none.
INTERRUPTION = 120 * SECOND


class Measured(Struct, frozen=True, kw_only=True):
    """Totals in microseconds."""

    active: int
    away: int
    nodata: int
    first: Microseconds | None
    last: Microseconds | None
    longest_focus: int
    focus: tuple[Microseconds, Microseconds, Path] | None
    switches: int
    overlap: int


def measured(everything: Pieces, pieces: Pieces, start: Microseconds, end: Microseconds, now: Microseconds) -> Measured:
    """The totals of the pieces that pass the filters; `everything` are all there are."""
    active = pieces.spans.total
    focus, longest = _longest_focus(pieces)
    passed = max(0, min(end, now) - start)
    known = clipped(united([everything.spans, everything.away]), start, min(end, now)) if passed else None
    return Measured(
        active=active,
        away=everything.away.total,
        nodata=passed - known.total if known is not None else 0,
        first=int(pieces.start[0]) if len(pieces) else None,
        last=int(pieces.end[-1]) if len(pieces) else None,
        longest_focus=longest,
        focus=focus,
        switches=_switches(pieces),
        overlap=sum(device.spans.total for device in pieces.apart) - active,
    )


def totals_of(found: Measured, calendar: Calendar) -> Totals:
    """Totals as answers tell them."""
    focus = found.focus
    return Totals(
        active=found.active / SECOND,
        away=found.away / SECOND,
        nodata=found.nodata / SECOND,
        first=None if found.first is None else calendar.text(found.first),
        last=None if found.last is None else calendar.text(found.last),
        longest_focus=found.longest_focus / SECOND,
        focus=None
        if focus is None
        else Focus(start=calendar.text(focus[0]), end=calendar.text(focus[1]), category=focus[2]),
        switches=found.switches,
        overlap=found.overlap / SECOND,
    )


def _longest_focus(pieces: Pieces) -> tuple[tuple[Microseconds, Microseconds, Path] | None, int]:
    """The stretch with the most time in one category, of equal ones the first; interruptions do not count as time."""
    if not len(pieces):
        return None, 0
    keys = pieces.keys("category")
    codes = keys.codes
    # Numbers of 16 bits are sorted by counting, many times quicker.
    order = np.argsort(codes.astype(np.uint16) if len(keys.names) <= 1 << 16 else codes, kind="stable")
    start, end, code = pieces.start[order], pieces.end[order], codes[order]
    begins = np.append(True, (code[1:] != code[:-1]) | (start[1:] - end[:-1] >= INTERRUPTION))
    firsts = np.flatnonzero(begins)
    lasts = np.append(firsts[1:], len(order)) - 1
    seconds = np.add.reduceat(end - start, firsts)
    longest = int(seconds.max())
    [best] = np.flatnonzero(seconds == longest)[[start[firsts[seconds == longest]].argmin()]]
    category = keys.names[int(code[firsts[best]])]
    assert isinstance(category, tuple)
    return (int(start[firsts[best]]), int(end[lasts[best]]), category), longest


def _switches(pieces: Pieces) -> int:
    codes = pieces.keys("app").codes
    is_near = pieces.start[1:] - pieces.end[:-1] < INTERRUPTION
    return int(np.count_nonzero((codes[1:] != codes[:-1]) & is_near))
