"""Days, weeks, months and years of a time zone, whose days may begin at another time than midnight. Pure, no numpy.

A day has 23 or 25 hours where the clocks change, and other lengths in some zones. A start of the day that the clocks
skip is the moment at which they skip it; one that they show twice is the first of the two.
"""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone
from functools import lru_cache
from typing import Final, Literal, TypeAlias
from zoneinfo import ZoneInfo

from dayline.model.errors import Invalid
from dayline.model.preferences import WeekStart, check_zone
from dayline.model.time import DAY, SECOND, Microseconds

Span: TypeAlias = tuple[Microseconds, Microseconds]
Unit: TypeAlias = Literal["day", "week", "month", "year"]

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_EPOCH_DATE: Final = date(1970, 1, 1)
_MICROSECOND: Final = timedelta(microseconds=1)
_FIRST_WEEKDAY: Final[dict[WeekStart, int]] = {"monday": 0, "sunday": 6, "saturday": 5}
# No zone changes its offset twice within so short a time.
_LOOK_FOR_CHANGES: Final = 6 * 3600 * SECOND


@lru_cache(maxsize=64)
def zone_of(name: str) -> ZoneInfo:
    """A time zone of the package `tzdata`, never of the system: the same everywhere. Raises Invalid."""
    from importlib.resources import files  # here, because it takes its time, and few calls need another zone

    check_zone(name)
    with (files("tzdata") / "zoneinfo").joinpath(*name.split("/")).open("rb") as file:
        return ZoneInfo.from_file(file, key=name)


class Calendar:
    """How one person cuts time into days, weeks, months and years."""

    def __init__(self, zone: str, *, day_start: str = "00:00", week_start: WeekStart = "monday") -> None:
        self.zone = zone
        self.day_start = day_start
        self.week_start: WeekStart = week_start
        self._zone = zone_of(zone)
        hours, minutes = day_start.split(":")
        self._day_start_us = (int(hours) * 60 + int(minutes)) * 60 * SECOND

    def offset_at(self, moment: Microseconds) -> Microseconds:
        """How far the clocks are ahead of UTC."""
        offset = self._moment(moment).utcoffset()
        assert offset is not None
        return offset // _MICROSECOND

    def local(self, moment: Microseconds) -> Microseconds:
        """What the clocks show, counted as if they were those of UTC."""
        return moment + self.offset_at(moment)

    def moment_at(self, local: Microseconds) -> Microseconds:
        """The moment at which clocks first show this, or skip it."""
        shown = (_EPOCH + local * _MICROSECOND).replace(tzinfo=None)
        early, late = (self._unlocal(shown, fold) for fold in (0, 1))
        if early <= late:
            return early  # once (both are the same), or twice: the first
        # Skipped: the moment of the change lies between what the offsets before and after it make of the time.
        return self._change_between(late, early)

    def changes(self, start: Microseconds, end: Microseconds) -> list[Microseconds]:
        """The moments within start < moment < end at which the clocks are set, ascending."""
        found: list[Microseconds] = []
        low, low_offset = start, self.offset_at(start)
        while low < end:
            high = min(low + _LOOK_FOR_CHANGES, end)
            high_offset = self.offset_at(high)
            if high_offset != low_offset:
                moment = self._change_between(low, high)
                if moment < end:
                    found.append(moment)
            low, low_offset = high, high_offset
        return found

    def day_edge(self, day: date) -> Microseconds:
        """The moment at which a day begins."""
        return _edge(self.zone, (day - _EPOCH_DATE).days * DAY + self._day_start_us)

    def day_of(self, moment: Microseconds) -> date:
        """The day that a moment belongs to."""
        day = _EPOCH_DATE + timedelta(days=(self.local(moment) - self._day_start_us) // DAY)
        # Where clocks are set near the start of a day, it may be the next or the one before.
        while self.day_edge(day) > moment:
            day -= timedelta(days=1)
        while self.day_edge(day + timedelta(days=1)) <= moment:
            day += timedelta(days=1)
        return day

    def first_day(self, unit: Unit, day: date) -> date:
        """The first day of the week, month or year around a day."""
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
        """From the start of a day to the start of another."""
        return self.day_edge(first), self.day_edge(after)

    def text(self, moment: Microseconds) -> str:
        """RFC 3339 with the offset of the zone, and the shortest exact fraction of 0, 3 or 6 digits."""
        shown = self._moment(moment)
        offset = shown.utcoffset() or timedelta()
        if offset.seconds % 60:  # of times before there were zones; RFC 3339 has no seconds there
            shown = shown.astimezone(timezone(timedelta(minutes=round(offset / timedelta(minutes=1)))))
        precision = "seconds" if moment % SECOND == 0 else "milliseconds" if moment % 1000 == 0 else "microseconds"
        return shown.isoformat(timespec=precision)

    def _moment(self, moment: Microseconds) -> datetime:
        return (_EPOCH + moment * _MICROSECOND).astimezone(self._zone)

    def _unlocal(self, shown: datetime, fold: int) -> Microseconds:
        return (shown.replace(tzinfo=self._zone, fold=fold).astimezone(UTC) - _EPOCH) // _MICROSECOND

    def _change_between(self, low: Microseconds, high: Microseconds) -> Microseconds:
        """The first moment at which the offset is that of `high`, where it is another at `low`. Whole seconds."""
        offset = self.offset_at(high)
        return _first(low // SECOND, high // SECOND, lambda second: self.offset_at(second * SECOND) == offset) * SECOND


def shifted(unit: Unit, first: date, count: int) -> date:
    """The first day of the unit this many units later (or, if negative, earlier) than the one starting here."""
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
    """Raise Invalid unless events may lie around a day."""
    if not 1970 <= day.year <= 2261:
        raise Invalid(f"{field} is outside the years 1970 to 2261", field=field)


def _first(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """The first number behind `low` for which it holds, where it holds for `high` and all between."""
    while high - low > 1:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle
    return high


# A year by days, compared with another, has some 700 of them.
@lru_cache(maxsize=8192)
def _edge(zone: str, local: Microseconds) -> Microseconds:
    return Calendar(zone).moment_at(local)
