"""Formatted numbers: durations, shares, differences, ages and sizes."""

from datetime import date, datetime, timedelta
from typing import Final, Literal, TypeAlias

from dayline.cli.screens.text import Line, Span
from dayline.runtime.text import quantity

DurationStyle: TypeAlias = Literal["hours", "clock", "decimal"]  # as the preference of that name

DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_NOTHING_S: Final = 30.0  # a smaller difference is zero in minutes

_NOW: Final = timedelta(seconds=2)


def duration(seconds: float, style: DurationStyle = "hours") -> str:
    """Hours and minutes, or seconds below a minute: 3h 10m, 48m, 31s; 3:10; 3.17h."""
    if seconds < 0:
        return f"-{duration(-seconds, style)}"
    if style == "decimal":
        return f"{seconds / 3600:,.2f}h"
    minutes = round(seconds / 60)
    hours, rest = divmod(minutes, 60)
    if style == "clock":
        return f"{hours:,}:{rest:02}"
    if seconds < 59.5:
        return f"{round(seconds)}s"
    return f"{hours:,}h {rest:02}m" if hours else f"{rest}m"


def percent(share: float) -> str:
    """A share of a whole: 51 %, <1 %."""
    if 0 < share < 0.005:
        return "<1 %"
    return f"{share * 100:.0f} %"


def difference(seconds: float, style: DurationStyle = "hours") -> Line:
    """A difference with a sign and an arrow, readable without colors: ▲ +24m, ▼ -2h 05m."""
    if abs(seconds) < _NOTHING_S:
        return (Span("=", "dim"),)
    more = seconds > 0
    return (Span(f"{'▲ +' if more else '▼ -'}{duration(abs(seconds), style)}", "cyan" if more else "magenta"),)


def format_day(text: str) -> str:
    """The day of an RFC 3339 time, in its own zone: Thursday, 5 March 2026."""
    day = date.fromisoformat(text[:10])
    return f"{DAYS[day.weekday()]}, {day.day} {MONTHS[day.month - 1]} {day.year}"


def short_day(text: str) -> str:
    """The same in short: 5 Mar 2026."""
    day = date.fromisoformat(text[:10])
    return f"{day.day} {MONTHS[day.month - 1][:3]} {day.year}"


def clock(text: str) -> str:
    """The time of the day of an RFC 3339 time, in its own zone: 17:42."""
    return text[11:16]


def local_time(text: str | None) -> str:
    """An RFC 3339 time as day and time in this computer's zone: 2026-11-16 17:42; a hyphen if there is none."""
    return "-" if text is None else datetime.fromisoformat(text).astimezone().strftime("%Y-%m-%d %H:%M")


def ago(moment: datetime, now: datetime) -> str:
    """now, 40s ago, 12m ago, 3h ago, 2 days ago; the date after two weeks."""
    age = now - moment
    if age < _NOW:
        return "now"
    if age < timedelta(days=14):
        return f"{about(age)} ago"
    return _day(moment, now)


def last_recorded(moment: datetime, now: datetime) -> str:
    """last recorded 12m ago; after a day with the date, in the time zone of `now`."""
    if now - moment < timedelta(days=1):
        return f"last recorded {ago(moment, now)}"
    return f"last recorded {_day(moment, now)}"


def about(length: timedelta) -> str:
    """A length of time in its largest unit: 40s, 12m, 3h, 2 days."""
    seconds = max(0, int(length.total_seconds()))
    if seconds < 60:
        return f"{seconds}s"
    if seconds < 3600:
        return f"{seconds // 60}m"
    if seconds < 86_400:
        return f"{seconds // 3600}h"
    return quantity(length.days, "day")


def _day(moment: datetime, now: datetime) -> str:
    local = moment.astimezone(now.tzinfo)
    return f"{local.day} {MONTHS[local.month - 1][:3]} {local.year}"


def in_zone_of(timestamp: str, now: datetime) -> datetime:
    """A time of a response in the zone of `now`."""
    return datetime.fromisoformat(timestamp).astimezone(now.tzinfo)
