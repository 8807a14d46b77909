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

Language: TypeAlias = Literal["en", "de"]


class _Names(Struct, frozen=True, kw_only=True):
    """How a language writes dates."""

    days: tuple[str, ...]
    months: tuple[str, ...]
    short_months: tuple[str, ...]
    day_number: str
    to: str
    after_weekday: str


_ENGLISH_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_NAMES: Final[dict[Language, _Names]] = {
    "en": _Names(
        days=("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"), months=_ENGLISH_MONTHS,
        short_months=tuple(month[:3] for month in _ENGLISH_MONTHS), day_number="{}", to="to", after_weekday=" ",
    ),
    "de": _Names(
        days=("Mo.", "Di.", "Mi.", "Do.", "Fr.", "Sa.", "So."),
        months=(
            "Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November",
            "Dezember",
        ),
        short_months=(
            "Jan.", "Feb.", "März", "Apr.", "Mai", "Juni", "Juli", "Aug.", "Sept.", "Okt.", "Nov.", "Dez.",
        ),
        day_number="{}.", to="bis", after_weekday=", ",
    ),
}  # fmt: skip
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


def label_of(calendar: Calendar, start: Microseconds, end: Microseconds, language: Language = "en") -> str:
    """A label for a range: Thu 5 Mar 2026, 2 to 8 Mar 2026, March 2026, 2026."""
    names = _NAMES[language]
    days = days_of(calendar, start, end)
    if days is None:
        return f"{_clock(calendar, start, names)} {names.to} {_clock(calendar, end, names)}"
    first, last = days.first, days.after - timedelta(days=1)
    match days.unit:
        case "day":
            return f"{names.days[first.weekday()]}{names.after_weekday}{_date(first, names)}"
        case "month":
            return f"{names.months[first.month - 1]} {first.year}"
        case "year":
            return str(first.year)
        case _ if (first.year, first.month) == (last.year, last.month):
            return f"{names.day_number.format(first.day)} {names.to} {_date(last, names)}"
        case _ if first.year == last.year:
            return f"{_day_of_month(first, names)} {names.to} {_date(last, names)}"
        case _:
            return f"{_date(first, names)} {names.to} {_date(last, names)}"


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


def _date(day: date, names: _Names) -> str:
    return f"{_day_of_month(day, names)} {day.year}"


def _day_of_month(day: date, names: _Names) -> str:
    return f"{names.day_number.format(day.day)} {names.short_months[day.month - 1]}"


def _clock(calendar: Calendar, moment: Microseconds, names: _Names) -> str:
    shown = calendar.text(moment)
    return f"{_date(date.fromisoformat(shown[:10]), names)} {shown[11:16]}"
