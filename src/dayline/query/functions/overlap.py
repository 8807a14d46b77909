"""Functions on overlapping time: intersections, and the sweep over two lists of events."""

import numpy as np
from msgspec import Struct

from dayline.query.columns.distinct import numbered_within
from dayline.query.columns.table import Table, no_events
from dayline.query.functions.ordering import sort_by_timestamp
from dayline.storage.columns.source import Flags, Ids, Times

_NEVER = np.iinfo(np.int64).max
_STEPS = 4
_PAGE = 1 << 16  # events processed together: each needs a dozen temporary numbers
_MANY_EACH = 4  # events per filter, from which on it pays off to find those that are not cut


class _Filters(Struct, frozen=True, eq=False):
    """Time spans by start and by end, with a sentinel at the end that never starts."""

    start: Times
    end: Times


class _Pieces(Struct, frozen=True, eq=False):
    """Parts of events: the event, the number of its earlier parts, start and end."""

    event: Ids
    number: Ids
    start: Times
    end: Times


def filter_period_intersect(events: Table, filters: Table) -> Table:
    """The parts of events within filter events, each an event with the data and id of the whole.

       events     [a           ]  [b   ]
       filters       [ ]  [        ]
       result        [a]  [a   ]  [b]

    A sweep that never goes back: filters passed by a long event are not used for events that it overlaps. Events of
    length 0 are dropped.
    """
    if not len(events) or not len(filters):
        return no_events()
    events = sort_by_timestamp(events)
    reaching = _reaching_further(sort_by_timestamp(filters))
    is_kept, pieces = _swept(events, reaching)
    if is_kept is None:
        return Table(pieces.start, pieces.end, events.id[pieces.event], events.value[pieces.event], events.data)
    is_kept[pieces.event] = True
    event = np.flatnonzero(is_kept)
    more = pieces.event[pieces.number > 0]
    if len(more):
        event = np.insert(event, np.searchsorted(event, more, side="right"), more)
    result = events.take(event)
    row = np.searchsorted(event, pieces.event) + pieces.number
    result.start[row] = pieces.start
    result.end[row] = pieces.end
    return result


def _swept(events: Table, filters: _Filters) -> tuple[Flags | None, _Pieces]:
    """Which events are unchanged, and the parts of others; None if it does not pay off to separate them."""
    latest_end = np.maximum.accumulate(events.end)
    has_length = events.end > events.start
    if len(filters.end) * _MANY_EACH > len(events):
        return None, _pieces(events, np.flatnonzero(has_length), latest_end, filters)
    is_whole = _lies_within_one(events.start, latest_end, filters)
    pieces = _pieces(events, np.flatnonzero(has_length > is_whole), latest_end, filters)
    return has_length & is_whole, pieces


def _reaching_further(filters: Table) -> _Filters:
    """The filters that end later than all before them.

    The others change nothing: when the sweep reaches one, it is already past that one's end.
    """
    latest_end = np.maximum.accumulate(filters.end)
    reaches_further = np.append(0, np.flatnonzero(filters.end[1:] > latest_end[:-1]) + 1)
    return _Filters(np.append(filters.start[reaches_further], _NEVER), np.append(filters.end[reaches_further], _NEVER))


def _lies_within_one(start: Times, latest_end: Times, filters: _Filters) -> Flags:
    """Whether the sweep returns an event unchanged: it is within a filter, and no earlier filter reaches into it.

    Searches for each filter among the events, because there are few filters and many events.
    """
    free_from = filters.start[:-1].copy()
    free_from[1:] = np.maximum(free_from[1:], filters.end[:-2])
    edges = np.empty(2 * len(free_from) + 2, dtype=np.int64)
    edges[0], edges[-1] = 0, len(start)
    edges[1:-1:2] = np.searchsorted(start, free_from, side="left")
    edges[2:-1:2] = np.searchsorted(latest_end, filters.end[:-1], side="right")
    lengths = np.diff(np.maximum.accumulate(edges))
    return np.repeat(np.arange(len(lengths)) % 2 == 1, lengths)


