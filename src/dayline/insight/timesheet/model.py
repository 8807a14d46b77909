"""Requests and responses of timesheets. No numpy."""

from typing import Annotated, Final, Literal, TypeAlias, get_args

from msgspec import UNSET, Meta, Struct, UnsetType

from dayline.insight.periods import Language
from dayline.insight.request import CommonRequest, LocalTime, RangeResponse
from dayline.insight.summary.model import Seconds
from dayline.model.category import Path
from dayline.model.time import SECOND, Microseconds

SheetField: TypeAlias = Literal["category", "project", "app", "title", "label"]
Rounding: TypeAlias = Literal["none", "up", "nearest", "down"]
Per: TypeAlias = Literal["entry", "day"]
SheetFormat: TypeAlias = Literal["json", "csv", "html"]
SheetLanguage: TypeAlias = Language

SHEET_FIELDS: Final[tuple[SheetField, ...]] = get_args(SheetField)
ROUNDINGS: Final[tuple[Rounding, ...]] = get_args(Rounding)
STEP: Final[Microseconds] = 15 * 60 * SECOND
PER: Final[Per] = "day"  # rounding each entry adds up: ten entries of a minute are ten steps
MAX_COLUMNS: Final = 2000
# The content security policy of a sheet as HTML.
POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


class KeyRate(Struct, frozen=True, kw_only=True):
    """The price of an hour of a key, in ten-thousandths. The rate of a category also applies to those below it."""

    key: str
    rate: int


class TimesheetRequest(Struct, frozen=True, kw_only=True):
    """Asks for the days of a range, and the time of each key on each of them.

    An entry is the time of one key on one day. `rounding` is to whole steps, per entry or per day. Entries shorter than
    `least` are left out; gaps shorter than `gaps` count. Rates are in ten-thousandths per hour.
    """

    common: CommonRequest
    by: SheetField = "category"
    format: SheetFormat = "json"
    language: SheetLanguage = "en"
    rounding: Rounding = "none"
    step: Microseconds = STEP
    per: Per = PER
    least: Microseconds = 0
    gaps: Microseconds = 0
    rate: int | None = None
    rates: tuple[KeyRate, ...] = ()
    currency: str = ""
    title: str = ""
    has_notes: bool = True
    depth: int | None = None

    @property
    def project_rates(self) -> dict[str, int | None]:
        """The rates of projects, by name; None for one that is not billable."""
        projects = self.common.scope.projects if self.by == "project" else ()
        return {
            each.name: round(each.rate * 10_000) if each.is_billable and each.rate is not None else None
            for each in projects
            if each.rate is not None or not each.is_billable
        }

    @property
    def has_rates(self) -> bool:
        """Whether there are rates."""
        of_projects = any(rate is not None for rate in self.project_rates.values())
        return self.rate is not None or bool(self.rates) or of_projects


Money = Annotated[float, Meta(ge=0, description="in the currency of the sheet, to the hundredth")]
SheetKey = Annotated[
    str | Path | None, Meta(description="a category is the list of its names; null: time without a key")
]


class LeftOut(Struct, frozen=True, kw_only=True):
    """Entries shorter than the minimum, which are not counted."""

    entries: int
    seconds: Seconds


class Breaks(Struct, frozen=True, kw_only=True):
    """Gaps of more than a minute without any active time, between the first and the last time of a day."""

    count: int
    seconds: Seconds


class SheetRules(Struct, frozen=True, kw_only=True):
    """The rules that the sheet was made by; durations are in seconds. `text` says them in a sentence."""

    round: Rounding
    to: Seconds
    per: Per
    least: Seconds
    gaps: Seconds
    text: str


class SheetColumn(Struct, frozen=True, kw_only=True):
    """One key, and its totals."""

    key: SheetKey
    name: Annotated[str, Meta(description="the key as text", examples=["Work/Code"])]
    seconds: Seconds
    rounded: Seconds
    rate: Money | UnsetType = UNSET
    amount: Money | UnsetType = UNSET


class SheetEntry(Struct, frozen=True, kw_only=True):
    """The time of one key on one day. `column` is an index into the columns, from 0."""

    column: int
    seconds: Seconds
    rounded: Seconds
    amount: Money | UnsetType = UNSET


class SheetDay(Struct, frozen=True, kw_only=True):
    """One day. `seconds` is the exact time, `rounded` the time after rounding."""

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
    """The totals of all days."""

    days: int
    seconds: Seconds
    rounded: Seconds
    breaks: Breaks
    left_out: LeftOut
    amount: Money | UnsetType = UNSET


class Timesheet(Struct, frozen=True, kw_only=True):
    """The days on which time counts, and the columns, the largest first."""

    range: RangeResponse
    title: str
    by: SheetField
    rules: SheetRules
    currency: str
    columns: list[SheetColumn]
    days: list[SheetDay]
    totals: SheetTotals
    is_listed: Annotated[
        bool, Meta(description="there are too many columns for paper: entries are listed below their day")
    ]
    warning: (
        Annotated[
            str,
            Meta(
                description="what rounding each entry adds or removes, if it is 0.1 hours or more",
                examples=["Rounding each entry adds 9.6 h: 17.4 h → 27.0 h."],
            ),
        ]
        | UnsetType
    ) = UNSET
