"""The figures of a bucket's months, and what they tell of where its events begin."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from dayline.model.timestamps import Microseconds, start_of_month
from dayline.storage.postgres.connection import Connection
from dayline.storage.postgres.spans import Span

_MANY_EVENTS: Final = 500_000  # read at once: 16 MiB, held three times for a moment
_MONTHS: Final = """
SELECT month, events, longest, reach FROM month WHERE tenant = %s AND bucket = %s AND events > 0 ORDER BY month
"""


class MonthFigures(Struct, frozen=True):
    """`longest` and `reach` are upper bounds, of the durations and of where the events end."""

    month: int
    events: int
    longest: Microseconds
    reach: Microseconds

    @property
    def whole(self) -> Span:
        return start_of_month(self.month), start_of_month(self.month + 1) - 1

    def can_touch(self, first: Microseconds, last: Microseconds) -> bool:
        """Whether an event that begins in this month can touch first..last."""
        low, high = self.whole
        return low <= last and (high >= first or self.reach >= first)

    def span(self, first: Microseconds, last: Microseconds) -> Span:
        """Where such events begin."""
        low, high = self.whole
        return max(low, first - self.longest), min(high, last)


def months_of(db: Connection, tenant: str, bucket: int) -> list[MonthFigures]:
    """The months in which events of a bucket begin, ascending."""
    return [MonthFigures(*row) for row in db.execute(_MONTHS, (tenant, bucket)).fetchall()]


def row_spans(months: Sequence[MonthFigures], first: Microseconds, last: Microseconds) -> list[Span]:
    """Where events that touch first..last begin, ascending: months in a row together, unless they hold too many."""
    spans: list[Span] = []
    held = 0
    for month in months:
        low, high = month.span(first, last)
        if not month.can_touch(first, last) or low > high:
            continue
        if spans and spans[-1][1] == low - 1 and held + month.events <= _MANY_EVENTS:
            spans[-1] = (spans[-1][0], high)
            held += month.events
        else:
            spans.append((low, high))
            held = month.events
    return spans


def count_spans(months: Sequence[MonthFigures], first: Microseconds, last: Microseconds) -> tuple[int, list[Span]]:
    """How many events begin in the months that lie within first..last, and the spans in which to look for others."""
    inside, others = 0, list[MonthFigures]()
    for month in months:
        low, high = month.whole
        if first <= low and high <= last:
            inside += month.events
        else:
            others.append(month)
    return inside, row_spans(others, first, last)
