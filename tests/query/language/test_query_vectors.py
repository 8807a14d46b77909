"""The snippets of the protocol's test vectors, whole and through the engine."""

import json
from typing import Any

import pytest
from msgspec import UNSET

from dayline.model.time import Period
from dayline.query.language.engine import answer
from dayline.query.processes.messages import Failure, QueryJob
from tests.support.query.tables import MemorySource

SOURCE = MemorySource({"b": [(0, 1_000_000, {"k": 1, "l": 2}, 1)]})


def ask(text: str) -> Any:
    """The results, or the kind of the failure."""
    outcome, pieces = answer(QueryJob(text=text, periods=[Period(0, 10_000_000)]), SOURCE)
    if outcome.failure is UNSET:
        return json.loads(b"".join(pieces))
    assert isinstance(outcome.failure, Failure)
    return outcome.failure.kind


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("RETURN = 1;", [1.0]),
        ("RETURN = 1", [1.0]),
        ("return 2+3*4;", [20.0]),
        ("RETURN = 'x';", ["x"]),
        (r'RETURN = "a\"b\d\\";', "QueryParseException"),
        ('RETURN = "semi;colon # x";', ["semi;colon # x"]),
        ("a = 1;", "QueryParseException"),
        ("RETURN = [1,];", "QueryParseException"),
        ("RETURN = -1;", "QueryParseException"),
        ("RETURN = sum_durations([]);", [0.0]),
        ("RETURN = 1; §", "QueryParseException"),
        ("return a = 1;", [None]),
        ("RETURN = 2 == 1 + 1;", "QueryInterpretException"),
        ("RETURN = query_bucket(1);", "QueryFunctionException"),
        ('RETURN = query_bucket("c");', "QueryFunctionException"),
        ("RETURN = " + "[" * 5000, "QueryParseException"),
    ],
)
def test_a_snippet_has_its_answer(text: str, expected: object) -> None:
    assert ask(text) == expected


def test_numbers_are_written_as_doubles() -> None:
    _, pieces = answer(QueryJob(text="RETURN = [1, 2.50];", periods=[Period(0, 1)]), SOURCE)

    assert b"".join(pieces) == b"[[1.0,2.5]]"


def test_a_call_and_a_list_may_be_arguments_side_by_side() -> None:
    [events] = ask('RETURN = merge_events_by_keys(query_bucket("b"), ["k","l"]);')

    assert [event["data"] for event in events] == [{"k": 1, "l": 2}]
