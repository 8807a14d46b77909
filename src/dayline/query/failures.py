"""Failures of queries on their way between processes, and those of a process itself."""

import signal
from typing import Final

from dayline.model.errors import Conflict, DaylineError, Gone, Invalid, Malformed, NotFound, TooLarge
from dayline.query.errors import (
    Place,
    QueryError,
    QueryFunctionError,
    QueryInterpretError,
    QueryMemoryError,
    QueryParseError,
    QueryProcessLost,
    QueryTimeoutError,
)
from dayline.query.job import Failure, Refusal

_ERROR_OF: Final[dict[str, type[QueryError]]] = {
    kind.kind: kind
    for kind in (QueryParseError, QueryInterpretError, QueryFunctionError, QueryTimeoutError, QueryMemoryError)
}


def error_of(failure: Failure) -> QueryError:
    """The error that a query process has reported."""
    place = None
    if failure.line is not None and failure.column is not None:
        place = Place(line=failure.line, column=failure.column, excerpt=failure.excerpt or "")
    return _ERROR_OF[failure.kind](failure.message, hint=failure.hint, place=place, expected=failure.expected)


def failure_of(error: QueryError) -> Failure:
    """The same on its way to the other side."""
    place = error.place
    return Failure(
        kind=error.kind,
        message=error.message,
        hint=error.hint,
        line=place.line if place else None,
        column=place.column if place else None,
        excerpt=place.excerpt if place else None,
        expected=error.expected,
    )


# What a task may find wrong with its request; anything else is a defect.
_REFUSALS: Final[dict[str, type[DaylineError]]] = {
    kind.__name__: kind for kind in (Malformed, Invalid, NotFound, Conflict, Gone, TooLarge)
}


def refusal_of(error: DaylineError) -> Refusal | None:
    """An error on its way to the other side, as the nearest kind that may go there; None where there is none."""
    kind = next((base.__name__ for base in type(error).__mro__ if base.__name__ in _REFUSALS), None)
    if kind is None:
        return None
    return Refusal(kind=kind, message=error.message, hint=error.hint, field=error.field)


def refused(refusal: Refusal) -> DaylineError:
    """The error that a task was refused with."""
    return _REFUSALS[refusal.kind](refusal.message, hint=refusal.hint, field=refusal.field)


def out_of_memory() -> Failure:
    """What is told of a query for which there was not enough memory."""
    return failure_of(
        QueryMemoryError(
            "the query needed more memory than it may have",
            hint="ask for a shorter period, or raise query.memory_mib in the settings",
        )
    )


def lost_process(status: int | None) -> QueryProcessLost:
    """The error of a query whose process has ended, from its exit status: negative where a signal ended it."""
    guess = ": perhaps it needed more memory than there is" if status is not None and status < 0 else ""
    return QueryProcessLost(
        f"the process that ran the query ended unexpectedly ({describe_status(status)}){guess}",
        hint="ask for a shorter period; the log may say more",
    )


def describe_status(status: int | None) -> str:
    """How a process ended."""
    if status is None:
        return "without a word"
    if status >= 0:
        return f"exit status {status}"
    try:
        return f"killed by signal {-status}, {signal.Signals(-status).name}"
    except ValueError:
        return f"killed by signal {-status}"
