"""Requests and responses of summaries, and the earlier range to compare with. No numpy."""

from datetime import date, timedelta
from typing import Annotated, Final, Literal, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType

from dayline.insight.calendar import Bin, Calendar, Span, add_units
from dayline.insight.periods import Days, days_of, previous_span, year_before_span
from dayline.insight.request import CommonRequest, Field, LocalTime, RangeResponse
from dayline.model.category import Path
from dayline.model.time import DAY, Microseconds

CompareWith: TypeAlias = Literal["previous", "year", "typical", "custom"]

DEFAULT_LIMIT: Final = 100
MAX_KEYS: Final = 10_000
DEFAULT_TOP: Final = 12


class Comparison(Struct, frozen=True, kw_only=True):
    """The ranges to compare with: one earlier range, or with `typical` several, the latest first.

    `whole` is the first of them before it was cut to the elapsed part; None if it was not cut.
    """

    kind: CompareWith
    spans: tuple[Span, ...]
    whole: Span | None = None


class SummaryRequest(Struct, frozen=True, kw_only=True):
    """Asks for the totals of a range, and a list for each of some fields."""

    common: CommonRequest
    by: tuple[Field, ...] = ()
    limit: int = DEFAULT_LIMIT
    compare: Comparison | None = None
    depth: int | None = None


class SeriesRequest(Struct, frozen=True, kw_only=True):
    """Asks for the time in each bin of a range: the total, and the largest keys of a field."""

    common: CommonRequest
    bin: Bin
    by: Field = "category"
    top: int = DEFAULT_TOP
    compare: Comparison | None = None
    depth: int | None = None


Seconds = Annotated[float, Meta(ge=0, description="seconds", examples=[5400.0])]
Key = Annotated[str | Path, Meta(description="the value; a category is the list of its names, from the root")]


FocusState: TypeAlias = Literal["active", "away", "nodata"]


class FocusActivity(Struct, frozen=True, kw_only=True):
    """What happened instead: other activity with its category and app, time away, or time without data."""

    state: FocusState
    category: Path | None
    app: str | None


class FocusInterruption(FocusActivity, frozen=True, kw_only=True):
    """An activity that interrupted the focus, and how long it took in total."""

    seconds: Seconds


class Focus(Struct, frozen=True, kw_only=True):
    """The longest time in one category, or in one app if it has no category.

    Interruptions of less than two minutes do not end it, and do not count, as long as they are at most 10 % of it.
    """

    start: LocalTime
    end: LocalTime
    category: Path
    app: Annotated[str | None, Meta(description="the app, if its time has no category")] = None
    interruptions: Annotated[int, Meta(ge=0, description="number of shorter interruptions")] | UnsetType = UNSET
    interrupted: Annotated[Seconds, Meta(description="total time of the shorter interruptions")] | UnsetType = UNSET
    tolerated: Annotated[list[FocusInterruption], Meta(description="the three longest of them")] | UnsetType = UNSET
    ended_by: (
        Annotated[
            FocusActivity | None,
            Meta(description="most of the two minutes after it; null if the range or the present ends there"),
        ]
        | UnsetType
    ) = UNSET


class Totals(Struct, frozen=True, kw_only=True):
    """How the time of a range was spent."""

    active: Seconds
    unfiltered: Annotated[Seconds, Meta(description="active time without the filters")] = 0.0
    away: Annotated[Seconds, Meta(description="time in which a device was AFK and none was active")]
    nodata: Annotated[Seconds, Meta(description="other time, up to now")]
    first: Annotated[LocalTime | None, Meta(description="start of the first active time")]
    last: Annotated[LocalTime | None, Meta(description="end of the last active time")]
    longest_focus: Annotated[
        Seconds,
        Meta(
            description="longest time in one category, or in one app without a category, with interruptions of less "
            "than two minutes that are at most 10 % of it"
        ),
    ]
    focus: Annotated[Focus | None, Meta(description="when that was")]
    switches: Annotated[int, Meta(ge=0, description="changes of the app")]
    overlap: Annotated[
        Seconds, Meta(description="time on several devices at once: the sum of all devices exceeds `active` by it")
    ]


class Row(Struct, frozen=True, kw_only=True):
    """One entry of a list."""

    key: Key
    seconds: Seconds
    share: Annotated[float, Meta(ge=0, description="share of the active time, from 0 to 1")]
    prev: Seconds | UnsetType = UNSET
    category: Annotated[Path, Meta(description="the category of most of its time")] | UnsetType = UNSET


class Branch(Struct, frozen=True, kw_only=True):
    """A category with everything below it, and the time that is directly in it."""

    key: Path
    seconds: Annotated[Seconds, Meta(description="of the category and everything below it")]
    own: Annotated[Seconds, Meta(description="of the category itself")]
    share: Annotated[float, Meta(ge=0, description="share of the active time, from 0 to 1")]
    prev: Seconds | UnsetType = UNSET
    prev_own: Seconds | UnsetType = UNSET


class DeviceTime(Struct, frozen=True, kw_only=True):
    """The active time of one device."""

    device: str
    seconds: Seconds


_Whole = Annotated[RangeResponse, Meta(description="the whole earlier period, if only its elapsed part is compared")]
_Periods = Annotated[int, Meta(ge=0, description="with `typical`: number of earlier periods in the median")]


class ComparedRange(Struct, frozen=True, kw_only=True):
    """The range that is compared with. With `typical`, times are medians and `range` is the latest of the periods."""

    range: RangeResponse
    whole: _Whole | UnsetType = UNSET
    totals: Totals
    lists: Annotated[dict[str, list[Row]], Meta(description="the keys with the most time of the earlier range")]
    periods: _Periods | UnsetType = UNSET
    days: Annotated[int, Meta(ge=0, description="the same as `periods`")] | UnsetType = UNSET


