"""Which ranges a range is compared with. Pure, no numpy."""

from datetime import timedelta
from typing import Final

from dayline.insight.calendar import Calendar, Span
from dayline.insight.periods import days_of, previous_span, year_before_span
from dayline.insight.summary_request import Comparison
from dayline.model.errors import Invalid
from dayline.model.timestamps import Microseconds

TYPICAL_WEEKS: Final = 4


def compared_spans(calendar: Calendar, asked: Comparison, span: Span, now: Microseconds) -> list[Span]:
    """The ranges to compare with: one, or for `typical` the same weekday of each of the last four weeks."""
    match asked.kind:
        case "previous":
            return [previous_span(calendar, *span)]
        case "year":
            return [year_before_span(calendar, *span)]
        case "custom":
            return [(asked.start, asked.end)]
        case "typical":
            return _typical(calendar, span, now)


def _typical(calendar: Calendar, span: Span, now: Microseconds) -> list[Span]:
    """The same weekday four times, each up to the clock time that it is now where the day is not over."""
    days = days_of(calendar, *span)
    if days is None or days.unit != "day":
        raise Invalid(
            "compare: only a day has something typical to be compared with",
            hint="ask for one day, or compare with previous or year",
            field="compare",
        )
    spans: list[Span] = []
    for week in range(1, TYPICAL_WEEKS + 1):
        first = days.first - timedelta(weeks=week)
        start, end = calendar.span(first, first + timedelta(days=1))
        if now < span[1]:
            week_us = timedelta(weeks=week) // timedelta(microseconds=1)
            end = max(start, min(end, calendar.moment_at(calendar.local(now) - week_us)))
        spans.append((start, end))
    return spans
