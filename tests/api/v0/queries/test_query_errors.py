"""A query that fails: 400, with the type that clients know, and the place in the program (protocol 5.8)."""

import pytest

from tests.support.calls.clients import DAY, query, query_1
from tests.support.server import RunningServer

FAULTS: dict[str, tuple[str, str, int, int]] = {
    "a syntax error": ("QueryParseException", "a = 1;\nRETURN = (a;", 2, 12),
    "an undefined variable": ("QueryInterpretException", "a = 1;\nRETURN = b;", 2, 10),
    "an undefined function": ("QueryInterpretException", "RETURN = sortbyduration([]);", 1, 10),
    "an unknown bucket": ("QueryFunctionException", 'RETURN = query_bucket("nowhere");', 1, 10),
    "a bad pattern": ("QueryFunctionException", 'RETURN = filter_keyvals_regex([], "a", "(");', 1, 10),
}
each_fault = pytest.mark.parametrize(("kind", "program", "line", "column"), FAULTS.values(), ids=FAULTS.keys())


@each_fault
def test_an_error_has_its_type_and_its_place(
    shared_server: RunningServer, kind: str, program: str, line: int, column: int
) -> None:
    answer = query(shared_server, program)

    assert (answer.status, answer.json["type"]) == (400, kind)
    assert (answer.json["line"], answer.json["column"]) == (line, column)
    assert answer.json["request_id"] == answer.headers["x-request-id"]
    shown, caret = answer.json["excerpt"].splitlines()
    assert program.splitlines()[line - 1] in shown
    assert caret.strip() == "^"


@each_fault
def test_both_interfaces_show_the_same(
    shared_server: RunningServer, kind: str, program: str, line: int, column: int
) -> None:
    answers = [
        query(shared_server, program),
        query_1(shared_server, program),
        query_1(shared_server, program, "/explain"),
    ]
    bodies = [answer.json for answer in answers]
    for body in bodies:
        del body["request_id"]

    assert [answer.status for answer in answers] == [400, 400, 400]
    assert bodies[0] == bodies[1] == bodies[2]


def test_a_syntax_error_names_what_was_expected(shared_server: RunningServer) -> None:
    body = query(shared_server, "RETURN = 1").json
    assert body == [1.0]

    body = query(shared_server, "RETURN = [1 2];").json

    assert "`,`" in body["expected"] or "," in body["expected"]
    assert body["message"]


def test_a_program_without_a_result_is_a_parse_error(shared_server: RunningServer) -> None:
    answer = query(shared_server, "a = 1;")

    assert (answer.status, answer.json["type"]) == (400, "QueryParseException")
    assert "RETURN" in answer.message


def test_a_failure_in_one_period_fails_the_whole_query(shared_server: RunningServer) -> None:
    program = 'if STARTTIME == "2026-01-01T00:00:00+00:00" { RETURN = 1; } else { RETURN = 1 / 0; }'
    other = "2026-02-01T00:00:00Z/2026-02-02T00:00:00Z"

    assert query(shared_server, program, periods=[DAY]).status == 200
    assert query(shared_server, program, periods=[DAY, other]).status == 400


def test_a_program_nested_some_thousand_levels_deep_is_reported(shared_server: RunningServer) -> None:
    answer = query(shared_server, f"RETURN = {'[' * 5000}{']' * 5000};")

    assert (answer.status, answer.json["type"]) == (400, "QueryParseException")
    assert query(shared_server, "RETURN = 1;").status == 200


def test_a_program_that_is_too_long_is_reported(shared_server: RunningServer) -> None:
    answer = query(shared_server, *["a = 1;"] * 500_000, "RETURN = a;")

    assert (answer.status, answer.json["type"]) == (400, "QueryParseException")


@pytest.mark.parametrize("text", ["é\u202e<script>", "x" * 100_000, '"\\\x00', "\U0001f600"])
def test_odd_text_in_a_program_is_harmless(shared_server: RunningServer, text: str) -> None:
    answer = query(shared_server, text)

    assert answer.status == 400
    assert len(answer.body) < 2000