class Summary(Struct, frozen=True, kw_only=True):
    """The totals of a range, and a list for each requested field."""

    range: RangeResponse
    totals: Totals
    lists: dict[str, list[Row]]
    more: Annotated[dict[str, int], Meta(description="number of keys that each list leaves out")]
    without: Annotated[dict[str, float], Meta(description="seconds of active time without such a key")]
    devices: list[DeviceTime]
    tree: (
        Annotated[
            list[Branch],
            Meta(description="with `by=category`: all categories and their parents, each before those below it"),
        ]
        | UnsetType
    ) = UNSET
    compare: ComparedRange | UnsetType = UNSET


class Series(Struct, frozen=True, kw_only=True):
    """The seconds of each bin. Time of other keys is in `other`; time without a key is only part of `total`."""

    range: RangeResponse
    bin: Bin
    by: Field
    edges: Annotated[list[LocalTime], Meta(description="one more than bins; empty with `weekhour`")]
    keys: list[Key]
    values: Annotated[list[list[Seconds]], Meta(description="seconds of each bin, for each key")]
    other: list[Seconds]
    total: list[Seconds]
    parents: (
        Annotated[list[Path], Meta(description="with `by=category`: keys that have time in other keys below them")]
        | UnsetType
    ) = UNSET
    hours: Annotated[list[float], Meta(description="with `weekhour`: number of such hours in the range, up to now")] | (
        UnsetType
    ) = UNSET
    prev: Annotated[list[list[Seconds]], Meta(description="values of the earlier range, bin by bin")] | (
        UnsetType
    ) = UNSET
    prev_total: list[Seconds] | UnsetType = UNSET
    prev_range: RangeResponse | UnsetType = UNSET
    prev_whole: _Whole | UnsetType = UNSET
    prev_periods: _Periods | UnsetType = UNSET


# The ranges to compare with. A range that is not over is compared with the same elapsed part of the earlier ones: on
# the 16th at noon, a month is compared with the previous month up to its 16th at noon.


TYPICAL_PERIODS: Final = 4
_WEEK: Final = 7 * DAY


def comparison_of(
    calendar: Calendar, kind: CompareWith, span: Span, *, now: Microseconds, custom: Span | None = None
) -> Comparison:
    """The ranges to compare with, each cut to the elapsed part of the range itself."""
    wholes = _whole_spans(calendar, kind, span, custom)
    spans = tuple(elapsed_part(calendar, span, whole, now) for whole in wholes)
    return Comparison(kind=kind, spans=spans, whole=wholes[0] if spans[0] != wholes[0] else None)


def elapsed_part(calendar: Calendar, span: Span, other: Span, now: Microseconds) -> Span:
    """The part of another range that corresponds to the elapsed part of a range; all of it if the range is over.

    Whole days are counted as days, up to the current local time, even if the clocks changed in between. In a month or
    year the day of the month is the same; a shorter month ends earlier. Other ranges are measured by duration.
    """
    if now >= span[1]:
        return other
    if now <= span[0]:
        return other[0], other[0]
    days, others = days_of(calendar, *span), days_of(calendar, *other)
    if days is None or others is None:
        end = other[0] + (now - span[0])
    else:
        today = calendar.day_of(now)
        other_day = _same_day(days, others, today)
        end = calendar.day_edge(other_day.day)
        if other_day.is_there:
            end = calendar.moment_at(calendar.local(now) + (other_day.day - today).days * DAY)
    return other[0], max(other[0], min(end, other[1]))


class _SameDay(Struct, frozen=True):
    """A day of another range; if it has no such day, the day after its end."""

    day: date
    is_there: bool = True


def _same_day(days: Days, others: Days, today: date) -> _SameDay:
    if days.unit != others.unit or days.unit not in ("month", "year"):
        return _SameDay(others.first + (today - days.first))
    month = add_units("month", others.first, today.month - days.first.month)
    after = add_units("month", month, 1)
    day = month + timedelta(days=today.day - 1)
    return _SameDay(day) if day < after else _SameDay(after, is_there=False)


def _whole_spans(calendar: Calendar, kind: CompareWith, span: Span, custom: Span | None) -> list[Span]:
    match kind:
        case "previous":
            return [previous_span(calendar, *span)]
        case "year":
            return [year_before_span(calendar, *span)]
        case "custom":
            assert custom is not None
            return [custom]
        case "typical":
            return _typical_spans(calendar, span)


def _typical_spans(calendar: Calendar, span: Span) -> list[Span]:
    """The last four comparable ranges: the same weekday, or the previous weeks, months or years."""
    days = days_of(calendar, *span)
    if days is not None and days.unit not in (None, "day"):
        spans = [previous_span(calendar, *span)]
        while len(spans) < TYPICAL_PERIODS:
            spans.append(previous_span(calendar, *spans[-1]))
        return spans
    length = calendar.local(span[1]) - calendar.local(span[0])
    step = timedelta(weeks=max(1, -(-length // _WEEK)))
    return [_before(calendar, span, days, count * step) for count in range(1, TYPICAL_PERIODS + 1)]


def _before(calendar: Calendar, span: Span, days: Days | None, shift: timedelta) -> Span:
    """The range some whole weeks earlier, in local time."""
    if days is not None:
        return calendar.span(days.first - shift, days.after - shift)
    start, end = (calendar.moment_at(calendar.local(edge) - shift // timedelta(microseconds=1)) for edge in span)
    return start, max(start, end)
