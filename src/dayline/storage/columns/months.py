"""Months, and the spans of them that are read. The recording process imports this: no numpy."""

from collections.abc import Iterable
from typing import Final, TypeAlias

from msgspec import Struct

from dayline.model.time import SECOND, Microseconds, start_of_month

Span: TypeAlias = tuple[Microseconds, Microseconds]  # range of starts, both ends included

# A smaller part of a month is read from rows: decoding the whole month takes longer.
MIN_SHARE: Final = 1 / 8
_FEW_ROWS: Final = 2_500  # of a month: a read of about a millisecond
_COMPARED_ROWS: Final = 200_000  # of a month: reading them takes a tenth of a second
_SHORT: Final = 60 * SECOND
_MANY_EVENTS: Final = 500_000  # read at once: 16 MiB, held three times for a moment


class MonthSpan(Struct, frozen=True, kw_only=True):
    """Starts from `low` to `high`. `version` is None if no segment of the month can be valid."""

    month: int
    low: Microseconds
    high: Microseconds
    events: int  # in the whole month
    version: int | None

    @property
    def share(self) -> float:
        """The fraction of the month that the span covers."""
        first, after = start_of_month(self.month), start_of_month(self.month + 1)
        return (self.high - self.low + 1) / (after - first)

    @property
    def is_short(self) -> bool:
        """Whether its rows are read quickly enough without a segment."""
        return self.events <= _FEW_ROWS or self.high - self.low <= _SHORT

    @property
    def is_part(self) -> bool:
        """Whether it leaves out a part of the month, and has so few rows that comparing them is quicker than work."""
        return self.events <= _COMPARED_ROWS and self.share < 1


class MonthStatistics(Struct, frozen=True, array_like=True):
    """A month in which events of a bucket start.

    `longest` and `reach` are upper bounds of the durations and of the ends of the events. `version` identifies the
    state of a sealed month. `segment` is how the engine identifies the segment of that state, None if there is none.
    """

    month: int
    events: int
    longest: Microseconds
    reach: Microseconds
    version: int | None = None
    segment: int | None = None

    @property
    def whole(self) -> Span:
        return start_of_month(self.month), start_of_month(self.month + 1) - 1

    def can_touch(self, first: Microseconds, last: Microseconds) -> bool:
        """Whether an event that starts in this month can overlap first..last."""
        low, high = self.whole
        return low <= last and (high >= first or self.reach >= first)

    def span(self, first: Microseconds, last: Microseconds) -> MonthSpan:
        """Where such events start. It has a version if there is a segment of the month."""
        low, high = self.whole
        return MonthSpan(
            month=self.month,
            low=max(low, first - self.longest),
            high=min(high, last),
            events=self.events,
            version=None if self.segment is None else self.version,
        )


def month_spans(months: Iterable[MonthStatistics], first: Microseconds, last: Microseconds) -> list[MonthSpan]:
    """Where events that overlap first..last start, ascending, by month.

    requested range                                 [          ]
    the month it starts in                    |··─[··········]···
    an older month with an event that reaches into it   |───···|
    """
    spans = [month.span(first, last) for month in months if month.can_touch(first, last)]
    return [span for span in spans if span.low <= span.high]


def row_spans(spans: Iterable[MonthSpan]) -> list[Span]:
    """The same in as few ranges as possible: consecutive months together, unless they have too many events."""
    joined: list[Span] = []
    held = 0
    for span in spans:
        if joined and joined[-1][1] == span.low - 1 and held + span.events <= _MANY_EVENTS:
            joined[-1] = (joined[-1][0], span.high)
            held += span.events
        else:
            joined.append((span.low, span.high))
            held = span.events
    return joined


def count_spans(months: Iterable[MonthStatistics], first: Microseconds, last: Microseconds) -> tuple[int, list[Span]]:
    """The number of events that start in the months within first..last, and the spans in which to count the others."""
    inside, others = 0, list[MonthStatistics]()
    for month in months:
        low, high = month.whole
        if first <= low and high <= last:
            inside += month.events
        else:
            others.append(month)
    return inside, row_spans(month_spans(others, first, last))


def start_spans(reaching: Iterable[tuple[int, Microseconds]], first: Microseconds, last: Microseconds) -> list[Span]:
    """The ranges in which events that overlap first..last can start, newest first.

    `reaching` are the months up to that of `first` with an event that may reach it, newest first, each with its longest
    duration.

    requested range              [          ]
    the month it starts in    |··─[··········]···
    an older month with an event that reaches into it    |───···|
    """
    if first > last:
        return []
    spans: list[Span] = []
    main_low = first
    for month, longest in reaching:
        low, high = max(start_of_month(month), first - longest), start_of_month(month + 1) - 1
        if high >= first:
            main_low = min(low, first)
        elif low <= high:
            spans.append((low, high))
    return [(main_low, last), *spans]
