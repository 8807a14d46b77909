"""Failures of queries, and those of a query process itself, as messages and as errors."""

import signal
from typing import Final

from dayline.model.errors import Conflict, DaylineError, Gone, Invalid, Malformed, NotFound, TooLarge
from dayline.query.errors import (
    QueryError,
    QueryFunctionError,
    QueryInterpretError,
    QueryMemoryError,
    QueryParseError,
    QueryProcessLost,
    QueryTimeoutError,
    SourcePosition,
)
from dayline.query.processes.messages import Failure, TaskRefusal

_ERROR_OF: Final[dict[str, type[QueryError]]] = {
    kind.kind: kind
    for kind in (QueryParseError, QueryInterpretError, QueryFunctionError, QueryTimeoutError, QueryMemoryError)
}

# Errors that a task may raise about its request; anything else is a defect.
_REFUSALS: Final[dict[str, type[DaylineError]]] = {
    kind.__name__: kind for kind in (Malformed, Invalid, NotFound, Conflict, Gone, TooLarge)
}


def error_of(failure: Failure) -> QueryError:
    """The error that a query process has reported."""
    position = None
    if failure.line is not None and failure.column is not None:
        position = SourcePosition(line=failure.line, column=failure.column, excerpt=failure.excerpt or "")
    return _ERROR_OF[failure.kind](failure.message, hint=failure.hint, place=position, expected=failure.expected)


def failure_of(error: QueryError) -> Failure:
    """The failure to send for an error."""
    position = error.place
    return Failure(
        kind=error.kind,
        message=error.message,
        hint=error.hint,
        line=position.line if position else None,
        column=position.column if position else None,
        excerpt=position.excerpt if position else None,
        expected=error.expected,
    )


def task_refusal(error: DaylineError) -> TaskRefusal | None:
    """The refusal to send for an error, as the nearest known class; None if there is none."""
    kind = next((base.__name__ for base in type(error).__mro__ if base.__name__ in _REFUSALS), None)
    if kind is None:
        return None
    return TaskRefusal(kind=kind, message=error.message, hint=error.hint, field=error.field)


def refusal_error(refusal: TaskRefusal) -> DaylineError:
    """The error of a refused task."""
    return _REFUSALS[refusal.kind](refusal.message, hint=refusal.hint, field=refusal.field)


def out_of_memory() -> Failure:
    """The failure of a query that ran out of memory."""
    return failure_of(
        QueryMemoryError(
            "the query needed more memory than it may have",
            hint="query a shorter period, or raise query.memory_mib in the settings",
        )
    )


def lost_process(status: int | None) -> QueryProcessLost:
    """The error of a query whose process has ended, from its exit status: negative for a signal."""
    guess = ": it may have run out of memory" if status is not None and status < 0 else ""
    return QueryProcessLost(
        f"the process that ran the query ended unexpectedly ({describe_status(status)}){guess}",
        hint="query a shorter period; see the log for details",
    )


def describe_status(status: int | None) -> str:
    """How a process ended."""
    if status is None:
        return "no exit status"
    if status >= 0:
        return f"exit status {status}"
    try:
        return f"killed by signal {-status}, {signal.Signals(-status).name}"
    except ValueError:
        return f"killed by signal {-status}"
