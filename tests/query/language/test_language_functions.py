"""The functions that work on any value: concat, contains, print."""

import pytest

from dayline.query.columns.table import Table
from dayline.query.errors import QueryFunctionError
from dayline.query.functions.values import MAX_CHARACTERS, MAX_LINES
from dayline.query.language.environment import Context
from dayline.query.language.values import SingleEvent, Value
from tests.query.language.running import context_of, result_of, table_of, task_refusal, value_of

EVENTS = table_of([(1_000_000, 2_000_000, {"a": 1}, 5), (3_000_000, 0, {"a": 2}, 6)])


def some_events(context: Context, bucket: str) -> Value:
    return EVENTS


FUNCTIONS = {"query_bucket": some_events}


def printed(text: str) -> list[str]:
    lines: list[str] = []
    result_of(text + "RETURN = 1;", context=context_of(printed=lines), functions=FUNCTIONS)
    return lines


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("concat()", []),
        ("concat([1])", [1.0]),
        ("concat([1], [], [2, [3]])", [1.0, 2.0, [3.0]]),
        ("contains([1, 2], 2)", True),
        ("contains([1, 2], 3)", False),
        ("contains([1, 2], true)", False),
        ('contains([[1, "a"]], [1, "a"])', True),
        ('contains([{"a": 1}], {"a": 1})', True),
        ('contains(["1"], 1)', False),
        ("contains([], 1)", False),
        ("contains([[]], [])", True),
        ('contains({"a": 1}, "a")', True),
        ('contains({"a": 1}, "b")', False),
        ('contains(query_bucket("b"), 1)', False),
        ("print(1)", None),
    ],
)
def test_a_call_has_its_value(expression: str, value: Value) -> None:
    assert value_of(expression, functions=FUNCTIONS) == value


def test_lists_of_events_are_joined_as_events() -> None:
    joined = value_of('concat(query_bucket("b"), [], query_bucket("b"))', functions=FUNCTIONS)

    assert isinstance(joined, Table)
    assert joined.id.tolist() == [5, 6, 5, 6]


def test_events_and_values_are_joined_as_a_list_of_both() -> None:
    joined = value_of('concat(query_bucket("b"), ["x"])', functions=FUNCTIONS)

    assert isinstance(joined, list)
    assert [type(item) for item in joined] == [SingleEvent, SingleEvent, str]


def test_a_dict_is_searched_for_strings_only() -> None:
    error = task_refusal('RETURN = contains({"a": 1}, 1);', QueryFunctionError)

    assert error.message == "contains: the keys of a dict are strings: `value` must be one, not a number"


@pytest.mark.parametrize(
    ("call", "line"),
    [
        ("print()", ""),
        ('print("a", "b c")', "a b c"),
        ("print(1, true, print())", "1.0 true null"),
        ('print(["a", 1, []], {"k": {"l": "é"}})', '["a", 1.0, []] {"k": {"l": "é"}}'),
        ('print("found", query_bucket("b"))', "found <2 events>"),
        ('print(concat([1], query_bucket("b")))', "[1.0, <an event>, <an event>]"),
    ],
)
def test_arguments_are_printed_on_one_line(call: str, line: str) -> None:
    assert printed(f"{call};")[-1] == line


def test_long_lines_are_cut() -> None:
    [line] = printed(f'a = "{"x" * 600}"; print(a, a);')

    assert line == "x" * 600 + " " + "x" * 398 + "…"
    assert len(line) == MAX_CHARACTERS


def test_of_a_huge_value_only_what_is_shown_is_written() -> None:
    doubling = "a = [1];" + "a = [a, a];" * 150

    [line] = printed(f"{doubling} print(a);")

    assert len(line) == MAX_CHARACTERS


def test_only_the_first_lines_are_kept() -> None:
    lines = printed("".join(f"print({number});" for number in range(MAX_LINES + 5)))

    assert lines == [f"{number}.0" for number in range(MAX_LINES)]
