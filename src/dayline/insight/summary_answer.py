"""What summaries and series answer. No numpy."""

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from dayline.insight.common_request import Field, LocalTime, RangeAnswer
from dayline.insight.edges import Bin
from dayline.model.categories import Path

Seconds = Annotated[float, Meta(ge=0, description="seconds", examples=[5400.0])]
Key = Annotated[str | Path, Meta(description="what it is; a category is the list of its names, from the root")]


class Focus(Struct, frozen=True, kw_only=True):
    """The longest stretch in one category."""

    start: LocalTime
    end: LocalTime
    category: Path


class Totals(Struct, frozen=True, kw_only=True):
    """How much of the range was spent how."""

    active: Seconds
    away: Annotated[Seconds, Meta(description="a device was known to be left alone, and none was used")]
    nodata: Annotated[Seconds, Meta(description="the rest, up to now")]
    first: Annotated[LocalTime | None, Meta(description="when the first active time begins")]
    last: Annotated[LocalTime | None, Meta(description="when the last active time ends")]
    longest_focus: Annotated[Seconds, Meta(description="in one category, interrupted for less than two minutes")]
    focus: Annotated[Focus | None, Meta(description="when that was")]
    switches: Annotated[int, Meta(ge=0, description="from one app to another")]
    overlap: Annotated[Seconds, Meta(description="what several devices had at once: their sum exceeds `active` by it")]


class Row(Struct, frozen=True, kw_only=True):
    """One line of a list."""

    key: Key
    seconds: Seconds
    share: Annotated[float, Meta(ge=0, description="of the active time, from 0 to 1")]
    prev: Seconds | UnsetType = UNSET
    category: Annotated[Path, Meta(description="the one that most of it belongs to")] | UnsetType = UNSET


class DeviceTime(Struct, frozen=True, kw_only=True):
    """The active time of one device by itself."""

    device: str
    seconds: Seconds


_Whole = Annotated[
    RangeAnswer, Meta(description="the whole earlier period, where the range is not over: only its elapsed part counts")
]
_Periods = Annotated[int, Meta(ge=0, description="with `typical`: how many earlier periods it is the median of")]


class Compared(Struct, frozen=True, kw_only=True):
    """What the range is compared with. With `typical`, times are medians and `range` is the latest of the periods."""

    range: RangeAnswer
    whole: _Whole | UnsetType = UNSET
    totals: Totals
    lists: Annotated[dict[str, list[Row]], Meta(description="the keys with the most time of the earlier range")]
    periods: _Periods | UnsetType = UNSET
    days: Annotated[int, Meta(ge=0, description="the same as `periods`")] | UnsetType = UNSET


class Summary(Struct, frozen=True, kw_only=True):
    """The totals of a range, and a list for each field that was asked for."""

    range: RangeAnswer
    totals: Totals
    lists: dict[str, list[Row]]
    more: Annotated[dict[str, int], Meta(description="how many keys each list leaves out")]
    without: Annotated[dict[str, float], Meta(description="seconds of the active time that have no such key")]
    devices: list[DeviceTime]
    compare: Compared | UnsetType = UNSET


class Series(Struct, frozen=True, kw_only=True):
    """The seconds of each bin. What the keys do not have is in `other`, or has no such key at all."""

    range: RangeAnswer
    bin: Bin
    by: Field
    edges: Annotated[list[LocalTime], Meta(description="one more than there are bins; none with `weekhour`")]
    keys: list[Key]
    values: Annotated[list[list[Seconds]], Meta(description="for each key the seconds of each bin")]
    other: list[Seconds]
    total: list[Seconds]
    hours: Annotated[list[float], Meta(description="with `weekhour`: how many such hours of the range have passed")] | (
        UnsetType
    ) = UNSET
    prev: Annotated[list[list[Seconds]], Meta(description="the values of what it is compared with, bin by bin")] | (
        UnsetType
    ) = UNSET
    prev_total: list[Seconds] | UnsetType = UNSET
    prev_range: RangeAnswer | UnsetType = UNSET
    prev_whole: _Whole | UnsetType = UNSET
    prev_periods: _Periods | UnsetType = UNSET
