"""How a program runs: one scope, conditions, and `return`."""

import pytest

from dayline.query.errors import QueryInterpretError, QueryParseError
from dayline.query.language.values import Value
from tests.query.language.running import pointed_at, result_of, task_refusal


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("RETURN = 1;", 1.0),
        ("RETURN = 1; RETURN = 2;", 2.0),
        ("a = 1; b = a; a = 2; RETURN = [a, b];", [2.0, 1.0]),
        ("return 1;", 1.0),
        ("return 1; RETURN = 2;", 2.0),
        ("return 1; a = 2; return a;", 2.0),
        ("RETURN = 5; return a = 1;", None),
        ("return a = 1; RETURN = a;", 1.0),
        ("1; RETURN = 2;", 2.0),
        ("flood = 3; RETURN = flood;", 3.0),
        ("print = 3; print(1); RETURN = print;", 3.0),
        ('RETURN = {"b": 1, "a": [2, {"c": true}], "b": 3};', {"b": 3.0, "a": [2.0, {"c": True}]}),
        ("RETURN = [];", []),
        ("RETURN = {};", {}),
    ],
)
def test_the_result_is_the_last_value_of_return(text: str, value: Value) -> None:
    found = result_of(text)

    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("if true { x = 1; } RETURN = x;", 1.0),
        ("x = 0; if false { x = 1; } RETURN = x;", 0.0),
        ("if false { x = 1; } else { x = 2; } RETURN = x;", 2.0),
        ("if false { x = 1; } elif true { x = 2; } elif true { x = 3; } else { x = 4; } RETURN = x;", 2.0),
        ("if false { x = 1; } elif false { x = 2; } else { x = 3; } RETURN = x;", 3.0),
        ("if 1 == 1 { if 2 == 1 { x = 1; } else { x = 2; } } RETURN = x;", 2.0),
        ("x = true; if x { return 1; } return 2;", 2.0),
        ("if true { } RETURN = 1;", 1.0),
        ("if false { nonsense(undefined); } RETURN = 1;", 1.0),
        ("if true { RETURN = 1; } elif nonsense { }", 1.0),
    ],
)
def test_the_first_branch_whose_condition_is_true_runs(text: str, value: Value) -> None:
    assert result_of(text) == value


@pytest.mark.parametrize(
    ("condition", "kind"),
    [("1", "a number"), ('"true"', "a string"), ("[]", "a list"), ("{}", "a dict"), ("print()", "nothing")],
)
def test_a_condition_must_be_a_boolean(condition: str, kind: str) -> None:
    for text, place in (
        (f"if {condition} {{ }}", (1, 4)),
        (f"if false {{ }}\nelif {condition} {{ }}", (2, 6)),
    ):
        error = task_refusal(text, QueryInterpretError)

        assert error.message == f"a condition must be a boolean, not {kind}"
        assert pointed_at(error) == place


@pytest.mark.parametrize("text", ["", "a = 1;", "if false { RETURN = 1; }", "return_ = 1;", "Return = 1;"])
def test_a_program_without_a_result_is_rejected(text: str) -> None:
    error = task_refusal(text, QueryParseError)

    assert error.message == "the program never assigns RETURN"


@pytest.mark.parametrize(
    ("text", "place", "message", "hint"),
    [
        ("RETURN = events;", (1, 10), "no variable named `events`", None),
        ("evnts = [];\nRETURN = events;", (2, 10), "no variable named `events`", "did you mean `evnts`?"),
        ("RETURN = STARTIME;", (1, 10), "no variable named `STARTIME`", "did you mean `STARTTIME`?"),
        ("RETURN = [1, null];", (1, 14), "no variable named `null`", "the language has no null value"),
        ("RETURN = a == None;", (1, 10), "no variable named `a`", None),
        ("RETURN = concat;", (1, 10), "`concat` is a function, not a variable", "call it: concat(…)"),
        ("RETURN = conact([]);", (1, 10), "no function named `conact`", "did you mean `concat`?"),
        ("RETURN = zzz(x);", (1, 10), "no function named `zzz`", None),
        ("x = 1; RETURN = x(1);", (1, 17), "`x` is a variable, not a function", None),
        ("RETURN = concat([1], [x]);", (1, 23), "no variable named `x`", None),
    ],
)
def test_a_name_that_is_not_defined_is_pointed_at(
    text: str, place: tuple[int, int], message: str, hint: str | None
) -> None:
    error = task_refusal(text, QueryInterpretError)

    assert (error.message, error.hint) == (message, hint)
    assert pointed_at(error) == place


def test_a_long_unknown_name_costs_no_long_search() -> None:
    error = task_refusal(f"RETURN = {'a' * 500_000};", QueryInterpretError)

    assert error.message == f"no variable named `{'a' * 40}…`"
    assert error.hint is None


def test_variables_may_be_assigned_in_any_number() -> None:
    text = "".join(f"v{number} = {number};" for number in range(20_000))

    assert result_of(text + "RETURN = v19999;") == 19_999.0


def test_a_literal_of_the_deepest_nesting_has_a_value() -> None:
    value = result_of("RETURN = " + "[" * 100 + "]" * 100)
    for _ in range(99):
        assert isinstance(value, list)
        [value] = value

    assert value == []


@pytest.mark.parametrize("wrap", ["[a]", '{"x": a}', "[1, {'y': a}]"])
def test_values_nest_to_a_limit_however_they_are_made(wrap: str) -> None:
    error = task_refusal("a = [];\n" + f"a = {wrap};" * 2_000 + "\nRETURN = a;", QueryInterpretError)

    assert error.message == "lists and dicts are nested deeper than 200 levels"
    assert pointed_at(error)[0] == 2


def test_values_as_deep_as_the_limit_are_compared() -> None:
    deep = "a = [];" + "a = [a];" * 199 + "b = [];" + "b = [b];" * 199

    assert result_of(deep + "RETURN = a == b;") is True
    assert result_of(deep + "RETURN = [a] == [b];") is True
    task_refusal(deep + "RETURN = [a];", QueryInterpretError)
