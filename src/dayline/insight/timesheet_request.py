"""What a timesheet is asked. No numpy."""

from typing import Final, Literal, TypeAlias, get_args

from msgspec import Struct

from dayline.insight.common_request import CommonRequest
from dayline.model.timestamps import SECOND, Microseconds

SheetField: TypeAlias = Literal["category", "project", "app", "title", "label"]
Rounding: TypeAlias = Literal["none", "up", "nearest", "down"]
Per: TypeAlias = Literal["entry", "day"]
SheetFormat: TypeAlias = Literal["json", "csv", "html"]

SHEET_FIELDS: Final[tuple[SheetField, ...]] = get_args(SheetField)
ROUNDINGS: Final[tuple[Rounding, ...]] = get_args(Rounding)
STEP: Final[Microseconds] = 15 * 60 * SECOND
MOST_COLUMNS: Final = 2000


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
