"""Where the bins of a series begin and end. Pure, no numpy.

Bins of days and longer follow the calendar. Shorter ones begin at the full hour (or five minutes) that clocks show, and
wherever clocks are set: a day of 25 hours has 25 bins of an hour, and one on Lord Howe two of half an hour.
"""

from itertools import pairwise
from typing import Final, Literal, TypeAlias, get_args

from dayline.insight.calendar import Calendar, Unit, shifted
from dayline.model.errors import Invalid
from dayline.model.time import DAY, SECOND, Microseconds

Bin: TypeAlias = Literal["5m", "hour", "day", "week", "month", "weekhour"]  # the last: of all weeks together
BIN_NAMES: Final[tuple[Bin, ...]] = get_args(Bin)

HOURS_A_WEEK: Final = 168
MAX_BINS: Final = 100_000
_CLOCK: Final[dict[str, Microseconds]] = {"5m": 300 * SECOND, "hour": 3600 * SECOND, "weekhour": 3600 * SECOND}
_UNITS: Final[dict[str, Unit]] = {"day": "day", "week": "week", "month": "month"}
_EPOCH_WEEKDAY: Final = 3  # the first of January 1970 was a Thursday


def edges_of(calendar: Calendar, bin_: Bin, start: Microseconds, end: Microseconds) -> list[Microseconds]:
    """The edges of all bins from start to end, both included: a range that begins between two has a part of a bin.

    Raises Invalid where there would be too many.
    """
    if start >= end:
        return [start, max(start, end)]
    step = _CLOCK.get(bin_)
    if step is None:
        return _calendar_edges(calendar, _UNITS[bin_], start, end)
    if (end - start) // step > MAX_BINS:
        raise Invalid(
            f"bin: the range has more than {MAX_BINS:,} bins of that length",
            hint="ask for longer bins or a shorter range",
            field="bin",
        )
    return _clock_edges(calendar, step, start, end)


def week_hours(calendar: Calendar, edges: list[Microseconds]) -> list[int]:
    """For each bin of an hour which hour of the week it belongs to: 0 is Monday from 0 to 1."""
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
    first = shifted(unit, calendar.first_day(unit, calendar.day_of(start)), 1)
    while (edge := calendar.day_edge(first)) < end:
        if edge > edges[-1]:  # a day that a zone leaves out has no bin
            edges.append(edge)
        first = shifted(unit, first, 1)
    return [*edges, end]


def _clock_edges(calendar: Calendar, step: Microseconds, start: Microseconds, end: Microseconds) -> list[Microseconds]:
    edges: list[Microseconds] = []
    for low, high in pairwise([start, *calendar.changes(start, end), end]):
        # Between two changes clocks run evenly.
        offset = calendar.offset_at(low)
        aligned = -(-(low + 1 + offset) // step) * step - offset
        edges += [low, *range(aligned, high, step)]
    return [*edges, end]
