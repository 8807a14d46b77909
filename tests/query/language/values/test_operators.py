"""What `+ - * / % ==` do with values of each type, and what they refuse."""

import pytest

from dayline.query.columns.table import Table, no_events
from dayline.query.errors import QueryInterpretError
from dayline.query.language.operators import applied, concatenated, equal
from dayline.query.language.values import MAX_ITEMS, MAX_STRING_CHARACTERS, SingleEvent, Value, single_events
from tests.query.language.running import pointed_at, table_of, task_refusal, value_of

EVENTS = table_of([(1_000_000, 2_000_000, {"a": 1}, 5), (3_000_000, 0, {"a": 2}, 6)])
ONE_OF_EACH: list[tuple[str, Value]] = [
    ("a boolean", True),
    ("a number", 1.0),
    ("a string", "1"),
    ("a list", [1.0]),
    ("a dict", {"1": 1.0}),
    ("a list of events", EVENTS),
    ("nothing", None),
]


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("2 + 3 * 4", 20.0),
        ("2 + (3 * 4)", 14.0),
        ("1 - 2", -1.0),
        ("7 / 2", 3.5),
        ("7 % 3", 1.0),
        ("(0 - 7) % 3", -1.0),
        ("7 % (0 - 3)", 1.0),
        ("5.5 % 2", 1.5),
        ("1 + 1 == 2", True),
        ("0.1 + 0.2 == 0.3", False),
        ('"a" + "b"', "ab"),
        ('"a" + \'"\'', 'a"'),
        ("[1] + [2] + []", [1.0, 2.0]),
        ('[] + ["a", [true]]', ["a", [True]]),
        ("[] + []", []),
        ('"a" == "a"', True),
        ('"a" == "A"', False),
        ("true == True", True),
        ("true == false", False),
        ("[1, [2]] == [1, [2]]", True),
        ("[1, 2] == [2, 1]", False),
        ("[1] == [1, 1]", False),
        ("[1] == [true]", False),
        ("[1] == ['1']", False),
        ("[[]] == [{}]", False),
        ('{"a": 1, "b": [2]} == {"b": [2], "a": 1}', True),
        ('{"a": 1} == {"b": 1}', False),
        ('{"a": 1} == {"a": true}', False),
        ('{"a": 1, "a": 2} == {"a": 2}', True),
    ],
)
def test_an_expression_has_its_value(expression: str, value: Value) -> None:
    found = value_of(expression)

    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(("_", "value"), ONE_OF_EACH)
def test_a_value_equals_itself(_: str, value: Value) -> None:
    assert applied("==", value, value) is True


def test_values_of_different_types_cannot_be_compared() -> None:
    for name, left in ONE_OF_EACH:
        for other, right in ONE_OF_EACH:
            if name == other or {name, other} == {"a list", "a list of events"}:
                continue
            with pytest.raises(QueryInterpretError) as caught:
                applied("==", left, right)
            assert caught.value.message == f"`==` compares values of one type, not {name} with {other}"


def test_arithmetic_takes_two_numbers_only() -> None:
    for sign in ("-", "*", "/", "%"):
        for name, left in ONE_OF_EACH:
            for other, right in ONE_OF_EACH:
                if name == other == "a number":
                    continue
                with pytest.raises(QueryInterpretError) as caught:
                    applied(sign, left, right)
                assert caught.value.message == f"`{sign}` takes two numbers, not {name} and {other}"


def test_adding_takes_two_of_a_kind() -> None:
    fitting = {"a number", "a string", "a list", "a list of events"}
    for name, left in ONE_OF_EACH:
        for other, right in ONE_OF_EACH:
            if (name == other and name in fitting) or {name, other} == {"a list", "a list of events"}:
                continue
            with pytest.raises(QueryInterpretError) as caught:
                applied("+", left, right)
            assert caught.value.message.endswith(f"two numbers, two strings or two lists, not {name} and {other}")


