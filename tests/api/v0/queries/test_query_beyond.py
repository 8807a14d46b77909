"""`/api/1/query`: limits and statistics, checks, explanations, and the list of functions."""

from typing import Any

import pytest

from dayline.query.language.signatures import SIGNATURES
from tests.api.remote_bucket import RemoteBucket, event
from tests.support.calls.clients import DAY, at, query_1, results
from tests.support.server import RunningServer


def check(server: RunningServer, program: object) -> Any:
    answer = server.post("/api/1/query/check", {"query": program})
    assert answer.status == 200, answer.body
    return answer.json


def test_results_are_those_of_the_older_call_with_what_they_took(bucket: RemoteBucket) -> None:
    bucket.insert(event(at("10:00:00"), 5.0), event(at("11:00:00"), 6.0))
    program = f'RETURN = query_bucket("{bucket.id}");'

    answer = query_1(bucket.server, program)

    assert answer.status == 200
    assert set(answer.json) == {"results", "statistics", "printed"}
    assert answer.json["results"] == results(bucket.server, program)
    assert answer.json["statistics"]["events_read"] == 2
    assert answer.json["statistics"]["result_bytes"] > 100
    assert answer.json["statistics"]["seconds"] > 0
    assert answer.json["printed"] == []


def test_a_program_may_be_one_text_or_lines(shared_server: RunningServer) -> None:
    assert query_1(shared_server, "a = 1;\nRETURN = a;").json["results"] == [1.0]
    assert query_1(shared_server, ["a = 1; # one", "RETURN = a;"]).json["results"] == [1.0]


def test_printed_text_is_in_the_results_and_in_the_log(shared_server: RunningServer) -> None:
    answer = query_1(shared_server, 'print("number", 7); RETURN = 1;')

    assert answer.json["printed"] == ["number 7.0"]
    messages = [record["message"] for record in shared_server.get("/api/0/log").json]
    assert "Query print: number 7.0" in messages


def test_the_name_is_known_to_the_program(shared_server: RunningServer) -> None:
    assert query_1(shared_server, "RETURN = NAME;", name="work").json["results"] == ["work"]


def test_without_periods_nothing_is_run(shared_server: RunningServer) -> None:
    answer = query_1(shared_server, "(", timeperiods=[])

    assert answer.json["results"] == []
    assert answer.json["statistics"]["seconds"] == 0.0
    assert query_1(shared_server, "(", "/explain", timeperiods=[]).json["statements"] == []


def test_results_may_be_limited(shared_server: RunningServer) -> None:
    program = f'RETURN = "{"x" * 1000}";'

    assert query_1(shared_server, program, max_result_bytes=2000).status == 200
    answer = query_1(shared_server, program, max_result_bytes=900)

    assert answer.status == 400
    assert "900 bytes" in answer.message


@pytest.mark.parametrize(
    ("limits", "field"),
    [
        ({"timeout_s": 601}, "timeout_s"),
        ({"timeout_s": 0}, "timeout_s"),
        ({"timeout_s": -1}, "timeout_s"),
        ({"timeout_s": "1"}, "timeout_s"),
        ({"max_result_bytes": (256 << 20) + 1}, "max_result_bytes"),
        ({"max_result_bytes": 0}, "max_result_bytes"),
        ({"name": 1}, "name"),
        ({"timeperiods": ["x"]}, "timeperiods[0]"),
        ({"timeperiods": [DAY] * 1001}, "timeperiods"),
        ({"query": None}, "query"),
    ],
)
@pytest.mark.parametrize("kind", ["", "/explain"])
def test_limits_beyond_the_server_s_own_and_wrong_fields_are_refused(
    shared_server: RunningServer, kind: str, limits: dict[str, Any], field: str
) -> None:
    answer = shared_server.post(f"/api/1/query{kind}", {"query": "RETURN = 1;", "timeperiods": [DAY], **limits})

    assert (answer.status, answer.json["field"]) == (422, field)


def test_the_maximum_of_the_server_is_accepted(shared_server: RunningServer) -> None:
    assert query_1(shared_server, "RETURN = 1;", timeout_s=600, max_result_bytes=256 << 20).status == 200


