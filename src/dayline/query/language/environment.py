"""What a program runs with: its variables, those of its period, and the context of its function calls."""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Final, TypeAlias

from msgspec import Struct, field

from dayline.model.errors import Invalid
from dayline.model.time import Microseconds, Period, check_range, format_timestamp, parse_period, parse_timestamp
from dayline.query.errors import QueryFunctionError
from dayline.query.language.values import Value, kind_of
from dayline.storage.columns.source import ColumnSource, EventColumns, ReadReport, Times

RESULT: Final = "RETURN"
START, END, INTERVAL, NAME = "STARTTIME", "ENDTIME", "TIMEINTERVAL", "NAME"
PROVIDED: Final = frozenset({START, END, INTERVAL, NAME})  # variables that a program starts with

Function: TypeAlias = Callable[..., Value]  # of a Context and the arguments


class Environment:
    """One flat scope. The period has two notations, kept in sync; the last assignment counts."""

    def __init__(self, period: Period, *, name: str = "") -> None:
        self._variables: dict[str, Value] = {NAME: name}
        self._forgotten: set[str] = set()
        self._period: Period | QueryFunctionError = period
        self._write_parts(period)
        self._write_interval(period)

    def __contains__(self, name: object) -> bool:
        return name in self._variables

    def __getitem__(self, name: str) -> Value:
        return self._variables[name]

    @property
    def names(self) -> Collection[str]:
        """The variables assigned so far, for suggestions."""
        return [*self._variables, *self._forgotten]

    def assign(self, name: str, value: Value) -> None:
        self._variables[name] = value
        # An invalid period does no harm until something is read for it: then `period` raises.
        if name in (START, END):
            self._period = self._from_parts()
            if isinstance(self._period, Period):
                self._write_interval(self._period)
        elif name == INTERVAL:
            self._period = self._from_interval()
            if isinstance(self._period, Period):
                self._write_parts(self._period)

    def forget(self, names: Iterable[str]) -> None:
        """Delete variables that are not used again: lists of events may take most of the memory."""
        for name in names:
            if name != RESULT and name not in PROVIDED and name in self._variables:
                del self._variables[name]
                self._forgotten.add(name)

    def period(self) -> Period:
        """The period to read. Raises QueryFunctionError, naming the invalid variable."""
        if isinstance(self._period, QueryFunctionError):
            raise self._period
        return self._period

    def _from_parts(self) -> Period | QueryFunctionError:
        try:
            return Period(self._moment(START), self._moment(END))
        except QueryFunctionError as error:
            return error

    def _from_interval(self) -> Period | QueryFunctionError:
        try:
            return parse_period(self._text(INTERVAL), field=INTERVAL)
        except Invalid as error:
            return QueryFunctionError(error.message, hint=error.hint)
        except QueryFunctionError as error:
            return error

    def _moment(self, name: str) -> Microseconds:
        try:
            moment = parse_timestamp(self._text(name))
            check_range(moment, field=name)
        except ValueError as error:
            raise QueryFunctionError(f"{name}: {error}") from error
        except Invalid as error:
            raise QueryFunctionError(error.message) from error
        return moment

    def _text(self, name: str) -> str:
        value = self._variables[name]
        if not isinstance(value, str):
            raise QueryFunctionError(f"{name} must be a string, not {kind_of(value)}")
        return value

    def _write_parts(self, period: Period) -> None:
        self._variables[START] = _written(period.start)
        self._variables[END] = _written(period.end)

    def _write_interval(self, period: Period) -> None:
        self._variables[INTERVAL] = f"{_written(period.start)}/{_written(period.end)}"


def _written(moment: Microseconds) -> str:
    """UTC with an offset, as on ActivityWatch servers."""
    return f"{format_timestamp(moment).removesuffix('Z')}+00:00"


class Trace(Struct):
    """What running a statement took, to explain slow queries."""

    events_in: int = 0
    events_out: int = 0
    reads: list[tuple[str, ReadReport]] = field(default_factory=list)  # bucket id, and where its events came from
    fallbacks: list[str] = field(default_factory=list)  # patterns that RE2 does not support


class Reading(Struct, frozen=True, eq=False):
    """The events of a bucket, read at once for all adjoining periods.

    `latest_end` is the latest end up to each event, so that the events of a period are found without scanning all.
    """

    events: EventColumns
    latest_end: Times


class Context(Struct, kw_only=True):
    """One run of a program over one period. `period` is what query_bucket reads; programs may change it."""

    source: ColumnSource
    periods: Sequence[Period]  # all requested ones, so that adjoining ones are read at once
    period: Period
    trace: Trace
    printed: list[str]
    readings: dict[tuple[str, Period], Reading] = field(default_factory=dict)  # shared by all periods of a request
