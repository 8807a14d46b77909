"""`POST /api/0/query/`: what it takes, and the order and form of what it answers (protocol 3.13)."""

from typing import Any

import pytest

from tests.api.http.headers.test_extensions import EXTENSIONS
from tests.api.remote_bucket import RemoteBucket, event
from tests.support.calls.clients import DAY, at, query, results
from tests.support.calls.raw_connection import RawConnection, request
from tests.support.server import RunningServer

NOP = "RETURN = nop();"


def hour(number: int, date: str = "2026-01-01") -> str:
    """A period of an hour."""
    return f"{at(f'{number:02}:00:00', date=date)}/{at(f'{number:02}:59:59', date=date)}"


def test_the_events_of_a_bucket_come_as_the_program_says(bucket: RemoteBucket) -> None:
    bucket.insert(event(at("10:00:00"), 5.0, {"app": "Editor"}), event(at("11:00:00"), 60.0, {"app": "Browser"}))

    [found] = results(
        bucket.server,
        f'events = query_bucket("{bucket.id}");',
        "RETURN = sort_by_duration(events);",
    )

    assert [(one["timestamp"], one["duration"], one["data"]) for one in found] == [
        (at("11:00:00"), 60.0, {"app": "Browser"}),
        (at("10:00:00"), 5.0, {"app": "Editor"}),
    ]
    assert [one["id"] for one in found] == bucket.ids()


def test_each_period_has_its_result_in_the_order_asked_for(bucket: RemoteBucket) -> None:
    bucket.insert(*(event(at(f"{hour:02}:30:00"), 60.0 * hour) for hour in (9, 10, 11)))

    durations = results(
        bucket.server, f'RETURN = sum_durations(query_bucket("{bucket.id}"));', periods=[hour(11), hour(9), hour(10)]
    )

    assert durations == [660.0, 540.0, 600.0]


def test_the_same_period_twice_has_two_results(shared_server: RunningServer) -> None:
    assert results(shared_server, NOP, periods=[DAY, DAY]) == [1.0, 1.0]


def test_nothing_is_kept_from_one_period_to_the_next(shared_server: RunningServer) -> None:
    answer = query(
        shared_server,
        f'if STARTTIME == "{at("09:00:00")}+00:00" {{ a = 1; }}',
        "RETURN = a;",
        periods=[hour(9), hour(10)],
    )

    assert answer.status == 400


def test_without_periods_the_answer_is_empty_and_the_program_is_not_read(shared_server: RunningServer) -> None:
    assert results(shared_server, "this is no program (", periods=[]) == []


def test_an_end_before_the_start_is_no_error_and_has_no_events(bucket: RemoteBucket) -> None:
    bucket.insert(event(at("10:00:00"), 5.0))

    assert results(
        bucket.server, f'RETURN = query_bucket("{bucket.id}");', periods=[f"{at('12:00:00')}/{at('09:00:00')}"]
    ) == [[]]


def test_a_period_in_the_future_has_no_events(bucket: RemoteBucket) -> None:
    bucket.insert(event(at("10:00:00"), 5.0))

    assert results(bucket.server, f'RETURN = query_bucket("{bucket.id}");', periods=[hour(9, "2200-01-01")]) == [[]]


@pytest.mark.parametrize(
    "period",
    [
        "2026-01-01T00:00:00Z/2026-01-02T00:00:00Z",
        "2026-01-01T04:00:00+04:00/2026-01-02T04:00:00+04:00",
        "2026-01-01T00:00:00/2026-01-02T00:00:00",
        "2026-01-01/2026-01-02",
        "2026-01-01T00:00:00.000000+00:00/2026-01-02T00:00:00.000000+00:00",
    ],
)
def test_periods_are_read_leniently(bucket: RemoteBucket, period: str) -> None:
    bucket.insert(event(at("10:00:00"), 5.0))

    assert results(bucket.server, f'RETURN = query_bucket_eventcount("{bucket.id}");', periods=[period]) == [1.0]


@pytest.mark.parametrize(
    "period",
    [
        "",
        "x",
        "/",
        "2026-01-01T00:00:00Z",
        "2026-01-01T00:00:00Z/",
        "2026-01-01T00:00:00Z/never",
        "2026-01-01T00:00:00Z/2026-01-02T00:00:00Z/2026-01-03T00:00:00Z",
        "1969-01-01T00:00:00Z/2026-01-02T00:00:00Z",
        "2026-01-01T00:00:00Z/2300-01-02T00:00:00Z",
    ],
)
def test_a_period_that_cannot_be_read_is_refused_and_named(shared_server: RunningServer, period: str) -> None:
    answer = query(shared_server, NOP, periods=[DAY, period])

    assert (answer.status, answer.json["type"]) == (422, "Invalid")
    assert answer.json["field"] == "timeperiods[1]"


