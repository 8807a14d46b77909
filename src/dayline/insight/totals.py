"""How much of a range was spent how. Only query processes import this."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np
from msgspec import Struct

from dayline.insight.active.intervals import clipped, united
from dayline.insight.active.pieces import Pieces
from dayline.insight.calendar import Calendar, Span
from dayline.insight.chunks import Chunk
from dayline.insight.summary_answer import Focus, Totals
from dayline.model.categories import Path
from dayline.model.timestamps import SECOND, Microseconds
from dayline.storage.columns.source import MISSING

# Shorter interruptions do not end a stretch in one category, and a change of app after a longer break is none.
INTERRUPTION: Final = 120 * SECOND


class Stretch(Struct, frozen=True):
    """A stretch in one category: the time in it, without its interruptions."""

    start: Microseconds
    end: Microseconds
    time: int
    category: Path


class Measured(Struct, frozen=True, kw_only=True):
    """Totals in microseconds."""

    active: int = 0
    away: int = 0
    nodata: int = 0
    first: Microseconds | None = None
    last: Microseconds | None = None
    focus: Stretch | None = None
    longest_focus: int = 0
    switches: int = 0
    overlap: int = 0


class ChunkTotals(Struct, frozen=True, kw_only=True):
    """Totals of a chunk, and what is needed to join it with its neighbours."""

    active: int
    away: int
    known: int  # of all devices, whatever the filters: active or away, up to now
    edges: tuple[Microseconds, Microseconds] | None  # when its active time begins and ends
    apps: tuple[str | None, str | None]  # the first and the last one
    stretches: tuple[Stretch, ...]  # of each category the first and the last one, and the longest of all
    switches: int
    overlap: int

    @property
    def nbytes(self) -> int:
        return 500 + 300 * len(self.stretches)


def chunk_totals(chunk: Chunk, now: Microseconds) -> ChunkTotals:
    """The totals of a chunk."""
    until = min(now, chunk.span[1])  # a later `now` changes nothing
    return chunk.kept(("totals", until), ChunkTotals, lambda which: _chunk_totals(which, until))


def joined_totals(parts: Sequence[ChunkTotals], span: Span, now: Microseconds) -> Measured:
    """The totals of a range from those of its chunks."""
    active = [part for part in parts if part.edges is not None]
    focus = _longest(active)
    passed = max(0, min(span[1], now) - span[0])
    return Measured(
        active=sum(part.active for part in parts),
        away=sum(part.away for part in parts),
        nodata=passed - sum(part.known for part in parts),
        first=active[0].edges[0] if active and active[0].edges else None,
        last=active[-1].edges[1] if active and active[-1].edges else None,
        focus=focus,
        longest_focus=0 if focus is None else focus.time,
        switches=sum(part.switches for part in parts) + sum(_is_switch(one, other) for one, other in pairwise(active)),
        overlap=sum(part.overlap for part in parts),
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
        else Focus(start=calendar.text(focus.start), end=calendar.text(focus.end), category=focus.category),
        switches=found.switches,
        overlap=found.overlap / SECOND,
    )


def _chunk_totals(chunk: Chunk, until: Microseconds) -> ChunkTotals:
    everything, pieces = chunk.found.everything, chunk.found.pieces
    start = chunk.span[0]
    known = clipped(united([everything.spans, everything.away]), start, until).total if start < until else 0
    apps, switches = _apps(pieces)
    return ChunkTotals(
        active=pieces.spans.total,
        away=everything.away.total,
        known=known,
        edges=(int(pieces.start[0]), int(pieces.end[-1])) if len(pieces) else None,
        apps=apps,
        stretches=_stretches(pieces),
        switches=switches,
        overlap=sum(device.spans.total for device in pieces.apart) - pieces.spans.total,
    )


def _apps(pieces: Pieces) -> tuple[tuple[str | None, str | None], int]:
    """The first and the last app, and how often it changes."""
    if not len(pieces):
        return (None, None), 0
    keys = pieces.keys("app")
    codes = keys.codes
    is_near = pieces.start[1:] - pieces.end[:-1] < INTERRUPTION
    ends = [None if code == MISSING else str(keys.names[code]) for code in (int(codes[0]), int(codes[-1]))]
    return (ends[0], ends[1]), int(np.count_nonzero((codes[1:] != codes[:-1]) & is_near))


def _is_switch(one: ChunkTotals, other: ChunkTotals) -> bool:
    assert one.edges is not None
    assert other.edges is not None
    return one.apps[1] != other.apps[0] and other.edges[0] - one.edges[1] < INTERRUPTION


def _stretches(pieces: Pieces) -> tuple[Stretch, ...]:
    """Of each category the first and the last stretch, and of all the one with the most time."""
    if not len(pieces):
        return ()
    keys = pieces.keys("category")
    # Numbers of 16 bits are sorted by counting, many times quicker.
    order = np.argsort(keys.codes.astype(np.uint16) if len(keys.names) <= 1 << 16 else keys.codes, kind="stable")
    start, end, code = pieces.start[order], pieces.end[order], keys.codes[order]
    firsts = np.flatnonzero(np.append(True, (code[1:] != code[:-1]) | (start[1:] - end[:-1] >= INTERRUPTION)))
    lasts = np.append(firsts[1:], len(order)) - 1
    times = np.add.reduceat(end - start, firsts)
    is_edge = np.append(True, code[firsts[1:]] != code[firsts[:-1]])
    is_edge |= np.append(is_edge[1:], True)
    is_edge[times.argmax()] = True
    found: list[Stretch] = []
    for place in np.flatnonzero(is_edge).tolist():
        category = keys.names[int(code[firsts[place]])]
        assert isinstance(category, tuple)
        found.append(Stretch(int(start[firsts[place]]), int(end[lasts[place]]), int(times[place]), category))
    return tuple(found)


def _longest(parts: Sequence[ChunkTotals]) -> Stretch | None:
    """The stretch with the most time, joined across chunks; of equal ones the first."""
    running: dict[Path, Stretch] = {}
    best: Stretch | None = None
    for part in parts:
        for stretch in sorted(part.stretches, key=lambda each: each.start):
            before = running.get(stretch.category)
            if before is not None and 0 <= stretch.start - before.end < INTERRUPTION:
                stretch = Stretch(before.start, stretch.end, before.time + stretch.time, stretch.category)
            running[stretch.category] = stretch
            if best is None or stretch.time > best.time:
                best = stretch
    return best
