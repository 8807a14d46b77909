"""Which days the person of the demo works, and when a wall clock's time is in UTC."""

from datetime import UTC, date, datetime, time, timedelta, tzinfo
from random import Random
from typing import Literal

DayKind = Literal["work", "weekend", "holiday"]

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)

# Days off by month and day: the same every year, so that no table of movable feasts is needed.
PUBLIC_HOLIDAYS = frozenset({(1, 1), (1, 6), (5, 1), (10, 3), (12, 24), (12, 25), (12, 26), (12, 31)})
SICK_DAY_SHARE = 0.012


def day_kind(seed: int, day: date) -> DayKind:
    """Whether `day` is spent at work, at the weekend or on holiday."""
    if (day.month, day.day) in PUBLIC_HOLIDAYS or _is_on_leave(seed, day):
        return "holiday"
    if day.weekday() >= 5:
        return "weekend"
    is_sick = Random(f"{seed}/sick/{day}").random() < SICK_DAY_SHARE
    return "holiday" if is_sick else "work"


def utc_microseconds(day: date, seconds: float, zone: tzinfo) -> int:
    """Microseconds since 1970 of a wall clock that shows `seconds` after midnight of `day`.

    Seconds past 86,400 are the small hours of the next day. The wall clock is what counts, so a working day keeps
    its hours when summer time begins or ends.
    """
    wall_clock = datetime.combine(day, time.min) + timedelta(milliseconds=int(seconds * 1000))
    return (wall_clock.replace(tzinfo=zone) - EPOCH) // MICROSECOND


def _is_on_leave(seed: int, day: date) -> bool:
    """Whether `day` lies in the two weeks of summer or the week of winter that are taken off this year."""
    weeks = Random(f"{seed}/leave/{day.year}")
    summer, winter = weeks.randint(28, 34), weeks.randint(6, 11)
    return day.isocalendar().week in (summer, summer + 1, winter)
