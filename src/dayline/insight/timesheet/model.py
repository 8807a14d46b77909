"""Requests and answers of timesheets. No numpy."""

from typing import Annotated, Final, Literal, TypeAlias, get_args

from msgspec import UNSET, Meta, Struct, UnsetType

from dayline.insight.request import CommonRequest, LocalTime, RangeAnswer
from dayline.insight.summary.model import Seconds
from dayline.model.category import Path
from dayline.model.time import SECOND, Microseconds

SheetField: TypeAlias = Literal["category", "project", "app", "title", "label"]
Rounding: TypeAlias = Literal["none", "up", "nearest", "down"]
Per: TypeAlias = Literal["entry", "day"]
SheetFormat: TypeAlias = Literal["json", "csv", "html"]

SHEET_FIELDS: Final[tuple[SheetField, ...]] = get_args(SheetField)
ROUNDINGS: Final[tuple[Rounding, ...]] = get_args(Rounding)
STEP: Final[Microseconds] = 15 * 60 * SECOND
MAX_COLUMNS: Final = 2000


class KeyRate(Struct, frozen=True, kw_only=True):
    """What an hour of a key costs, in ten-thousandths. A category's holds for those below it, too."""

    key: str
    rate: int


class TimesheetRequest(Struct, frozen=True, kw_only=True):
    """The days of a range, and the time of each key on each of them.

    An entry is the time of one key on one day. `rounding` is to whole steps, of each entry or of the day as a whole.
    Entries shorter than `least` are left out; gaps shorter than `gaps` count. Rates are in ten-thousandths an hour.
    """

    common: CommonRequest
    by: SheetField = "category"
    format: SheetFormat = "json"
    rounding: Rounding = "none"
    step: Microseconds = STEP
    per: Per = "entry"
    least: Microseconds = 0
    gaps: Microseconds = 0
    rate: int | None = None
    rates: tuple[KeyRate, ...] = ()
    currency: str = ""
    title: str = ""
    has_notes: bool = True

    @property
    def has_rates(self) -> bool:
        """Whether time costs something."""
        return self.rate is not None or bool(self.rates)


# What a timesheet answers. No numpy.


Money = Annotated[float, Meta(ge=0, description="in the currency of the sheet, to the hundredth")]
SheetKey = Annotated[
    str | Path | None, Meta(description="a category is the list of its names; null: time without a key")
]


class LeftOut(Struct, frozen=True, kw_only=True):
    """Entries that are shorter than the least, and count nowhere."""

    entries: int
    seconds: Seconds


class Breaks(Struct, frozen=True, kw_only=True):
    """Gaps of more than a minute between the first and the last time of a day."""

    count: int
    seconds: Seconds


class SheetRules(Struct, frozen=True, kw_only=True):
    """How the sheet was made; lengths are in seconds. `text` says it in a sentence."""

    round: Rounding
    to: Seconds
    per: Per
    least: Seconds
    gaps: Seconds
    text: str


class SheetColumn(Struct, frozen=True, kw_only=True):
    """One key, and what it comes to."""

    key: SheetKey
    name: Annotated[str, Meta(description="the key as text", examples=["Work/Code"])]
    seconds: Seconds
    rounded: Seconds
    rate: Money | UnsetType = UNSET
    amount: Money | UnsetType = UNSET


class SheetEntry(Struct, frozen=True, kw_only=True):
    """The time of one key on one day. `column` numbers the columns from 0."""

    column: int
    seconds: Seconds
    rounded: Seconds
    amount: Money | UnsetType = UNSET


class SheetDay(Struct, frozen=True, kw_only=True):
    """One day. `seconds` is what it was, `rounded` what the rounding makes of it."""

    date: Annotated[str, Meta(examples=["2026-03-05"])]
    first: LocalTime
    last: LocalTime
    breaks: Breaks
    entries: list[SheetEntry]
    seconds: Seconds
    rounded: Seconds
    amount: Money | UnsetType = UNSET
    notes: list[str] | UnsetType = UNSET


class SheetTotals(Struct, frozen=True, kw_only=True):
    """What all days come to."""

    days: int
    seconds: Seconds
    rounded: Seconds
    breaks: Breaks
    left_out: LeftOut
    amount: Money | UnsetType = UNSET


class Timesheet(Struct, frozen=True, kw_only=True):
    """The days on which something counts, and the columns, the largest first."""

    range: RangeAnswer
    title: str
    by: SheetField
    rules: SheetRules
    currency: str
    columns: list[SheetColumn]
    days: list[SheetDay]
    totals: SheetTotals
