"""Days and hours of a zone, found by looking at its clock every minute."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

MINUTE = 60_000_000


def shown(zone: str, moment: int) -> datetime:
    """What the clock shows."""
    return datetime.fromtimestamp(moment // 1_000_000, ZoneInfo(zone))


@lru_cache(maxsize=4096)
def day_edge(zone: str, day_start: str, day: date) -> int:
    """The first minute at which the clock has reached the start of a day."""
    wanted = datetime.combine(day, time.fromisoformat(day_start))
    moment = round(datetime.combine(day - timedelta(days=1), time(), UTC).timestamp()) * 1_000_000
    while shown(zone, moment).replace(tzinfo=None) < wanted:
        moment += MINUTE
    return moment


@lru_cache(maxsize=64)
def edges(zone: str, day_start: str, bin_: str, start: int, end: int) -> tuple[int, ...]:
    """Where bins begin and end; start and end are whole minutes."""
    return (start, *(moment for moment in _between(zone, day_start, bin_, start, end) if start < moment < end), end)


def week_hour(zone: str, moment: int) -> int:
    """Which hour of the week it is, from Monday at midnight."""
    local = shown(zone, moment)
    return local.weekday() * 24 + local.hour


def _between(zone: str, day_start: str, bin_: str, start: int, end: int) -> Iterator[int]:
    if bin_ in ("5m", "hour", "weekhour"):
        minutes = 5 if bin_ == "5m" else 60
        for moment in range(start, end, MINUTE):
            local, before = shown(zone, moment), shown(zone, moment - MINUTE)
            if local.minute % minutes == 0 or local.utcoffset() != before.utcoffset():
                yield moment
        return
    day = shown(zone, start).date() - timedelta(days=2)
    while day <= shown(zone, end).date():
        if bin_ == "day" or (bin_ == "week" and day.weekday() == 0) or (bin_ == "month" and day.day == 1):
            yield day_edge(zone, day_start, day)
        day += timedelta(days=1)
