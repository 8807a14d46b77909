"""Errors of queries, and of the processes that run them.

Malformed
└── QueryError         always 400, with the `type` names of the Python server:
                       QueryParseError, QueryInterpretError, QueryFunctionError, QueryTimeoutError, QueryMemoryError
Unavailable
├── QueriesBusy        no process was free in time, or too many queries are waiting
└── QueryProcessLost   the process ended without a response
"""

from typing import ClassVar

from msgspec import Struct

from dayline.model.errors import Malformed, Unavailable


class SourcePosition(Struct, frozen=True, kw_only=True):
    """A position in a program; `excerpt` is the line with a caret below the position."""

    line: int
    column: int
    excerpt: str


class QueryError(Malformed):
    """The request cannot be parsed, or its query fails: `type` then ends in Exception."""

    kind: ClassVar[str]  # the `type` of the response

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        place: SourcePosition | None = None,
        expected: tuple[str, ...] = (),
    ) -> None:
        super().__init__(message, hint=hint)
        self.place = place
        self.expected = expected


class QueryParseError(QueryError):
    """The text is not a program, is too long or too deeply nested, or never assigns RETURN."""

    kind = "QueryParseException"


class QueryInterpretError(QueryError):
    """An undefined name, a wrong number of arguments, an operator for other types, a limit."""

    kind = "QueryInterpretException"


class QueryFunctionError(QueryError):
    """A function rejects its arguments: a wrong type, no such bucket, a bad pattern or rule."""

    kind = "QueryFunctionException"


class QueryTimeoutError(QueryError):
    """The query exceeded its time limit."""

    kind = "QueryTimeoutException"


class QueryMemoryError(QueryError):
    """The query exceeded its memory limit."""

    kind = "QueryMemoryException"


class QueriesBusy(Unavailable):
    """More queries are running than the server can answer soon."""


class QueryProcessLost(Unavailable):
    """The process that ran the query ended without a response, most likely killed by the system."""
