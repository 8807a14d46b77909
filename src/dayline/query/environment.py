"""The variables of one run of a program, those that say its period among them."""

from collections.abc import Collection, Iterable
from typing import Final

from dayline.model.errors import Invalid
from dayline.model.period import Period, parse_period
from dayline.model.timestamps import Microseconds, check_range, format_timestamp, parse_timestamp
from dayline.query.errors import QueryFunctionError
from dayline.query.values import Value, kind_of

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
