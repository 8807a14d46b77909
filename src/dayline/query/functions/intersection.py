"""Events restricted to the time of others."""

import numpy as np
from msgspec import Struct

from dayline.query.distinct import numbered_within
from dayline.query.functions.ordering import sort_by_timestamp
from dayline.query.table import Table, no_events
from dayline.storage.columns.source import Flags, Ids, Times

_NEVER = np.iinfo(np.int64).max
_STEPS = 4
_PAGE = 1 << 16  # events that are looked at together: a dozen numbers for each of them are needed meanwhile
_MANY_EACH = 4  # events for each filter, from which on it pays off to find those that need no cutting


class _Filters(Struct, frozen=True, eq=False):
    """Stretches of time, by start and by end. Behind them stands one that never begins, for searches to end at."""

    start: Times
    end: Times


class _Pieces(Struct, frozen=True, eq=False):
    """Parts of events: of which event, how many of its parts come before, from when to when."""

    event: Ids
    number: Ids
    start: Times
    end: Times


def filter_period_intersect(events: Table, filters: Table) -> Table:
    """The parts of events that lie within filter events, each part an event with the data and id of the whole.

        events     [a           ]  [b   ]
        filters       [ ]  [        ]
        result        [a]  [a   ]  [b]

    A sweep that never goes back: behind a long event, the filters that it has passed are gone for those it overlaps.
    Events without length have no part in anything.
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
    """Which events stay as they are, and the parts of others; None where it does not pay off to tell them apart."""
    latest_end = np.maximum.accumulate(events.end)
    has_length = events.end > events.start
    if len(filters.end) * _MANY_EACH > len(events):
        return None, _pieces(events, np.flatnonzero(has_length), latest_end, filters)
    is_whole = _lies_within_one(events.start, latest_end, filters)
    pieces = _pieces(events, np.flatnonzero(has_length > is_whole), latest_end, filters)
    return has_length & is_whole, pieces


def _reaching_further(filters: Table) -> _Filters:
    """The filters that end later than all before them.

    The others change nothing: when the sweep comes to one, it has just been behind that one's end.
    """
    latest_end = np.maximum.accumulate(filters.end)
    reaches_further = np.append(0, np.flatnonzero(filters.end[1:] > latest_end[:-1]) + 1)
    return _Filters(np.append(filters.start[reaches_further], _NEVER), np.append(filters.end[reaches_further], _NEVER))


def _lies_within_one(start: Times, latest_end: Times, filters: _Filters) -> Flags:
    """Whether the sweep emits an event as it is: it lies within a filter, and no earlier filter reaches into it.

    Found by looking for each filter among the events, since filters are few and events within them many.
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
    """The parts of some events, where the sweep has gone through all events before them."""
    pages = [
        _page_of_pieces(events, which[first : first + _PAGE], latest_end, filters)
        for first in range(0, max(1, len(which)), _PAGE)
    ]
    if len(pages) == 1:
        return pages[0]
    columns = [[getattr(page, field) for page in pages] for field in _Pieces.__struct_fields__]
    pages.clear()
    # One after the other, and each let go of when it is joined: of millions of events they are most of the memory.
    return _Pieces(*(np.concatenate(columns.pop(0)) for _ in _Pieces.__struct_fields__))


def _page_of_pieces(events: Table, which: Ids, latest_end: Times, filters: _Filters) -> _Pieces:
    start, end = events.start[which], events.end[which]
    # The sweep stops at the first filter that reaches the end of an event, and goes on from there with the next event.
    latest_before = np.where(which > 0, latest_end[which - 1], 0)
    first = np.searchsorted(filters.end, np.maximum(start + 1, latest_before), side="left")
    last = _first_reaching(filters.end, latest_end[which], first)
    count = np.maximum(last - first + (filters.start[last] < end), 0)

    piece_of = np.repeat(np.arange(len(which)), count)
    number = numbered_within(count)
    filter_ = first[piece_of] + number
    # Where filters overlap, the earlier one counts.
    free_from = np.where(number == 0, start[piece_of], filters.end[filter_ - 1])
    return _Pieces(
        which[piece_of],
        number,
        np.maximum(free_from, filters.start[filter_]),
        np.minimum(end[piece_of], filters.end[filter_]),
    )


def _first_reaching(ends: Times, moments: Times, first: Ids) -> Ids:
    """The first of the ends, no earlier than the place given, that reaches each moment. Mostly it is near."""
    places = first.copy()
    behind = np.flatnonzero(ends[places] < moments)
    for _ in range(_STEPS):
        places[behind] += 1
        behind = behind[ends[places[behind]] < moments[behind]]
    places[behind] = np.searchsorted(ends, moments[behind], side="left")
    return places
