"""Which earlier ranges a range is compared with. Pure, no numpy.

A range that is not over is compared with the same elapsed part of the earlier ones: on the 16th at noon, a month is
compared with the month before up to its 16th at noon.
"""

from datetime import date, timedelta
from typing import Final

from msgspec import Struct

from dayline.insight.calendar import Calendar, Span, shifted
from dayline.insight.periods import Days, days_of, previous_span, year_before_span
from dayline.insight.summary_request import CompareWith, Comparison
from dayline.model.timestamps import DAY, Microseconds

TYPICAL_PERIODS: Final = 4
_WEEK: Final = 7 * DAY


def comparison_of(
    calendar: Calendar, kind: CompareWith, span: Span, *, now: Microseconds, custom: Span | None = None
) -> Comparison:
    """The ranges that a range is compared with, each cut to the part that has elapsed of the range itself."""
    wholes = _whole_spans(calendar, kind, span, custom)
    spans = tuple(elapsed_part(calendar, span, whole, now) for whole in wholes)
    return Comparison(kind=kind, spans=spans, whole=wholes[0] if spans[0] != wholes[0] else None)


def elapsed_part(calendar: Calendar, span: Span, other: Span, now: Microseconds) -> Span:
    """As much of another range as has elapsed of a range: all of it when the range is over.

    Whole days are counted as days, up to the time that the clocks show now, whatever the clocks did in between. In a
    month or year the day of the month is the same; a shorter month ends earlier. Other ranges are measured in time.
    """
    if now >= span[1]:
        return other
    if now <= span[0]:
        return other[0], other[0]
    days, others = days_of(calendar, *span), days_of(calendar, *other)
    if days is None or others is None:
        end = other[0] + (now - span[0])
    else:
        today = calendar.day_of(now)
        place = _same_day(days, others, today)
        end = calendar.day_edge(place.day)
        if place.is_there:
            end = calendar.moment_at(calendar.local(now) + (place.day - today).days * DAY)
    return other[0], max(other[0], min(end, other[1]))


class _SameDay(Struct, frozen=True):
    """A day of another range; where that has no such day, the one that follows all that it has."""

    day: date
    is_there: bool = True


def _same_day(days: Days, others: Days, today: date) -> _SameDay:
    if days.unit != others.unit or days.unit not in ("month", "year"):
        return _SameDay(others.first + (today - days.first))
    month = shifted("month", others.first, today.month - days.first.month)
    after = shifted("month", month, 1)
    day = month + timedelta(days=today.day - 1)
    return _SameDay(day) if day < after else _SameDay(after, is_there=False)


def _whole_spans(calendar: Calendar, kind: CompareWith, span: Span, custom: Span | None) -> list[Span]:
    match kind:
        case "previous":
            return [previous_span(calendar, *span)]
        case "year":
            return [year_before_span(calendar, *span)]
        case "custom":
            assert custom is not None
            return [custom]
        case "typical":
            return _typical_spans(calendar, span)


def _typical_spans(calendar: Calendar, span: Span) -> list[Span]:
    """The last four like it: the same weekday of a day; the weeks, months or years before; else the same weekdays."""
    days = days_of(calendar, *span)
    if days is not None and days.unit not in (None, "day"):
        spans = [previous_span(calendar, *span)]
        while len(spans) < TYPICAL_PERIODS:
            spans.append(previous_span(calendar, *spans[-1]))
        return spans
    length = calendar.local(span[1]) - calendar.local(span[0])
    step = timedelta(weeks=max(1, -(-length // _WEEK)))
    return [_before(calendar, span, days, count * step) for count in range(1, TYPICAL_PERIODS + 1)]


def _before(calendar: Calendar, span: Span, days: Days | None, shift: timedelta) -> Span:
    """A range so many whole weeks earlier, by the clocks."""
    if days is not None:
        return calendar.span(days.first - shift, days.after - shift)
    start, end = (calendar.moment_at(calendar.local(edge) - shift // timedelta(microseconds=1)) for edge in span)
    return start, max(start, end)
