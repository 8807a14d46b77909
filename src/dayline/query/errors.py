"""What can be wrong with a query: for clients always 400, with the `type` names that the Python server gives."""

from typing import ClassVar

from msgspec import Struct

from dayline.model.errors import Malformed


class Place(Struct, frozen=True, kw_only=True):
    """Where in a program, and how to show it: `excerpt` is the line with a caret under the place."""

    line: int
    column: int
    excerpt: str


class QueryError(Malformed):
    """A query that cannot be answered. `kind` is the `type` of its answer."""

    kind: ClassVar[str]

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
