"""What functions are given: as many arguments as they take, of the kinds they take."""

import pytest

from dayline.query.columns.table import Table, no_events
from dayline.query.errors import QueryFunctionError, QueryInterpretError
from dayline.query.language.checking import checked
from dayline.query.language.signatures import SIGNATURES
from dayline.query.language.values import MAX_ITEMS, Value, single_events
from tests.query.language.running import pointed_at, table_of, task_refusal

EVENTS = table_of([(1_000_000, 2_000_000, {"a": 1}, 5), (3_000_000, 0, {"a": 2}, 6)])


REFUSED: list[tuple[str, list[Value], str]] = [
    ("query_bucket", [1.0], "`bucket` must be a string, not a number"),
    ("query_bucket", [None], "`bucket` must be a string, not nothing"),
    ("limit_events", [EVENTS, "5"], "`count` must be a number, not a string"),
    ("limit_events", [EVENTS, True], "`count` must be a number, not a boolean"),
    ("filter_keyvals", [EVENTS, "a", "b"], "`values` must be a list of values, not a string"),
    ("filter_keyvals", [EVENTS, "a", EVENTS], "`values` must be a list of values, not a list of events"),
    (
        "filter_keyvals",
        [EVENTS, "a", [[EVENTS]]],
        "`values` must be a list of values, not a list with events in it",
    ),
    ("merge_events_by_keys", [EVENTS, "a"], "`keys` must be a list of strings, not a string"),
    ("merge_events_by_keys", [EVENTS, EVENTS], "`keys` must be a list of strings, not a list of events"),
    (
        "merge_events_by_keys",
        [EVENTS, ["a", 1.0]],
        "`keys` must be a list of strings, not a list whose item 2 is a number",
    ),
    ("period_union", [EVENTS, {}], "`others` must be a list of events, not a dict"),
    ("flood", [[1.0]], "`events` must be a list of events, not a list whose item 1 is a number"),
    ("concat", [[], "a"], "`lists` must be a list, not a string"),
    ("contains", ["abc", "a"], "`container` must be a list or a dict, not a string"),
]


def given(name: str, *values: Value) -> list[Value]:
    return checked(SIGNATURES[name], values)


def refused(name: str, *values: Value) -> str:
    with pytest.raises(QueryFunctionError) as caught:
        given(name, *values)
    return caught.value.message


def nothing(*_: object) -> None:
    return None


@pytest.mark.parametrize(
    ("call", "message", "hint"),
    [
        ("nop(1)", "nop: takes 0 arguments, not 1", "write nop()"),
        ("flood()", "flood: takes 1 or 2 arguments, not 0", "write flood(events [, pulsetime])"),
        ("flood([], 1, 2)", "flood: takes 1 or 2 arguments, not 3", "write flood(events [, pulsetime])"),
        ("sum_durations()", "sum_durations: takes 1 argument, not 0", "write sum_durations(events)"),
        ("contains([])", "contains: takes 2 arguments, not 1", "write contains(container, value)"),
    ],
)
def test_the_number_of_arguments_is_checked(call: str, message: str, hint: str) -> None:
    functions = dict.fromkeys(["nop", "flood", "sum_durations"], nothing)

    error = task_refusal(f"x = 1;\ny = {call};", QueryInterpretError, functions=functions)

    assert (error.message, error.hint) == (message, hint)
    assert pointed_at(error) == (2, 5)


def test_any_number_of_arguments_is_taken_where_it_may_be() -> None:
    assert given("concat") == []
    assert given("concat", [], [1.0], EVENTS) == [[], [1.0], EVENTS]
    assert given("print", 1.0, "a", None) == [1.0, "a", None]


def test_the_wrong_kind_is_reported_with_function_and_parameter() -> None:
    error = task_refusal('y = flood("x");', QueryFunctionError, functions={"flood": nothing})

    assert error.message == "flood: `events` must be a list of events, not a string"
    assert pointed_at(error) == (1, 5)


@pytest.mark.parametrize(("name", "values", "message"), REFUSED)
def test_each_kind_is_checked(name: str, values: list[Value], message: str) -> None:
    assert refused(name, *values) == message


def test_an_empty_list_is_a_list_of_events_where_one_is_needed() -> None:
    [events] = given("flood", [])

    assert isinstance(events, Table)
    assert len(events) == 0


def test_a_list_without_events_is_an_empty_list_where_values_are_needed() -> None:
    assert given("filter_keyvals", EVENTS, "a", no_events()) == [EVENTS, "a", []]
    assert given("merge_events_by_keys", EVENTS, no_events()) == [EVENTS, []]
    assert given("categorize", EVENTS, [[no_events(), {"a": no_events()}]]) == [EVENTS, [[[], {"a": []}]]]


def test_a_list_of_single_events_becomes_a_list_of_events_again() -> None:
    [events] = given("flood", single_events(EVENTS))

    assert isinstance(events, Table)
    assert events.id.tolist() == EVENTS.id.tolist()
    assert events.data.texts(events.value) == EVENTS.data.texts(EVENTS.value)


def test_events_among_other_values_are_no_list_of_events() -> None:
    message = refused("flood", [*single_events(EVENTS), "x"])

    assert message == "`events` must be a list of events, not a list whose item 3 is a string"


def test_values_that_hold_each_other_too_often_are_rejected() -> None:
    value: Value = ["x"]
    for _ in range(25):
        value = [value, value]

    assert refused("filter_keyvals", EVENTS, "a", value).endswith(f"not one of more than {MAX_ITEMS:,} items in all")
