"""Days, weeks, months and years in a time zone, and the bins of a series. Pure, no numpy.

A day may start at a time other than midnight. It has 23 or 25 hours when the clocks change, and other lengths in some
zones. If the clocks skip the start of a day, it starts when they skip it; if they show it twice, the first time counts.
"""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone
from functools import lru_cache
from itertools import pairwise
from typing import Final, Literal, TypeAlias, get_args
from zoneinfo import ZoneInfo

from dayline.model.errors import Invalid
from dayline.model.settings.preferences import WeekStart, check_zone
from dayline.model.time import DAY, SECOND, Microseconds

Span: TypeAlias = tuple[Microseconds, Microseconds]
Unit: TypeAlias = Literal["day", "week", "month", "year"]

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_EPOCH_DATE: Final = date(1970, 1, 1)
_MICROSECOND: Final = timedelta(microseconds=1)
_FIRST_WEEKDAY: Final[dict[WeekStart, int]] = {"monday": 0, "sunday": 6, "saturday": 5}
# No zone changes its offset twice within this time.
_LOOK_FOR_CHANGES: Final = 6 * 3600 * SECOND

# The bins of a series. Bins of days and longer follow the calendar. Shorter ones start when clocks show a full hour (or
# five minutes), and when clocks change: a day of 25 hours has 25 bins of an hour, on Lord Howe Island two of half an
# hour.

# weekhour: the hours of a week, added up over all weeks
Bin: TypeAlias = Literal["5m", "hour", "day", "week", "month", "weekhour"]
BIN_NAMES: Final[tuple[Bin, ...]] = get_args(Bin)

HOURS_A_WEEK: Final = 168
MAX_BINS: Final = 100_000
_CLOCK: Final[dict[str, Microseconds]] = {"5m": 300 * SECOND, "hour": 3600 * SECOND, "weekhour": 3600 * SECOND}
_CALENDAR_UNITS: Final[dict[str, Unit]] = {"day": "day", "week": "week", "month": "month"}
_EPOCH_WEEKDAY: Final = 3  # 1 January 1970 was a Thursday


@lru_cache(maxsize=64)
def zone_of(name: str) -> ZoneInfo:
    """A time zone from the package `tzdata`, not from the system, so that it is the same everywhere. Raises Invalid."""
    from importlib.resources import files  # here, because it is slow and few requests need another zone

    check_zone(name)
    with (files("tzdata") / "zoneinfo").joinpath(*name.split("/")).open("rb") as file:
        return ZoneInfo.from_file(file, key=name)