@pytest.mark.parametrize(
    ("expression", "message", "column"),
    [
        ("1 / 0", "division by zero", 12),
        ("1 % 0", "the remainder of a division by zero", 12),
        ("0 / 0", "division by zero", 12),
        ("2 == 1 + 1", "`+` takes two numbers, two strings or two lists, not a boolean and a number", 17),
        ('1 + 2 - "3"', "`-` takes two numbers, not a number and a string", 16),
        ("9" * 200 + " * " + "9" * 200, "the result is too large for a number", 211),
    ],
)
def test_an_operator_that_cannot_be_applied_is_pointed_at(expression: str, message: str, column: int) -> None:
    error = task_refusal(f"RETURN = {expression};", QueryInterpretError)

    assert error.message == message
    assert pointed_at(error) == (1, column)


def test_lists_of_events_are_joined_in_order() -> None:
    joined = applied("+", EVENTS, EVENTS)

    assert isinstance(joined, Table)
    assert joined.id.tolist() == [5, 6, 5, 6]
    assert joined.start.tolist() == [1_000_000, 3_000_000, 1_000_000, 3_000_000]


def test_an_empty_list_and_events_make_a_list_of_events() -> None:
    assert applied("+", [], EVENTS) is EVENTS
    assert applied("+", EVENTS, []) is EVENTS
    assert isinstance(applied("+", no_events(), []), Table)


def test_events_and_other_values_make_a_list_of_single_events_and_values() -> None:
    mixed = applied("+", [1.0], EVENTS)

    assert isinstance(mixed, list)
    assert [type(item) for item in mixed] == [float, SingleEvent, SingleEvent]
    assert equal(mixed, [1.0, *single_events(EVENTS)])
    assert not equal(mixed, [*single_events(EVENTS), 1.0])


def test_a_list_without_events_equals_an_empty_list() -> None:
    assert applied("==", no_events(), []) is True
    assert applied("==", [[]], [no_events()]) is True
    assert applied("==", EVENTS, []) is False
    assert applied("==", EVENTS, [1.0, 2.0]) is False


def test_events_are_equal_by_time_and_data_not_by_id() -> None:
    others = table_of([(1_000_000, 2_000_000, {"a": 1.0}, 7), (3_000_000, 0, {"a": 2}, 8)])

    assert equal(EVENTS, others)
    assert equal([EVENTS], [others])
    assert equal(EVENTS, single_events(others))
    assert equal(single_events(others), EVENTS)
    assert not equal(EVENTS, table_of([(1_000_000, 2_000_000, {"a": 1}, 5), (3_000_000, 0, {"a": True}, 6)]))
    assert not equal(EVENTS, table_of([(1_000_000, 2_000_001, {"a": 1}, 5), (3_000_000, 0, {"a": 2}, 6)]))


def test_lists_that_share_parts_are_compared_once() -> None:
    one: Value = []
    other: Value = []
    for _ in range(150):
        one, other = [one, one], [other, other]

    assert equal(one, other)


def test_strings_are_bounded() -> None:
    half = "a" * (MAX_STRING_CHARACTERS // 2)

    assert applied("+", half, half) == half * 2
    with pytest.raises(QueryInterpretError, match=r"a string of 16,777,217 characters is too long"):
        applied("+", half + half, "a")


def test_lists_are_bounded() -> None:
    nothing: list[Value] = [None]
    half = nothing * (MAX_ITEMS // 2)

    assert len(concatenated([half, half])) == MAX_ITEMS
    with pytest.raises(QueryInterpretError, match=r"a list of 1,000,001 items is too long; it may have 1,000,000"):
        concatenated([half, half, nothing])


def test_lists_of_events_are_bounded() -> None:
    many = EVENTS.take([0] * 1_000_001)  # type: ignore[arg-type]  # positions, as a plain list
    with pytest.raises(QueryInterpretError, match=r"a list of 30,000,030 events is too long; it may have 30,000,000"):
        concatenated([many] * 30)
    with pytest.raises(QueryInterpretError, match=r"a list of 1,000,002 items is too long"):
        concatenated([many, [1.0]])
