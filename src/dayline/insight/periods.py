"""Named periods, their neighbors, and their labels. Pure, no numpy."""

from datetime import date, timedelta
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from dayline.insight.calendar import Calendar, Span, Unit, add_units
from dayline.model.time import Microseconds

PeriodName: TypeAlias = Literal[
    "today", "yesterday", "day", "week", "month", "year",
    "last-week", "last-month", "last-year", "last-7-days", "last-30-days",
]  # fmt: skip

_DAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_UNITS: Final[tuple[Unit, ...]] = ("day", "week", "month", "year")
_WEEKS_A_YEAR: Final = 52  # keeps the weekday


class Days(Struct, frozen=True):
    """Whole days from `first` to before `after`. `unit` is set if they are exactly one day, week, month or year."""

    first: date
    after: date
    unit: Unit | None = None


def named_period(calendar: Calendar, name: PeriodName, day: date) -> Days:
    """The period with this name that contains the day, or the one before it."""
    match name:
        case "last-7-days":
            return _until(day, 7)
        case "last-30-days":
            return _until(day, 30)
        case "today" | "day":
            return unit_around(calendar, "day", day)
        case "yesterday":
            return unit_around(calendar, "day", day, shift=-1)
        case "week" | "month" | "year":
            return unit_around(calendar, name, day)
        case "last-week":
            return unit_around(calendar, "week", day, shift=-1)
        case "last-month":
            return unit_around(calendar, "month", day, shift=-1)
        case "last-year":
            return unit_around(calendar, "year", day, shift=-1)


def unit_around(calendar: Calendar, unit: Unit, day: date, *, shift: int = 0) -> Days:
    """The day, week, month or year that contains the day, or the one `shift` units later."""
    first = add_units(unit, calendar.first_day(unit, day), shift)
    return Days(first, add_units(unit, first, 1), unit)


def days_of(calendar: Calendar, start: Microseconds, end: Microseconds) -> Days | None:
    """The whole days that a range consists of; None if it has parts of days."""
    if start >= end:
        return None
    first, after = calendar.day_of(start), calendar.day_of(end)
    if calendar.span(first, after) != (start, end):
        return None
    for unit in _UNITS:
        if calendar.first_day(unit, first) == first and add_units(unit, first, 1) == after:
            return Days(first, after, unit)
    return Days(first, after)


def previous_span(calendar: Calendar, start: Microseconds, end: Microseconds) -> Span:
    """The range before this one: the previous day, week, month or year, or else a range of the same length."""
    days = days_of(calendar, start, end)
    if days is None:
        return start - (end - start), start
    if days.unit is not None:
        return calendar.span(add_units(days.unit, days.first, -1), days.first)
    return calendar.span(days.first - (days.after - days.first), days.first)


def year_before_span(calendar: Calendar, start: Microseconds, end: Microseconds) -> Span:
    """The same range one year earlier. A week becomes the week 52 weeks earlier."""
    days = days_of(calendar, start, end)
    if days is None:
        moved = (_a_year_before_moment(calendar, moment) for moment in (start, end))
        first, after = moved
        return first, max(first, after)
    if days.unit == "week":
        return calendar.span(*(day - timedelta(weeks=_WEEKS_A_YEAR) for day in (days.first, days.after)))
    if days.unit == "day":
        first_day = _a_year_before(days.first)
        return calendar.span(first_day, first_day + timedelta(days=1))
    return calendar.span(_a_year_before(days.first), _a_year_before(days.after))


def label_of(calendar: Calendar, start: Microseconds, end: Microseconds) -> str:
    """A label for a range: Thu 5 Mar 2026, 2 to 8 Mar 2026, March 2026, 2026."""
    days = days_of(calendar, start, end)
    if days is None:
        return f"{_clock(calendar, start)} to {_clock(calendar, end)}"
    first, last = days.first, days.after - timedelta(days=1)
    match days.unit:
        case "day":
            return f"{_DAYS[first.weekday()]} {_date(first)}"
        case "month":
            return f"{_MONTHS[first.month - 1]} {first.year}"
        case "year":
            return str(first.year)
        case _ if (first.year, first.month) == (last.year, last.month):
            return f"{first.day} to {_date(last)}"
        case _ if first.year == last.year:
            return f"{first.day} {_MONTHS[first.month - 1][:3]} to {_date(last)}"
        case _:
            return f"{_date(first)} to {_date(last)}"


def _until(day: date, count: int) -> Days:
    return Days(day - timedelta(days=count - 1), day + timedelta(days=1))


def _a_year_before(day: date) -> date:
    try:
        return day.replace(year=day.year - 1)
    except ValueError:  # 29 February
        return day.replace(year=day.year - 1, day=28)


def _a_year_before_moment(calendar: Calendar, moment: Microseconds) -> Microseconds:
    day = calendar.day_of(moment)
    return calendar.day_edge(_a_year_before(day)) + moment - calendar.day_edge(day)


def _date(day: date) -> str:
    return f"{day.day} {_MONTHS[day.month - 1][:3]} {day.year}"


def _clock(calendar: Calendar, moment: Microseconds) -> str:
    shown = calendar.text(moment)
    return f"{_date(date.fromisoformat(shown[:10]))} {shown[11:16]}"
