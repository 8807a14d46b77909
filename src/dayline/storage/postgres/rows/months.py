"""Statistics of a bucket's months, and where the events that overlap a range can start."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from dayline.model.time import Microseconds, month_of, start_of_month
from dayline.storage.columns.months import MonthSpan
from dayline.storage.postgres.connection import Connection

Span = tuple[Microseconds, Microseconds]  # range of starts, both ends included

_REACHING: Final = """
SELECT month, longest FROM month
WHERE tenant = %s AND bucket = %s AND month <= %s AND reach >= %s AND events > 0 ORDER BY month DESC
"""


def begin_spans(db: Connection, tenant: str, key: int, first: Microseconds, last: Microseconds) -> list[Span]:
    """The ranges in which events that overlap first..last can start, newest first.

    requested range              [          ]
    the month it starts in    |··─[··········]···
    an older month with an event that reaches into it    |───···|
    """
    if first > last:
        return []
    spans: list[Span] = []
    main_low = first
    for month, longest in db.execute(_REACHING, (tenant, key, month_of(first), first)).fetchall():
        low, high = max(start_of_month(month), first - longest), start_of_month(month + 1) - 1
        if high >= first:
            main_low = min(low, first)
        elif low <= high:
            spans.append((low, high))
    return [(main_low, last), *spans]


_MANY_EVENTS: Final = 500_000  # read at once: 16 MiB, held three times for a moment
_MONTHS: Final = """
SELECT month, events, longest, reach, CASE WHEN is_sealed THEN changes END, (
    SELECT generation FROM segment
    WHERE segment.tenant = %(tenant)s AND segment.bucket = %(bucket)s
        AND segment.month = month.month AND segment.version = month.changes AND month.is_sealed LIMIT 1
) FROM month WHERE tenant = %(tenant)s AND bucket = %(bucket)s AND events > 0 ORDER BY month
"""


class MonthFigures(Struct, frozen=True):
    """`longest` and `reach` are upper bounds of the durations and of the ends of the events.

    `version` identifies the state of a sealed month. `generation` is that of its valid segment, if any.
    """

    month: int
    events: int
    longest: Microseconds
    reach: Microseconds
    version: int | None = None
    generation: int | None = None

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
            version=None if self.generation is None else self.version,
        )


def months_of(db: Connection, tenant: str, bucket: int) -> list[MonthFigures]:
    """The months in which events of a bucket start, ascending."""
    rows = db.execute(_MONTHS, {"tenant": tenant, "bucket": bucket}).fetchall()
    return [MonthFigures(*row) for row in rows]


def month_spans(months: Sequence[MonthFigures], first: Microseconds, last: Microseconds) -> list[MonthSpan]:
    """Where events that overlap first..last start, ascending, by month."""
    spans = [month.span(first, last) for month in months if month.can_touch(first, last)]
    return [span for span in spans if span.low <= span.high]


def row_spans(spans: Sequence[MonthSpan]) -> list[Span]:
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


def count_spans(months: Sequence[MonthFigures], first: Microseconds, last: Microseconds) -> tuple[int, list[Span]]:
    """The number of events that start in the months within first..last, and the spans in which to count the others."""
    inside, others = 0, list[MonthFigures]()
    for month in months:
        low, high = month.whole
        if first <= low and high <= last:
            inside += month.events
        else:
            others.append(month)
    return inside, row_spans(month_spans(others, first, last))
