"""What a function of the language can ask for besides its arguments."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from msgspec import Struct, field

from dayline.model.period import Period
from dayline.query.values import Value
from dayline.storage.columns.source import ColumnSource, EventColumns, ReadReport, Times


class Trace(Struct):
    """What running a statement took, for those who ask why a query is slow."""

    events_in: int = 0
    events_out: int = 0
    reads: list[tuple[str, ReadReport]] = field(default_factory=list)  # bucket id, and where its events came from
    fallbacks: list[str] = field(default_factory=list)  # patterns that RE2 could not take


class Reading(Struct, frozen=True, eq=False):
    """What was read of a bucket, at once for all periods that adjoin each other.

    `latest_end` is the latest end up to each event, so that what touches a period is found without looking at all.
    """

    events: EventColumns
    latest_end: Times


class Context(Struct, kw_only=True):
    """One run of a program over one period. `period` is what query_bucket reads now; programs may move it."""

    source: ColumnSource
    periods: Sequence[Period]  # all that were asked for, so that adjoining ones are read at once
    period: Period
    trace: Trace
    printed: list[str]
    readings: dict[tuple[str, Period], Reading] = field(default_factory=dict)  # one for all periods of a request


Function: TypeAlias = Callable[..., Value]  # of a Context and the arguments