def _pieces(events: Table, which: Ids, latest_end: Times, filters: _Filters) -> _Pieces:
    """The parts of some events, after the sweep has passed all events before them."""
    pages = [
        _page_of_pieces(events, which[first : first + _PAGE], latest_end, filters)
        for first in range(0, max(1, len(which)), _PAGE)
    ]
    if len(pages) == 1:
        return pages[0]
    columns = [[getattr(page, field) for page in pages] for field in _Pieces.__struct_fields__]
    pages.clear()
    # One after the other, each released when it is joined: for millions of events they are most of the memory.
    return _Pieces(*(np.concatenate(columns.pop(0)) for _ in _Pieces.__struct_fields__))


def _page_of_pieces(events: Table, which: Ids, latest_end: Times, filters: _Filters) -> _Pieces:
    start, end = events.start[which], events.end[which]
    # The sweep stops at the first filter that reaches the end of an event, and continues from there with the next
    # event.
    latest_before = np.where(which > 0, latest_end[which - 1], 0)
    first = np.searchsorted(filters.end, np.maximum(start + 1, latest_before), side="left")
    last = _first_reaching(filters.end, latest_end[which], first)
    count = np.maximum(last - first + (filters.start[last] < end), 0)

    piece_of = np.repeat(np.arange(len(which)), count)
    number = numbered_within(count)
    filter_ = first[piece_of] + number
    # If filters overlap, the earlier one counts.
    free_from = np.where(number == 0, start[piece_of], filters.end[filter_ - 1])
    return _Pieces(
        which[piece_of],
        number,
        np.maximum(free_from, filters.start[filter_]),
        np.minimum(end[piece_of], filters.end[filter_]),
    )


def _first_reaching(ends: Times, moments: Times, first: Ids) -> Ids:
    """The first of the ends at or after `first` that reaches each time. It is mostly near."""
    rows = first.copy()
    behind = np.flatnonzero(ends[rows] < moments)
    for _ in range(_STEPS):
        rows[behind] += 1
        behind = behind[ends[rows[behind]] < moments[behind]]
    rows[behind] = np.searchsorted(ends, moments[behind], side="left")
    return rows


# The merge of two lists of events in which the first takes precedence. With a and b at the heads of the lists: if they
# overlap and a starts no later, a is emitted and its time is removed from b, all of b unless b ends later. If they
# overlap and b starts earlier, the part of b before a is emitted. If they do not overlap, the one that starts earlier
# is emitted; a, if they start together.
Cut = tuple[int, int, int]  # the position in the result, and what is left of the event: start and end


class Swept(Struct, frozen=True, eq=False):
    """Events in the order of their emission: rows of a table of both lists, some of them cut."""

    row: Ids
    start: Times
    end: Times
    is_piece: Flags


def sweep(both: Table, first: Ids, second: Ids) -> Swept:
    """Merge two lists of rows, event by event."""
    rows: list[int] = []
    cuts: list[Cut] = []
    starts, ends, second_rows = both.start[second].tolist(), both.end[second].tolist(), second.tolist()
    starts.append(0)  # read, but not used, after the last event
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
    return _swept_period(both, np.array(rows + second_rows[b:], dtype=np.int64), cuts)


def sweep_few(both: Table, firsts: int) -> Swept:
    """The same if the first list, `firsts` rows, is short and the second sorted by start: events in between are
    skipped.
    """
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
            behind = _first_reaching_sweep(both, b + 1, a_start, a_end)
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
    return _swept_period(both, np.concatenate(rows), cuts)


def _first_reaching_sweep(both: Table, low: int, a_start: int, a_end: int) -> int:
    """The first row from `low` on that is not before a: it starts no earlier, or overlaps it."""
    high = low + int(np.searchsorted(both.start[low:], a_start))
    if a_start == a_end:
        return high
    overlaps = both.end[low:high] > a_start
    return low + int(np.argmax(overlaps)) if overlaps.any() else high


def _swept_period(both: Table, rows: Ids, cuts: list[Cut]) -> Swept:
    start, end = both.start[rows], both.end[rows]
    is_piece = np.zeros(len(rows), dtype=np.bool_)
    if cuts:
        row, piece_start, piece_end = np.array(cuts, dtype=np.int64).T
        start[row], end[row], is_piece[row] = piece_start, piece_end, True
    return Swept(rows, start, end, is_piece)
