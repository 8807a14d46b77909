"""Finds events that look wrong, with the fix for each. Pure: rows in, fixes out.

A finder sees all events of one bucket, page after page, in order of start and id. It keeps only what it needs of those
that it has seen, and yields a mend as soon as it is sure of it.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple, Protocol

from dayline.model.time import DAY, SECOND, Microseconds
from dayline.storage.history.contract import EventCorrection, Neighbour

Row = tuple[Microseconds, int, Microseconds, int]  # start, id, duration, value

FUTURE: Final[Microseconds] = DAY  # clocks differ, and time zones are mistaken: less than a day ahead is no fault
# What heartbeats usually merge: an event of no length that says what the next one says, so shortly before it, is the
# first heartbeat of that one.
NOISE: Final[Microseconds] = 5 * SECOND
# Shorter overlaps come from rounding and from watchers that take turns. Durations are displayed in whole seconds, so
# that cutting them would change nothing that a user sees.
SHORTEST_OVERLAP: Final[Microseconds] = SECOND


class Finder(Protocol):
    """Finds one kind in one bucket. `time` is how much time is concerned, when all events were seen."""

    time: Microseconds

    def look(self, rows: Sequence[Row]) -> Iterator[EventCorrection]:
        """The mends that the next events lead to."""
        ...


class Duplicates:
    """Events of equal start, duration and data: the one with the lowest id stays."""

    def __init__(self) -> None:
        self.time = 0
        self._start: Microseconds | None = None
        self._firsts: dict[tuple[int, int], int] = {}  # at this start, by duration and value

    def look(self, rows: Sequence[Row]) -> Iterator[EventCorrection]:
        for start, event_id, duration, value in rows:
            if start != self._start:
                self._start = start
                self._firsts.clear()
            first = self._firsts.setdefault((duration, value), event_id)
            if first != event_id:
                self.time += max(duration, 0)
                yield EventCorrection(event_id, start, duration, value, None, Neighbour(start, first, value))


class Negative:
    """Events that end before they begin: they come to last no time."""

    def __init__(self) -> None:
        self.time = 0

    def look(self, rows: Sequence[Row]) -> Iterator[EventCorrection]:
        for start, event_id, duration, value in rows:
            if duration < 0:
                self.time -= duration
                yield EventCorrection(event_id, start, duration, value, 0)


class Future:
    """Events that begin or end more than a day from now: they are removed."""

    def __init__(self, *, now: Microseconds) -> None:
        self.time = 0
        self._latest = now + FUTURE

    def look(self, rows: Sequence[Row]) -> Iterator[EventCorrection]:
        for start, event_id, duration, value in rows:
            if start + max(duration, 0) > self._latest:
                self.time += max(duration, 0)
                yield EventCorrection(event_id, start, duration, value, None)


class ZeroLength:
    """Events of no length that the next one of some length makes redundant: they are removed.

        |a |b |a [a        ]    becomes    |b [a        ]

    It does so where it begins at the same moment, or says the same and begins shortly after.
    """

    def __init__(self) -> None:
        self.time = 0
        self._waiting: deque[Row] = deque()  # for the next one of some length; not longer than NOISE

    def look(self, rows: Sequence[Row]) -> Iterator[EventCorrection]:
        waiting = self._waiting
        for row in rows:
            start, event_id, duration, value = row
            while waiting and start - waiting[0][0] > NOISE:
                waiting.popleft()
            if duration == 0:
                waiting.append(row)
            elif duration > 0 and waiting:
                for earlier, earlier_id, _, said in waiting:
                    if said == value or earlier == start:
                        yield EventCorrection(earlier_id, earlier, 0, said, None, Neighbour(start, event_id, value))
                waiting.clear()


class Overlaps:
    """Events that share at least SHORTEST_OVERLAP: the earlier one is cut where the next begins.

        [a       ]                [a ]
            [b  ]      becomes        [b  ]
            [c]

    Of two that begin together the shorter one is removed, of equal length the one that was stored later. `time` is the
    time counted more than once, again without shorter overlaps.
    """

    def __init__(self) -> None:
        self.time = 0
        self._reach: Microseconds | None = None  # no event seen so far ends later
        self._latest: Row | None = None  # of those that were not cut, the one that ends last

    def look(self, rows: Sequence[Row]) -> Iterator[EventCorrection]:
        for row in rows:
            if row[2] <= 0:
                continue
            self._count(row)
            latest = self._latest
            if latest is None:
                self._latest = row
            elif _overlap(latest, row) < SHORTEST_OVERLAP:
                self._latest = max(latest, row, key=_end)
            else:
                yield self._mend(latest, row)

    def _mend(self, latest: Row, row: Row) -> EventCorrection:
        """What to do about two events that overlap; the one that stays whole is compared with the next."""
        start, event_id, duration, value = row
        before, before_id, lasting, said = latest
        if before == start and duration <= lasting:
            return EventCorrection(event_id, start, duration, value, None, Neighbour(before, before_id, said))
        self._latest = row
        becomes = None if before == start else start - before
        return EventCorrection(before_id, before, lasting, said, becomes, Neighbour(start, event_id, value))

    def _count(self, row: Row) -> None:
        start, end, reach = row[0], _end(row), self._reach
        if reach is not None and (shared := min(end, reach) - start) >= SHORTEST_OVERLAP:
            self.time += shared
        self._reach = end if reach is None else max(reach, end)


def _end(row: Row) -> Microseconds:
    return row[0] + row[2]


def _overlap(earlier: Row, later: Row) -> Microseconds:
    """How long two events last at the same time; negative if there is time between them."""
    return min(_end(earlier), _end(later)) - later[0]


# Gaps: times in which one watcher of a device recorded nothing, while others did. Pure.
#
# Breaks that are not longer than a gap has to be count as no break at all, in the bucket and in the others.


class Span(NamedTuple):
    """A time with something recorded in it, or with nothing."""

    start: Microseconds
    end: Microseconds

    @property
    def length(self) -> Microseconds:
        return self.end - self.start


class Coverage:
    """The times that events cover, joined where the break between them is short. Events are added in order of start."""

    def __init__(self, *, longest_break: Microseconds) -> None:
        self._longest_break = longest_break
        self._closed: list[Span] = []
        self._start: Microseconds | None = None  # of the last span, which may grow
        self._end: Microseconds = 0

    @property
    def spans(self) -> list[Span]:
        return self._closed if self._start is None else [*self._closed, Span(self._start, self._end)]

    def add(self, start: Microseconds, end: Microseconds) -> None:
        """Take an event into account; one that ends before it begins is a moment."""
        if self._start is None:
            self._start, self._end = start, max(start, end)
        elif start > self._end + self._longest_break:
            self._closed.append(Span(self._start, self._end))
            self._start, self._end = start, max(start, end)
        elif end > self._end:
            self._end = end


def gaps(own: Sequence[Span], others: Iterable[Sequence[Span]], *, longer_than: Microseconds) -> list[Span]:
    """Where a bucket has nothing between two of its events, and others of its host have something, for long enough."""
    active = Coverage(longest_break=longer_than)
    for span in sorted(span for spans in others for span in spans):
        active.add(*span)
    return [gap for gap in _common(list(_breaks(own)), active.spans) if gap.length > longer_than]


def _breaks(spans: Sequence[Span]) -> Iterator[Span]:
    for one, next_ in pairwise(spans):
        yield Span(one.end, next_.start)


def _common(some: Sequence[Span], others: Sequence[Span]) -> Iterator[Span]:
    """What two lists of spans, each in order and without overlap, have in common."""
    first = second = 0
    while first < len(some) and second < len(others):
        one, other = some[first], others[second]
        common = Span(max(one.start, other.start), min(one.end, other.end))
        if common.length > 0:
            yield common
        if one.end < other.end:
            first += 1
        else:
            second += 1
