"""Pieces of a timeline made the obvious way."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple


class Shown(NamedTuple):
    """An event as a lane shows it."""

    start: int
    end: int
    key: str
    id: int


class Piece(NamedTuple):
    """What a piece of some events has to be."""

    start: int
    end: int
    covered: int
    key: str
    key_time: int
    time: int


def clipped(events: Sequence[Shown], start: int, end: int) -> list[Shown]:
    """The events within a half-open range, cut to it, by start and then by id."""
    inside = [
        event
        for event in events
        if event.start < end and (event.end > start or (event.start == event.end and event.start >= start))
    ]
    return [
        event._replace(start=max(event.start, start), end=min(event.end, end))
        for event in sorted(inside, key=lambda event: (event.start, event.id))
    ]


def piece_of(events: Sequence[Shown]) -> Piece:
    """The piece that some events make together."""
    time: Counter[str] = Counter()
    count: Counter[str] = Counter()
    for event in events:
        time[event.key] += event.end - event.start
        count[event.key] += 1
    first = {event.key: -place for place, event in reversed(list(enumerate(events)))}
    key = max(time, key=lambda key: (time[key], count[key], first[key]))
    return Piece(
        start=min(event.start for event in events),
        end=max(event.end for event in events),
        covered=union(events),
        key=key,
        key_time=time[key],
        time=time.total(),
    )


def union(events: Sequence[Shown]) -> int:
    """How much time events cover together."""
    moments = sorted({moment for event in events for moment in (event.start, event.end)})
    return sum(
        following - moment
        for moment, following in pairwise(moments)
        if any(event.start <= moment and following <= event.end for event in events)
    )
