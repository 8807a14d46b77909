"""The family of errors: each has a response over HTTP and an exit code."""

import sys
from collections.abc import Iterator
from http import HTTPStatus

import pytest

from dayline.api.http.errors import STATUS_OF, status_of
from dayline.cli.errors import exit_code_of
from dayline.model import errors
from dayline.model.errors import DaylineError
from dayline.query import errors as query_errors

# The family of decision 1, and 405, which HTTP also needs.
STATUSES = {
    "BucketExists": 304,
    "Malformed": 400,
    "Unauthorized": 401,
    "Forbidden": 403,
    "NotFound": 404,
    "NotAllowed": 405,
    "Conflict": 409,
    "Gone": 410,
    "Stale": 412,
    "TooLarge": 413,
    "WrongType": 415,
    "Invalid": 422,
    "TooMany": 429,
    "Unavailable": 503,
}


def family(kind: type[DaylineError] = DaylineError) -> Iterator[type[DaylineError]]:
    for child in kind.__subclasses__():
        yield child
        yield from family(child)


FAMILY = list(family())


def bare(kind: type[DaylineError]) -> DaylineError:
    """An instance, whatever its constructor asks for: only its class is looked at."""
    return kind.__new__(kind)


def test_every_error_has_a_status_of_its_own_and_is_not_a_500(subtests: pytest.Subtests) -> None:
    for kind in FAMILY:
        with subtests.test(kind.__name__):
            assert status_of(bare(kind)) is not HTTPStatus.INTERNAL_SERVER_ERROR


def test_every_error_has_an_exit_code_that_is_not_success(subtests: pytest.Subtests) -> None:
    for kind in FAMILY:
        with subtests.test(kind.__name__):
            assert 0 < exit_code_of(bare(kind)) < 256


def test_the_root_error_is_a_server_error() -> None:
    assert status_of(DaylineError("x")) is HTTPStatus.INTERNAL_SERVER_ERROR


def test_status_is_the_decided_one(subtests: pytest.Subtests) -> None:
    for name, status in STATUSES.items():
        with subtests.test(name=name, status=status):
            assert STATUS_OF[getattr(errors, name)] == status


def test_every_error_is_defined_in_one_of_two_modules() -> None:
    assert {kind.__module__ for kind in FAMILY} == {errors.__name__, query_errors.__name__}


def test_every_error_is_drawn_in_the_tree_of_its_module(subtests: pytest.Subtests) -> None:
    for kind in FAMILY:
        with subtests.test(kind.__name__):
            assert kind.__name__ in str(sys.modules[kind.__module__].__doc__)