@pytest.mark.parametrize("program", ["RETURN = 1;", ["a = 1;", "RETURN = a;"], 'RETURN = query_bucket("nowhere");'])
def test_a_program_that_can_be_run_is_valid(shared_server: RunningServer, program: object) -> None:
    assert check(shared_server, program) == {"is_valid": True, "errors": []}


def test_a_program_that_cannot_be_run_is_an_answer_not_an_error(shared_server: RunningServer) -> None:
    checked = check(shared_server, "a = 1;\nRETURN = (a;")

    assert checked["is_valid"] is False
    [error] = checked["errors"]
    assert error["type"] == "QueryParseException"
    assert (error["line"], error["column"]) == (2, 12)
    assert error["expected"]
    assert error["excerpt"].splitlines()[0].endswith("RETURN = (a;")


@pytest.mark.parametrize(
    ("program", "kind"),
    [
        ("", "QueryParseException"),
        ("a = 1;", "QueryParseException"),
        ("RETURN = nothing_of_this_name();", "QueryInterpretException"),
        ("RETURN = nop(1);", "QueryInterpretException"),
        ("[" * 100_000, "QueryParseException"),
        ("a = 1;" * 1_000_000, "QueryParseException"),
    ],
)
def test_a_check_shows_what_running_would(shared_server: RunningServer, program: str, kind: str) -> None:
    checked = check(shared_server, program)

    assert not checked["is_valid"]
    assert [error["type"] for error in checked["errors"]] == [kind]


def test_a_check_runs_nothing(shared_server: RunningServer) -> None:
    assert check(shared_server, 'print("from a check"); RETURN = 1 / 0;')["is_valid"]

    messages = [record["message"] for record in shared_server.get("/api/0/log").json]
    assert not any("from a check" in message for message in messages)


def test_an_explanation_shows_what_each_statement_did(bucket: RemoteBucket) -> None:
    bucket.insert(event(at("10:00:00"), 5.0, {"app": "a"}), event(at("11:00:00"), 6.0, {"app": "b"}))
    lines = [f'events = query_bucket("{bucket.id}");', 'RETURN = filter_keyvals(events, "app", ["a"]);']

    answer = query_1(bucket.server, lines, "/explain", timeperiods=[DAY, DAY])

    assert answer.status == 200
    assert set(answer.json) == {"statements", "statistics"}
    statements = answer.json["statements"]
    assert [(statement["period"], statement["line"]) for statement in statements] == [(0, 1), (0, 2), (1, 1), (1, 2)]
    assert [statement["events_out"] for statement in statements] == [2, 1, 2, 1]
    assert "query_bucket" in statements[0]["text"]
    assert statements[0]["reads"][0]["bucket"] == bucket.id
    assert all(0 <= statement["seconds"] < 10 for statement in statements)
    assert answer.json["statistics"]["result_bytes"] == 0


def test_an_explanation_names_the_patterns_that_are_slow(bucket: RemoteBucket) -> None:
    bucket.insert(event(at("10:00:00"), 5.0, {"app": "a"}))

    answer = query_1(
        bucket.server,
        f'RETURN = filter_keyvals_regex(query_bucket("{bucket.id}"), "app", "(?=a)a");',
        "/explain",
    )

    assert answer.json["statements"][0]["fallbacks"] == ["(?=a)a"]


def test_every_function_is_listed_with_what_an_editor_needs(shared_server: RunningServer) -> None:
    listed = shared_server.get("/api/1/query/functions").json

    assert [function["name"] for function in listed] == list(SIGNATURES)
    for function in listed:
        assert {"name", "summary", "parameters", "returns", "example"} <= function.keys()
        assert all({"name", "kind", "description"} <= parameter.keys() for parameter in function["parameters"])


def test_every_example_of_a_function_can_be_read(shared_server: RunningServer) -> None:
    # Variables of the examples stand for something: only the text is looked at.
    for function in shared_server.get("/api/1/query/functions").json:
        for error in check(shared_server, f"{function['example']}\nRETURN = 1;")["errors"]:
            assert error["type"] == "QueryInterpretException", (function["example"], error)
            assert "no variable named" in error["message"]
