"""What can be wrong with a query, and with the processes that run queries.

Malformed
└── QueryError         for clients always 400, with the `type` names that the Python server gives:
                       QueryParseError, QueryInterpretError, QueryFunctionError, QueryTimeoutError, QueryMemoryError
Unavailable
├── QueriesBusy        no process was free in time, or too many queries wait for one
└── QueryProcessLost   the process ended without an answer
"""

from typing import ClassVar

from msgspec import Struct

from dayline.model.errors import Malformed, Unavailable


class Place(Struct, frozen=True, kw_only=True):
    """Where in a program, and how to show it: `excerpt` is the line with a caret under the place."""

    line: int
    column: int
    excerpt: str


class QueryError(Malformed):
    """The request cannot be read, or the query in it cannot be answered: `type` then ends in Exception."""

    kind: ClassVar[str]  # the `type` of the answer

    def __init__(
        self, message: str, *, hint: str | None = None, place: Place | None = None, expected: tuple[str, ...] = ()
    ) -> None:
        super().__init__(message, hint=hint)
        self.place = place
        self.expected = expected


class QueryParseError(QueryError):
    """The text is not a program, is too long or too deep, or never assigns RETURN."""

    kind = "QueryParseException"


class QueryInterpretError(QueryError):
    """An undefined name, a wrong number of arguments, an operator that does not fit, a limit."""

    kind = "QueryInterpretException"


class QueryFunctionError(QueryError):
    """A function refuses its arguments: a wrong type, no such bucket, a bad pattern or rule."""

    kind = "QueryFunctionException"


class QueryTimeoutError(QueryError):
    """It took longer than it may."""

    kind = "QueryTimeoutException"


class QueryMemoryError(QueryError):
    """It needed more memory than it may."""

    kind = "QueryMemoryException"


class QueriesBusy(Unavailable):
    """More queries are under way than the server can answer soon."""


class QueryProcessLost(Unavailable):
    """The process that ran the query ended without an answer: killed by the system, most likely."""
