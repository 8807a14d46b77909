"""Finds problems in events, with a fix for each. Pure: rows in, fixes out.

A finder receives all events of one bucket in pages, ordered by start and id. It keeps only what it needs of earlier
events, and yields a fix as soon as it is certain.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple, Protocol

from dayline.model.time import DAY, SECOND, Microseconds
from dayline.storage.history.contract import EventCorrection, Neighbor

Row = tuple[Microseconds, int, Microseconds, int]  # start, id, duration, value

FUTURE: Final[Microseconds] = DAY  # tolerance for wrong clocks and time zones
# An event without duration this shortly before one with the same data is its first heartbeat, which should have merged.
NOISE: Final[Microseconds] = 5 * SECOND
# Shorter overlaps come from rounding and from watchers that take turns. Durations are displayed in whole seconds, so
# fixing them would change nothing visible.
MIN_OVERLAP: Final[Microseconds] = SECOND


class Finder(Protocol):
    """Finds one kind of problem in one bucket. `time` is the affected time, after all events."""

    time: Microseconds

    def look(self, rows: Sequence[Row]) -> Iterator[EventCorrection]:
        """The fixes that follow from the next events."""
        ...


class DuplicateFinder:
    """Events with equal start, duration and data: the one with the lowest id stays."""

    def __init__(self) -> None:
        self.time = 0
        self._start: Microseconds | None = None
        self._firsts: dict[tuple[int, int], int] = {}  # ids at this start, by duration and value

    def look(self, rows: Sequence[Row]) -> Iterator[EventCorrection]:
        for start, event_id, duration, value in rows:
            if start != self._start:
                self._start = start
                self._firsts.clear()
            first = self._firsts.setdefault((duration, value), event_id)
            if first != event_id:
                self.time += max(duration, 0)
                yield EventCorrection(event_id, start, duration, value, None, Neighbor(start, first, value))


class NegativeFinder:
    """Events that end before they begin: their duration becomes 0."""

    def __init__(self) -> None:
        self.time = 0

    def look(self, rows: Sequence[Row]) -> Iterator[EventCorrection]:
        for start, event_id, duration, value in rows:
            if duration < 0:
                self.time -= duration
                yield EventCorrection(event_id, start, duration, value, 0)


class FutureFinder:
    """Events that begin or end more than a day ahead: they are removed."""

    def __init__(self, *, now: Microseconds) -> None:
        self.time = 0
        self._latest = now + FUTURE

    def look(self, rows: Sequence[Row]) -> Iterator[EventCorrection]:
        for start, event_id, duration, value in rows:
            if start + max(duration, 0) > self._latest:
                self.time += max(duration, 0)
                yield EventCorrection(event_id, start, duration, value, None)


class ZeroLengthFinder:
    """Events without duration that the next event with a duration makes redundant: they are removed.

        |a |b |a [a        ]    becomes    |b [a        ]

    An event is redundant if the next one begins at the same time, or has equal data and begins shortly after.
    """

    def __init__(self) -> None:
        self.time = 0
        self._waiting: deque[Row] = deque()  # for the next event with a duration, up to NOISE

    def look(self, rows: Sequence[Row]) -> Iterator[EventCorrection]:
        waiting = self._waiting
        for row in rows:
            start, event_id, duration, value = row
            while waiting and start - waiting[0][0] > NOISE:
                waiting.popleft()
            if duration == 0:
                waiting.append(row)
            elif duration > 0 and waiting:
                for earlier, earlier_id, _, earlier_value in waiting:
                    if earlier_value == value or earlier == start:
                        yield EventCorrection(
                            earlier_id, earlier, 0, earlier_value, None, Neighbor(start, event_id, value)
                        )
                waiting.clear()


class OverlapFinder:
    """Events that overlap by at least MIN_OVERLAP: the earlier one is cut where the next begins.

        [a       ]                [a ]
            [b  ]      becomes        [b  ]
            [c]

    Of two that begin together the shorter one is removed, or with equal duration the one stored later. `time` is the
    time counted more than once, without shorter overlaps.
    """

    def __init__(self) -> None:
        self.time = 0
        self._reach: Microseconds | None = None  # the latest end so far
        self._latest: Row | None = None  # the event with the latest end of those that were not cut

    def look(self, rows: Sequence[Row]) -> Iterator[EventCorrection]:
        for row in rows:
            if row[2] <= 0:
                continue
            self._count(row)
            latest = self._latest
            if latest is None:
                self._latest = row
            elif _overlap(latest, row) < MIN_OVERLAP:
                self._latest = max(latest, row, key=_end)
            else:
                yield self._fix(latest, row)

    def _fix(self, latest: Row, row: Row) -> EventCorrection:
        """The fix for two events that overlap. The one that stays whole is compared with the next."""
        start, event_id, duration, value = row
        before, before_id, before_duration, before_value = latest
        if before == start and duration <= before_duration:
            return EventCorrection(event_id, start, duration, value, None, Neighbor(before, before_id, before_value))
        self._latest = row
        becomes = None if before == start else start - before
        return EventCorrection(
            before_id, before, before_duration, before_value, becomes, Neighbor(start, event_id, value)
        )

    def _count(self, row: Row) -> None:
        start, end, reach = row[0], _end(row), self._reach
        if reach is not None and (shared := min(end, reach) - start) >= MIN_OVERLAP:
            self.time += shared
        self._reach = end if reach is None else max(reach, end)


def _end(row: Row) -> Microseconds:
    return row[0] + row[2]


def _overlap(earlier: Row, later: Row) -> Microseconds:
    """How long two events overlap; negative if there is time between them."""
    return min(_end(earlier), _end(later)) - later[0]


# Gaps: times in which one watcher of a device recorded nothing while others did. Pure.
#
# Breaks up to the minimum length of a gap are ignored, in the bucket and in the others.


class TimeSpan(NamedTuple):
    """A range of time with or without events."""

    start: Microseconds
    end: Microseconds

    @property
    def length(self) -> Microseconds:
        return self.end - self.start


class CoveredTime:
    """The times covered by events, joined across short breaks. Events are added in order of start."""

    def __init__(self, *, max_break: Microseconds) -> None:
        self._max_break = max_break
        self._closed: list[TimeSpan] = []
        self._start: Microseconds | None = None  # of the last span, which may still grow
        self._end: Microseconds = 0

    @property
    def spans(self) -> list[TimeSpan]:
        return self._closed if self._start is None else [*self._closed, TimeSpan(self._start, self._end)]

    def add(self, start: Microseconds, end: Microseconds) -> None:
        """Add an event; one that ends before it begins counts as a point in time."""
        if self._start is None:
            self._start, self._end = start, max(start, end)
        elif start > self._end + self._max_break:
            self._closed.append(TimeSpan(self._start, self._end))
            self._start, self._end = start, max(start, end)
        elif end > self._end:
            self._end = end


def gaps(own: Sequence[TimeSpan], others: Iterable[Sequence[TimeSpan]], *, longer_than: Microseconds) -> list[TimeSpan]:
    """The times in which a bucket has no events while others of its host have some, if they are long enough."""
    active = CoveredTime(max_break=longer_than)
    for span in sorted(span for spans in others for span in spans):
        active.add(*span)
    return [gap for gap in _common(list(_breaks(own)), active.spans) if gap.length > longer_than]


def _breaks(spans: Sequence[TimeSpan]) -> Iterator[TimeSpan]:
    for one, next_ in pairwise(spans):
        yield TimeSpan(one.end, next_.start)


def _common(some: Sequence[TimeSpan], others: Sequence[TimeSpan]) -> Iterator[TimeSpan]:
    """The intersection of two lists of spans, each in order and without overlaps."""
    first = second = 0
    while first < len(some) and second < len(others):
        one, other = some[first], others[second]
        common = TimeSpan(max(one.start, other.start), min(one.end, other.end))
        if common.length > 0:
            yield common
        if one.end < other.end:
            first += 1
        else:
            second += 1
