"""The walk along two lists of events in which the first has the right of way.

With a and b at the heads of the lists: where they overlap and a begins no later, a is emitted and takes its time from
b, all of b unless b ends later. Where they overlap and b begins earlier, the part of b before a is emitted. Where they
do not overlap, the one that begins earlier is emitted; a, if they begin together.
"""

import numpy as np
from msgspec import Struct

from dayline.query.table import Table
from dayline.storage.columns.source import Flags, Ids, Times

Cut = tuple[int, int, int]  # the place in the result, and what is left there of an event: start and end


class Swept(Struct, frozen=True, eq=False):
    """Events in the order of their emission: rows of a table of both lists, some of them cut to a piece."""

    row: Ids
    start: Times
    end: Times
    is_piece: Flags


def sweep(both: Table, first: Ids, second: Ids) -> Swept:
    """Walk along two lists of rows, event by event."""
    rows: list[int] = []
    cuts: list[Cut] = []
    starts, ends, second_rows = both.start[second].tolist(), both.end[second].tolist(), second.tolist()
    starts.append(0)  # read, but not used, behind the last event
    count, b, b_start = len(second), 0, starts[0]
    emit = rows.append
    a_events = zip(first.tolist(), both.start[first].tolist(), both.end[first].tolist(), strict=True)
    for a, a_start, a_end in a_events:
        while b_start < a_start and b < count:
            if a_start < a_end and a_start < ends[b]:
                cuts.append((len(rows), b_start, a_start))
                emit(second_rows[b])
                b_start = a_start
            else:
                if b_start != starts[b]:
                    cuts.append((len(rows), b_start, ends[b]))
                emit(second_rows[b])
                b += 1
                b_start = starts[b]
        emit(a)
        if b < count and b_start < a_end and b_start < ends[b]:
            if a_end < ends[b]:
                b_start = a_end
            else:
                b += 1
                b_start = starts[b]
    if b < count and b_start != starts[b]:
        cuts.append((len(rows), b_start, ends[b]))
    return _swept(both, np.array(rows + second_rows[b:], dtype=np.int64), cuts)


def sweep_few(both: Table, firsts: int) -> Swept:
    """The same where the first list, `firsts` rows, is short and the second by start: what lies between is skipped."""
    rows: list[Ids] = []
    cuts: list[Cut] = []
    count, b, b_start = len(both), firsts, int(both.start[firsts])
    emitted = 0

    def emit(low: int, high: int) -> None:
        nonlocal emitted
        rows.append(np.arange(low, high))
        emitted += high - low

    for a in range(firsts):
        a_start, a_end = int(both.start[a]), int(both.end[a])
        if b < count and b_start < a_start and not a_start < min(a_end, both.end[b]):
            if b_start != both.start[b]:
                cuts.append((emitted, b_start, int(both.end[b])))
            behind = _first_reaching(both, b + 1, a_start, a_end)
            emit(b, behind)
            b = behind
            b_start = int(both.start[b]) if b < count else 0
        if b < count and b_start < a_start:
            cuts.append((emitted, b_start, a_start))
            emit(b, b + 1)
            b_start = a_start
        emit(a, a + 1)
        if b < count and b_start < min(a_end, both.end[b]):
            if a_end < both.end[b]:
                b_start = a_end
            else:
                b += 1
                b_start = int(both.start[b]) if b < count else 0
    if b < count and b_start != both.start[b]:
        cuts.append((emitted, b_start, int(both.end[b])))
    emit(b, count)
    return _swept(both, np.concatenate(rows), cuts)


def _first_reaching(both: Table, low: int, a_start: int, a_end: int) -> int:
    """The first row from `low` on that does not lie before a: it begins no earlier, or overlaps it."""
    high = low + int(np.searchsorted(both.start[low:], a_start))
    if a_start == a_end:
        return high
    overlaps = both.end[low:high] > a_start
    return low + int(np.argmax(overlaps)) if overlaps.any() else high


def _swept(both: Table, rows: Ids, cuts: list[Cut]) -> Swept:
    start, end = both.start[rows], both.end[rows]
    is_piece = np.zeros(len(rows), dtype=np.bool_)
    if cuts:
        place, piece_start, piece_end = np.array(cuts, dtype=np.int64).T
        start[place], end[place], is_piece[place] = piece_start, piece_end, True
    return Swept(rows, start, end, is_piece)
