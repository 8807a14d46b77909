"""Functions on overlapping time: intersection, union and periods."""

import numpy as np
from msgspec import Struct

from dayline.query.columns.distinct import numbered_within
from dayline.query.columns.table import NO_DATA, NO_ID, Table, no_events
from dayline.query.functions.selecting import concatenate, is_ascending, sort_by_timestamp
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
    place = np.searchsorted(event, pieces.event) + pieces.number
    result.start[place] = pieces.start
    result.end[place] = pieces.end
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
    places = first.copy()
    behind = np.flatnonzero(ends[places] < moments)
    for _ in range(_STEPS):
        places[behind] += 1
        behind = behind[ends[places[behind]] < moments[behind]]
    places[behind] = np.searchsorted(ends, moments[behind], side="left")
    return places


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
        place, piece_start, piece_end = np.array(cuts, dtype=np.int64).T
        start[place], end[place], is_piece[place] = piece_start, piece_end, True
    return Swept(rows, start, end, is_piece)


# Two lists of events as one, in which the first list takes precedence.


# From this many events of the second list per event of the first, a binary search is faster than a scan.
_MANY_IN_UNION = 16


def union_no_overlap(first: Table, second: Table) -> Table:
    """The events of both lists; where two overlap, the second list's one is cut. Its pieces have no id.

       first       [a  ]      [a]
       second    [b  ]    [b        ]
       result    [b][a  ] [b ][a][b ]

    Meant for lists sorted by start; others are merged as they are. Of several events of the second list under one of
    the first, only the first is cut.
    """
    if not len(first) or not len(second):
        return concatenate([first, second])
    both = concatenate([first, second])
    if is_ascending(second) and len(first) * _MANY_IN_UNION <= len(second):
        swept = sweep_few(both, len(first))
    elif is_ascending(first) and is_ascending(second):
        swept = _by_clusters(both, len(first))
    else:
        swept = sweep(both, np.arange(len(first)), np.arange(len(first), len(both)))
    return Table(
        swept.start,
        swept.end,
        np.where(swept.is_piece, NO_ID, both.id[swept.row]),
        both.value[swept.row],
        both.data,
    )


def _by_clusters(both: Table, firsts: int) -> Swept:
    """Overlapping clusters are merged one by one; a cluster of one list is unchanged."""
    order = np.argsort(both.start, kind="stable")
    latest_end = np.maximum.accumulate(both.end[order])
    begins = np.append(True, both.start[order][1:] >= latest_end[:-1])
    cluster = np.cumsum(begins) - 1
    is_mixed = _is_mixed(order < firsts, np.flatnonzero(begins))[cluster]
    is_simple = _is_simple(both, order, firsts, np.flatnonzero(begins))[cluster]

    untouched, simple = order[~is_mixed], order[is_mixed & is_simple]
    nested = order[is_mixed & ~is_simple]
    merged = [
        Swept(untouched, both.start[untouched], both.end[untouched], np.zeros(len(untouched), dtype=np.bool_)),
        _cut(both, simple[simple < firsts], simple[simple >= firsts]),
        sweep(both, nested[nested < firsts], nested[nested >= firsts]),
    ]
    cluster_of = np.empty(len(both), dtype=np.int64)
    cluster_of[order] = cluster
    row = np.concatenate([part.row for part in merged])
    by_cluster = np.argsort(cluster_of[row], kind="stable")
    return Swept(
        row[by_cluster],
        np.concatenate([part.start for part in merged])[by_cluster],
        np.concatenate([part.end for part in merged])[by_cluster],
        np.concatenate([part.is_piece for part in merged])[by_cluster],
    )


def _cut(both: Table, first: Ids, second: Ids) -> Swept:
    """The sweep of two lists, neither of which overlaps itself, all at once.

    An event of the first list cuts the first of the second that ends after its start, and no other.
    """
    if not len(first):
        return Swept(first, both.start[first], both.end[first], np.zeros(0, dtype=np.bool_))
    a_start, a_end = both.start[first], both.end[first]
    start, end = both.start[second], both.end[second]
    previous_end = np.append(a_start[0], end[:-1])
    low = np.maximum(np.searchsorted(a_start, previous_end), np.searchsorted(a_end, start, side="right"))
    cuts = np.maximum(np.searchsorted(a_start, end) - low, 0)

    event = np.repeat(np.arange(len(second)), cuts + 1)
    number = numbered_within(cuts + 1)
    after = low[event] + number
    piece_start = np.where(number == 0, start[event], a_end[after - 1])
    piece_end = np.where(number == cuts[event], end[event], a_start[np.minimum(after, len(first) - 1)])
    is_left = piece_end > piece_start
    event = event[is_left]
    all_starts = np.append(a_start, piece_start[is_left])
    order = np.argsort(all_starts, kind="stable")  # of two that start together, the first list's comes first
    return Swept(
        np.append(first, second[event])[order],
        all_starts[order],
        np.append(a_end, piece_end[is_left])[order],
        np.append(np.zeros(len(first), dtype=np.bool_), cuts[event] > 0)[order],
    )


def _is_simple(both: Table, order: Ids, firsts: int, begins: Ids) -> Flags:
    """For each cluster whether its events have a length and none overlaps another of the same list."""
    is_fine = both.end > both.start
    for low, high in ((0, firsts), (firsts, len(both))):
        is_fine[low + 1 : high] &= both.start[low + 1 : high] >= both.end[low : high - 1]
    return np.logical_and.reduceat(is_fine[order], begins)


def _is_mixed(is_first: Flags, begins: Ids) -> Flags:
    """For each cluster whether it has events of both lists."""
    firsts = np.add.reduceat(is_first.astype(np.int64), begins)
    sizes = np.diff(np.append(begins, len(is_first)))
    return (firsts > 0) & (firsts < sizes)


# The time that events cover.


def period_union(one: Table, other: Table) -> Table:
    """The time that events of either list cover, as events without data. Adjacent spans are joined.

    one      [  ]      [ ]
    other      [   ][]      []
    result   [       ] [ ]  []
    """
    events = sort_by_timestamp(concatenate([one, other]))
    if not len(events):
        return events
    latest_end = np.maximum.accumulate(events.end)
    begins = np.flatnonzero(np.append(True, events.start[1:] > latest_end[:-1]))
    finishes = np.append(begins[1:], len(events)) - 1
    no_data = np.zeros(len(begins), dtype=np.int32)
    return Table(events.start[begins], latest_end[finishes], events.id[begins], no_data, NO_DATA)
