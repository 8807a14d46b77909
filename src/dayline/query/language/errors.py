"""Errors that running a program and checking it share, with suggestions."""

from collections.abc import Collection, Iterable
from difflib import get_close_matches
from itertools import islice
from typing import Final

from dayline.model.time import shorten
from dayline.query.errors import QueryError, QueryFunctionError, QueryInterpretError, QueryParseError, SourcePosition

_NOTHING: Final = frozenset({"None", "none", "null", "nil"})
_MAX_NAMES: Final = 1000  # names are compared one by one, which takes time by their number and length
_MAX_CHARACTERS: Final = 100
_NEAR: Final = 0.7  # of 1 for equal names: two wrong letters in a short name are near, four are not


def placed(error: QueryError, place: SourcePosition, *, before: str = "") -> QueryError:
    """The same error with a position, and `before` at the start of its message."""
    return type(error)(f"{before}{error.message}", hint=error.hint, place=place, expected=error.expected)


def no_result() -> QueryParseError:
    """A program that ends without a result."""
    return QueryParseError("the program never assigns RETURN", hint="assign the result: RETURN = events;")


def no_variable(name: str, variables: Collection[str], functions: Collection[str]) -> QueryInterpretError:
    """A variable that nothing was assigned to."""
    if name in functions:
        return QueryInterpretError(f"`{name}` is a function, not a variable", hint=f"call it: {name}(…)")
    hint = "the language has no null value" if name in _NOTHING else _did_you_mean(name, variables)
    return QueryInterpretError(f"no variable named `{shorten(name)}`", hint=hint)


def no_function(name: str, variables: Collection[str], functions: Collection[str]) -> QueryInterpretError:
    """A call of something that is not a function."""
    if name in variables:
        return QueryInterpretError(f"`{shorten(name)}` is a variable, not a function")
    return QueryInterpretError(f"no function named `{shorten(name)}`", hint=_did_you_mean(name, functions))


def no_bucket(bucket_id: str, buckets: Iterable[str]) -> QueryFunctionError:
    """A read of a bucket that the store does not have."""
    hint = _did_you_mean(bucket_id, buckets) or "query_bucket_names() lists the buckets"
    return QueryFunctionError(f"there is no bucket {bucket_id!r}", hint=hint)


def _did_you_mean(name: str, names: Iterable[str]) -> str | None:
    if len(name) > _MAX_CHARACTERS:
        return None
    candidates = [other for other in islice(names, _MAX_NAMES) if len(other) <= _MAX_CHARACTERS]
    near = get_close_matches(name, candidates, n=1, cutoff=_NEAR)
    return f"did you mean `{near[0]}`?" if near else None