def test_a_thousand_periods_are_answered_and_no_more_are_taken(shared_server: RunningServer) -> None:
    assert results(shared_server, NOP, periods=[DAY] * 1000) == [1.0] * 1000

    answer = query(shared_server, NOP, periods=[DAY] * 1001)

    assert answer.status == 422
    assert answer.json["field"] == "timeperiods"
    assert "1,000" in answer.message


def test_lines_are_joined_with_a_newline(shared_server: RunningServer) -> None:
    assert results(shared_server, "a = 1; # a comment ends with its line", "RETURN = a", "+ 1;") == [2.0]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"timeperiods": [DAY]}, "query"),
        ({"query": [NOP]}, "timeperiods"),
        ({"timeperiods": [DAY], "query": NOP}, "query"),
        ({"timeperiods": DAY, "query": [NOP]}, "timeperiods"),
        ({"timeperiods": [DAY], "query": [1]}, "query[0]"),
        ({"timeperiods": [None], "query": [NOP]}, "timeperiods[0]"),
        ({"timeperiods": None, "query": [NOP]}, "timeperiods"),
        ([], None),
        ("x", None),
    ],
)
def test_a_body_of_another_shape_is_refused(shared_server: RunningServer, body: Any, field: str | None) -> None:
    answer = shared_server.post("/api/0/query/", body)

    assert (answer.status, answer.json["type"]) == (422, "Invalid")
    assert answer.json.get("field") == field


def test_a_body_that_is_no_json_is_malformed(shared_server: RunningServer) -> None:
    answer = shared_server.call("POST", "/api/0/query/", raw=b'{"query": [')

    assert (answer.status, answer.json["type"]) == (400, "Malformed")


def test_a_body_must_be_declared_as_json(shared_server: RunningServer) -> None:
    body = {"timeperiods": [DAY], "query": [NOP]}

    answer = shared_server.post("/api/0/query/", body, **{"Content-Type": "text/plain"})

    assert answer.status == 415


def test_other_keys_are_ignored(shared_server: RunningServer) -> None:
    body = {"timeperiods": [DAY], "query": [NOP], "name": 7, "cache": True}

    assert shared_server.post("/api/0/query/", body).json == [1.0]


def test_the_name_in_the_url_is_known_to_the_program(shared_server: RunningServer) -> None:
    assert results(shared_server, "RETURN = NAME;", name="work & play", cache="1") == ["work & play"]
    assert results(shared_server, "RETURN = NAME;") == [""]


@pytest.mark.parametrize("slash", ["", "/", "//"])
def test_a_trailing_slash_makes_no_difference(shared_server: RunningServer, slash: str) -> None:
    assert query(shared_server, NOP, slash=slash).json == [1.0]


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("GET", "/api/0/query/", "OPTIONS, POST"),
        ("PUT", "/api/0/query", "OPTIONS, POST"),
        ("DELETE", "/api/1/query", "OPTIONS, POST"),
        ("GET", "/api/1/query/check", "OPTIONS, POST"),
        ("GET", "/api/1/query/explain", "OPTIONS, POST"),
        ("POST", "/api/1/query/functions", "GET, HEAD, OPTIONS"),
    ],
)
def test_other_methods_get_a_list_of_allowed_ones(
    shared_server: RunningServer, method: str, path: str, allowed: str
) -> None:
    answer = shared_server.call(method, path)

    assert (answer.status, answer.headers["allow"]) == (405, allowed)


def test_head_of_a_query_is_refused_without_a_body(shared_server: RunningServer) -> None:
    with RawConnection(shared_server) as connection:
        connection.send(request("HEAD", "/api/0/query/") + request("GET", "/api/0/info"))

        assert connection.answer(to_head=True).status == 405
        assert connection.answer().json["testing"] is False


@pytest.mark.parametrize("origin", EXTENSIONS)
@pytest.mark.parametrize(
    "path", ["/api/0/query/", "/api/1/query", "/api/1/query/check", "/api/1/query/explain", "/api/1/query/functions"]
)
def test_browser_extensions_may_not_query(shared_server: RunningServer, origin: str, path: str) -> None:
    body = {"timeperiods": [DAY], "query": [NOP]}
    method = "GET" if path.endswith("functions") else "POST"

    answer = shared_server.call(method, path, body, headers={"Origin": origin})

    assert answer.status == 403


def test_answers_are_json_and_have_their_length(shared_server: RunningServer) -> None:
    answer = query(shared_server, NOP)

    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["content-length"] == str(len(answer.body))
    assert answer.headers["x-request-id"]


def test_what_was_just_recorded_is_seen(bucket: RemoteBucket) -> None:
    for number in range(1, 6):
        bucket.heartbeat(at(f"10:0{number}:00"), {"n": number})

        assert results(bucket.server, f'RETURN = query_bucket_eventcount("{bucket.id}");') == [float(number)]
