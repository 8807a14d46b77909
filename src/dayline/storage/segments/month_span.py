"""A part of one month, in which events that touch a range can begin."""

from typing import Final

from msgspec import Struct

from dayline.model.timestamps import SECOND, Microseconds, start_of_month

# A part of a month that is smaller than this is read from rows: decoding the whole month takes longer.
LEAST_SHARE: Final = 1 / 8
_FEW_ROWS: Final = 2_500  # of a month, which take a millisecond
_SHORT: Final = 60 * SECOND


class MonthSpan(Struct, frozen=True, kw_only=True):
    """Starts from `low` to `high`. `version` is None where no segment of the month can be valid."""

    month: int
    low: Microseconds
    high: Microseconds
    events: int  # in the whole month
    version: int | None

    @property
    def share(self) -> float:
        """How much of the month it is."""
        first, after = start_of_month(self.month), start_of_month(self.month + 1)
        return (self.high - self.low + 1) / (after - first)

    @property
    def is_short(self) -> bool:
        """Whether its rows are quickly read: they tell what they are themselves."""
        return self.events <= _FEW_ROWS or self.high - self.low <= _SHORT
