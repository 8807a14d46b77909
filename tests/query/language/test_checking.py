"""Programs that are checked, not run."""

import pytest
from msgspec import UNSET

from dayline.query.language.engine import answer
from dayline.query.processes.messages import Failure, QueryJob
from tests.support.query.tables import MemorySource


def checked(text: str) -> Failure | None:
    outcome, pieces = answer(QueryJob(text=text, periods=[], mode="check"), MemorySource({}))
    assert pieces == []
    return None if outcome.failure is UNSET else outcome.failure


@pytest.mark.parametrize(
    "text",
    [
        "RETURN = 1;",
        "return 1",
        "RETURN = [STARTTIME, ENDTIME, TIMEINTERVAL, NAME];",
        'RETURN = query_bucket("no such bucket");',
        "RETURN = 1 / 0;",
        "if false { a = 1; } RETURN = a;",
        "if true { return 1; }",
        "return 1; x = RETURN;",
        "RETURN = concat();",
    ],
)
def test_what_only_a_run_can_show_is_not_held_against_a_program(text: str) -> None:
    assert checked(text) is None


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("RETURN = (1;", 1, 12, "expected `)`, found `;`"),
        ("RETURN = 1;\nx = floood([]);", 2, 5, "no function named `floood`"),
        ("RETURN = 1;\nx = flood();", 2, 5, "flood: takes 1 or 2 arguments, not 0"),
        ("RETURN = 1;\nx = flood(events);", 2, 11, "no variable named `events`"),
        ("RETURN = flood;", 1, 10, "`flood` is a function, not a variable"),
        ("x = 1; RETURN = x();", 1, 17, "`x` is a variable, not a function"),
        ("if a { }", 1, 4, "no variable named `a`"),
        ("if true { } elif b { }", 1, 18, "no variable named `b`"),
        ("if true { c; }", 1, 11, "no variable named `c`"),
        ("if true { } else { d; }", 1, 20, "no variable named `d`"),
        ('RETURN = {"a": [1 + (2 * e)]};', 1, 26, "no variable named `e`"),
        ("RETURN = nop(x, y);", 1, 10, "nop: takes 0 arguments, not 2"),
        ("RETURN = [b, a];", 1, 11, "no variable named `b`"),
        ("x = RETURN;", 1, 5, "no variable named `RETURN`"),
    ],
)
def test_an_error_of_every_run_is_reported_with_its_position(text: str, line: int, column: int, message: str) -> None:
    failure = checked(text)

    assert failure is not None
    assert failure.place is not None
    assert (failure.place.line, failure.place.column, failure.message) == (line, column, message)
    assert failure.place.excerpt


@pytest.mark.parametrize("text", ["", "a = 1;", "nop();"])
def test_a_program_that_never_assigns_a_result_is_rejected(text: str) -> None:
    failure = checked(text)

    assert failure is not None
    assert failure.kind == "QueryParseException"
    assert failure.message == "the program never assigns RETURN"
