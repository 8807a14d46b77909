"""What summaries and series are asked. No numpy."""

from typing import Final, Literal, TypeAlias

from msgspec import Struct

from dayline.insight.calendar import Span
from dayline.insight.common_request import CommonRequest, Field
from dayline.insight.edges import Bin

CompareWith: TypeAlias = Literal["previous", "year", "typical", "custom"]

DEFAULT_LIMIT: Final = 100
MOST_KEYS: Final = 10_000
DEFAULT_TOP: Final = 12


class Comparison(Struct, frozen=True, kw_only=True):
    """What a range is compared with: one earlier range, or with `typical` several, the latest first.

    `whole` is the first of them as it was before it was cut to the elapsed part; None where it was not cut.
    """

    kind: CompareWith
    spans: tuple[Span, ...]
    whole: Span | None = None


class SummaryRequest(Struct, frozen=True, kw_only=True):
    """The totals of a range, and a list for each of some fields."""

    common: CommonRequest
    by: tuple[Field, ...] = ()
    limit: int = DEFAULT_LIMIT
    compare: Comparison | None = None


class SeriesRequest(Struct, frozen=True, kw_only=True):
    """The time of each bin of a range: all of it, and that of the largest keys of a field."""

    common: CommonRequest
    bin: Bin
    by: Field = "category"
    top: int = DEFAULT_TOP
    compare: Comparison | None = None