class Calendar:
    """Splits time into days, weeks, months and years by a user's settings."""

    def __init__(self, zone: str, *, day_start: str = "00:00", week_start: WeekStart = "monday") -> None:
        self.zone = zone
        self.day_start = day_start
        self.week_start: WeekStart = week_start
        self._zone = zone_of(zone)
        hours, minutes = day_start.split(":")
        self._day_start_us = (int(hours) * 60 + int(minutes)) * 60 * SECOND

    def offset_at(self, moment: Microseconds) -> Microseconds:
        """The offset from UTC at this time."""
        offset = self._moment(moment).utcoffset()
        assert offset is not None
        return offset // _MICROSECOND

    def local(self, moment: Microseconds) -> Microseconds:
        """The local time, in microseconds as if it were UTC."""
        return moment + self.offset_at(moment)

    def moment_at(self, local: Microseconds) -> Microseconds:
        """The first time at which clocks show this local time, or at which they skip it."""
        shown = (_EPOCH + local * _MICROSECOND).replace(tzinfo=None)
        early, late = (self._unlocal(shown, fold) for fold in (0, 1))
        if early <= late:
            return early  # both are equal, or clocks show it twice: the first time counts
        # Skipped: the change is between the results with the offset before it and the offset after it.
        return self._change_between(late, early)

    def changes(self, start: Microseconds, end: Microseconds) -> list[Microseconds]:
        """The times at which the clocks change, with start < time < end, ascending."""
        moments: list[Microseconds] = []
        low, low_offset = start, self.offset_at(start)
        while low < end:
            high = min(low + _LOOK_FOR_CHANGES, end)
            high_offset = self.offset_at(high)
            if high_offset != low_offset:
                moment = self._change_between(low, high)
                if moment < end:
                    moments.append(moment)
            low, low_offset = high, high_offset
        return moments

    def day_edge(self, day: date) -> Microseconds:
        """The time at which a day starts."""
        return _edge(self.zone, (day - _EPOCH_DATE).days * DAY + self._day_start_us)

    def day_of(self, moment: Microseconds) -> date:
        """The day that contains this time."""
        day = _EPOCH_DATE + timedelta(days=(self.local(moment) - self._day_start_us) // DAY)
        # If clocks change near the start of a day, the first guess may be off by one.
        while self.day_edge(day) > moment:
            day -= timedelta(days=1)
        while self.day_edge(day + timedelta(days=1)) <= moment:
            day += timedelta(days=1)
        return day

    def first_day(self, unit: Unit, day: date) -> date:
        """The first day of the week, month or year that contains this day."""
        match unit:
            case "day":
                return day
            case "week":
                return day - timedelta(days=(day.weekday() - _FIRST_WEEKDAY[self.week_start]) % 7)
            case "month":
                return day.replace(day=1)
            case "year":
                return day.replace(month=1, day=1)

    def span(self, first: date, after: date) -> Span:
        """From the start of one day to the start of another."""
        return self.day_edge(first), self.day_edge(after)

    def text(self, moment: Microseconds) -> str:
        """RFC 3339 with the zone's offset, and 0, 3 or 6 fractional digits: the fewest that are exact."""
        shown = self._moment(moment)
        offset = shown.utcoffset() or timedelta()
        if offset.seconds % 60:  # local mean time, before there were zones; RFC 3339 offsets have no seconds
            shown = shown.astimezone(timezone(timedelta(minutes=round(offset / timedelta(minutes=1)))))
        precision = "seconds" if moment % SECOND == 0 else "milliseconds" if moment % 1000 == 0 else "microseconds"
        return shown.isoformat(timespec=precision)

    def _moment(self, moment: Microseconds) -> datetime:
        return (_EPOCH + moment * _MICROSECOND).astimezone(self._zone)

    def _unlocal(self, shown: datetime, fold: int) -> Microseconds:
        return (shown.replace(tzinfo=self._zone, fold=fold).astimezone(UTC) - _EPOCH) // _MICROSECOND

    def _change_between(self, low: Microseconds, high: Microseconds) -> Microseconds:
        """The first whole second at which the offset equals that at `high`; at `low` it differs."""
        offset = self.offset_at(high)
        return _first(low // SECOND, high // SECOND, lambda second: self.offset_at(second * SECOND) == offset) * SECOND


def add_units(unit: Unit, first: date, count: int) -> date:
    """The first day of the unit `count` units after the one that starts on `first`; `count` may be negative."""
    match unit:
        case "day":
            return first + timedelta(days=count)
        case "week":
            return first + timedelta(weeks=count)
        case "month":
            years, month = divmod(first.year * 12 + first.month - 1 + count, 12)
            return date(years, month + 1, 1)
        case "year":
            return date(first.year + count, 1, 1)


def check_day(day: date, *, field: str) -> None:
    """Raise Invalid if the day is outside the years that events may have."""
    if not 1970 <= day.year <= 2261:
        raise Invalid(f"{field} is outside the years 1970 to 2261", field=field)


def _first(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """The first number after `low` for which `holds` is true. It must be true for `high`, and stay true once it is."""
    while high - low > 1:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle
    return high


# A year of days, compared with another year, needs about 700 edges.
@lru_cache(maxsize=8192)
def _edge(zone: str, local: Microseconds) -> Microseconds:
    return Calendar(zone).moment_at(local)


def edges_of(calendar: Calendar, bin_: Bin, start: Microseconds, end: Microseconds) -> list[Microseconds]:
    """The edges of all bins, including start and end. The first and last bin may be shorter than the others.

    Raises Invalid if there would be too many.
    """
    if start >= end:
        return [start, max(start, end)]
    step = _CLOCK.get(bin_)
    if step is None:
        return _calendar_edges(calendar, _CALENDAR_UNITS[bin_], start, end)
    if (end - start) // step > MAX_BINS:
        raise Invalid(
            f"bin: the range has more than {MAX_BINS:,} bins of that length",
            hint="use longer bins or a shorter range",
            field="bin",
        )
    return _clock_edges(calendar, step, start, end)


def week_hours(calendar: Calendar, edges: list[Microseconds]) -> list[int]:
    """The hour of the week of each hourly bin: 0 is Monday from 0:00 to 1:00."""
    hours: list[int] = []
    offset, known_until = 0, edges[0]
    changes = [*calendar.changes(edges[0], edges[-1]), edges[-1]]
    for edge in edges[:-1]:
        if edge >= known_until:
            offset = calendar.offset_at(edge)
            known_until = next(change for change in changes if change > edge)
        days, within = divmod(edge + offset, DAY)
        hours.append((days + _EPOCH_WEEKDAY) % 7 * 24 + within // (3600 * SECOND))
    return hours


def _calendar_edges(calendar: Calendar, unit: Unit, start: Microseconds, end: Microseconds) -> list[Microseconds]:
    edges = [start]
    first = add_units(unit, calendar.first_day(unit, calendar.day_of(start)), 1)
    while (edge := calendar.day_edge(first)) < end:
        if edge > edges[-1]:  # a day that a zone skips has no bin
            edges.append(edge)
        first = add_units(unit, first, 1)
    return [*edges, end]


def _clock_edges(calendar: Calendar, step: Microseconds, start: Microseconds, end: Microseconds) -> list[Microseconds]:
    edges: list[Microseconds] = []
    for low, high in pairwise([start, *calendar.changes(start, end), end]):
        # Between two changes the offset is constant.
        offset = calendar.offset_at(low)
        aligned = -(-(low + 1 + offset) // step) * step - offset
        edges += [low, *range(aligned, high, step)]
    return [*edges, end]
