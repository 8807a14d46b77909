"""Values and variables of one run of a program, its period among them."""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Final, TypeAlias, TypeGuard

from msgspec import Struct, field

from dayline.model.errors import Invalid
from dayline.model.time import Microseconds, Period, check_range, format_timestamp, parse_period, parse_timestamp
from dayline.query.columns.table import Table
from dayline.query.errors import QueryFunctionError, QueryInterpretError
from dayline.storage.columns.source import ColumnSource, EventColumns, ReadReport, Times

MOST_STRING_CHARACTERS: Final = 16 << 20
MOST_ITEMS: Final = 1_000_000
MOST_EVENTS: Final = 30_000_000
# A literal nests to 100 levels, and the value of a variable in it as deep again: well within Python's own limit.
MOST_LEVELS: Final = 200


class SingleEvent(Struct, frozen=True, eq=False):
    """One event as an item of a list that holds other things too. Its table has one row."""

    table: Table


Value: TypeAlias = "bool | float | str | list[Value] | dict[str, Value] | Table | SingleEvent | None"


def kind_of(value: Value) -> str:
    """What messages call a value."""
    match value:
        case None:
            return "nothing"
        case bool():
            return "a boolean"
        case float() | int():
            return "a number"
        case str():
            return "a string"
        case Table():
            return "a list of events"
        case list():
            return "a list"
        case dict():
            return "a dict"
        case SingleEvent():
            return "an event"


def is_list(value: Value) -> TypeGuard["list[Value] | Table"]:
    """Whether the language takes it for a list: of events, or of anything."""
    return isinstance(value, list | Table)


def single_events(table: Table) -> list[Value]:
    """The events of a table, each for itself."""
    return [SingleEvent(table.take(slice(row, row + 1))) for row in range(len(table))]


def check_levels(value: Value) -> None:
    """Raise QueryInterpretError where lists and dicts nest deeper than MOST_LEVELS.

    Level by level, and what occurs several times in a level once: neither depth nor sharing costs much.
    """
    level: Iterable[Value] = (value,)
    for _ in range(MOST_LEVELS):
        level = {id(item): item for outer in level for item in _items(outer) if isinstance(item, list | dict)}.values()
        if not level:
            return
    raise QueryInterpretError(f"lists and dicts may be nested to {MOST_LEVELS} levels, and this is deeper")


def _items(value: Value) -> Iterable[Value]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


# The variables of one run of a program, those that say its period among them.


RESULT: Final = "RETURN"
START, END, INTERVAL, NAME = "STARTTIME", "ENDTIME", "TIMEINTERVAL", "NAME"
PROVIDED: Final = frozenset({START, END, INTERVAL, NAME})  # what a program finds


class Environment:
    """One flat scope. The period has two notations, kept in step; what is assigned last says what is read."""

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
        """What has been assigned so far, for those who mistook a name."""
        return [*self._variables, *self._forgotten]

    def assign(self, name: str, value: Value) -> None:
        self._variables[name] = value
        # A bad period does no harm until something is read for it: then `period` raises.
        if name in (START, END):
            self._period = self._from_parts()
            if isinstance(self._period, Period):
                self._write_interval(self._period)
        elif name == INTERVAL:
            self._period = self._from_interval()
            if isinstance(self._period, Period):
                self._write_parts(self._period)

    def forget(self, names: Iterable[str]) -> None:
        """Let go of what nobody will ask for again: lists of events may take most of the memory there is."""
        for name in names:
            if name != RESULT and name not in PROVIDED and name in self._variables:
                del self._variables[name]
                self._forgotten.add(name)

    def period(self) -> Period:
        """What is to be read. Raises QueryFunctionError, naming the variable that says nothing sensible."""
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
    """UTC with an offset, as programs of the other servers find it."""
    return f"{format_timestamp(moment).removesuffix('Z')}+00:00"


# What a function of the language can ask for besides its arguments.


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
