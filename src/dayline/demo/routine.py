"""When a demo device is used: the active periods of a day, and their purpose."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from random import Random
from typing import Literal, NamedTuple, assert_never

DayKind = Literal["work", "weekend", "holiday"]

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)

# Holidays by month and day: the same every year, so no movable feasts.
PUBLIC_HOLIDAYS = frozenset({(1, 1), (1, 6), (5, 1), (10, 3), (12, 24), (12, 25), (12, 26), (12, 31)})
SICK_DAY_SHARE = 0.012

DeviceKind = Literal["laptop", "desktop", "phone"]
Mood = Literal["work", "home", "out"]

HOUR = 3600.0
MINUTE = 60.0


def day_kind(seed: int, day: date) -> DayKind:
    """Whether `day` is a working day, a weekend or a holiday."""
    if (day.month, day.day) in PUBLIC_HOLIDAYS or _is_on_leave(seed, day):
        return "holiday"
    if day.weekday() >= 5:
        return "weekend"
    is_sick = Random(f"{seed}/sick/{day}").random() < SICK_DAY_SHARE
    return "holiday" if is_sick else "work"


def utc_microseconds(day: date, seconds: float, zone: tzinfo) -> int:
    """Microseconds since 1970 for a local time `seconds` after midnight of `day`.

    Seconds beyond 86,400 are in the next day. Local time counts, so a working day keeps its hours when daylight saving
    time begins or ends.
    """
    wall_clock = datetime.combine(day, time.min) + timedelta(milliseconds=int(seconds * 1000))
    return (wall_clock.replace(tzinfo=zone) - EPOCH) // MICROSECOND


def _is_on_leave(seed: int, day: date) -> bool:
    """Whether `day` is in the two weeks in summer or the week in winter that are taken off this year."""
    weeks = Random(f"{seed}/leave/{day.year}")
    summer, winter = weeks.randint(28, 34), weeks.randint(6, 11)
    return day.isocalendar().week in (summer, summer + 1, winter)


class UsePeriod(NamedTuple):
    """A period of presence without a break, in seconds after local midnight."""

    start: float
    end: float
    mood: Mood


def stretches(device: DeviceKind, day: DayKind, rng: Random) -> Iterator[UsePeriod]:
    """The periods of one day, ascending and disjoint, between 06:00 and 02:00 of the next day."""
    match device:
        case "laptop":
            yield from _with_breaks(_laptop_sittings(day, rng), rng)
        case "desktop":
            yield from _with_breaks(_desktop_sittings(day, rng), rng)
        case "phone":
            yield from _phone_glances(day, rng)
        case _:
            assert_never(device)


def _laptop_sittings(day: DayKind, rng: Random) -> Iterator[UsePeriod]:
    if day != "work":
        if rng.random() < (0.15 if day == "weekend" else 0.06):
            start = rng.uniform(10, 17) * HOUR
            yield UsePeriod(start, start + rng.uniform(0.3, 2) * HOUR, "home")
        return
    arrival = rng.gauss(8.75, 0.4) * HOUR
    lunch = rng.uniform(11.9, 12.9) * HOUR
    back = lunch + rng.uniform(25, 65) * MINUTE
    leave = max(back + HOUR, rng.gauss(17.5, 0.6) * HOUR)
    yield UsePeriod(max(arrival, 7 * HOUR), lunch, "work")
    yield UsePeriod(back, leave, "work")
    if rng.random() < 0.12:
        evening = max(leave + HOUR, rng.uniform(20, 21) * HOUR)
        yield UsePeriod(evening, evening + rng.uniform(0.3, 1.5) * HOUR, "work")


def _desktop_sittings(day: DayKind, rng: Random) -> Iterator[UsePeriod]:
    if day == "work":
        if rng.random() < 0.6:
            start = rng.uniform(18.8, 20.5) * HOUR
            yield UsePeriod(start, start + rng.uniform(0.7, 3.5) * HOUR, "home")
        return
    share = 0.75 if day == "weekend" else 0.35
    if rng.random() < share:
        start = rng.uniform(9.5, 11) * HOUR
        yield UsePeriod(start, start + rng.uniform(0.5, 2.5) * HOUR, "home")
    if rng.random() < share:
        start = rng.uniform(14, 15.5) * HOUR
        yield UsePeriod(start, start + rng.uniform(0.5, 3) * HOUR, "home")
    if rng.random() < share:
        start = rng.uniform(20, 21.5) * HOUR
        yield UsePeriod(start, start + rng.uniform(0.7, 4) * HOUR, "home")


def _phone_glances(day: DayKind, rng: Random) -> Iterator[UsePeriod]:
    """Many short uses during the day; further apart at work, longer on days off."""
    clock = rng.uniform(6.6, 7.6) * HOUR if day == "work" else rng.uniform(8, 9.5) * HOUR
    bedtime = rng.uniform(22.3, 24) * HOUR
    while clock < bedtime:
        is_at_work = day == "work" and 9 * HOUR < clock < 17.5 * HOUR
        look = min(4 + rng.expovariate(1 / (90 if is_at_work else 240)), 40 * MINUTE)
        yield UsePeriod(clock, clock + look, "out")
        clock += look + 20 + rng.expovariate(1 / ((34 if is_at_work else 18) * MINUTE))


def _with_breaks(sittings: Iterator[UsePeriod], rng: Random) -> Iterator[UsePeriod]:
    """The sittings without breaks of three minutes and more.

    [sitting                 ]
    [stretch]   [stretch][gap]
    """
    for sitting in sittings:
        clock = sitting.start
        while clock < sitting.end:
            end = min(clock + 90 + rng.expovariate(1 / (38 * MINUTE)), sitting.end)
            yield UsePeriod(clock, end, sitting.mood)
            clock = end + 3 * MINUTE + rng.expovariate(1 / (6 * MINUTE))
