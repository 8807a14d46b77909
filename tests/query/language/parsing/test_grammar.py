"""What is a program, and what it means."""

import pytest

from dayline.query.language.ast import (
    BinaryOperation,
    Branch,
    Call,
    Chain,
    Constant,
    If,
    ListLiteral,
    Simple,
    SourceText,
    Variable,
)
from dayline.query.language.parser import MAX_LEVELS, MAX_LITERAL_ITEMS, parse
from tests.query.language.parsing.trees import bare


def read(text: str) -> object:
    return bare(parse(SourceText(text)).statements)


def test_every_node_knows_where_it_is() -> None:
    text = 'x = f("a") + 1;\nif x { return y }'

    assignment, condition = parse(SourceText(text)).statements

    called = Call(4, "f", (Constant(6, "a"),))
    added = BinaryOperation(11, "+", Constant(13, 1.0))
    assert assignment == Simple(0, 14, "x", Chain(4, called, (added,)), is_return=False)
    returned = Simple(23, 31, None, Variable(30, "y"), is_return=True)
    assert condition == If(16, 20, (Branch(16, 20, Variable(19, "x"), (returned,)),), ())


@pytest.mark.parametrize("text", ["", " \n", ";;;", "# nothing\n", ";# nothing"])
def test_a_program_may_be_empty(text: str) -> None:
    assert parse(SourceText(text)).statements == ()


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ("RETURN = 1", "RETURN = 1;"),
        ("a = 1; b = 2", ";;a = 1;;; b = 2;;"),
        ("if a { b = 1 }", "if a { ;b = 1; };"),
        ("if a { } c", "if a { }; c;"),
        ("if a { b } elif c { d } else { e } f", "if a { b; } elif c { d; } else { e; }; f;"),
    ],
)
def test_the_last_semicolon_may_be_left_out(short: str, long: str) -> None:
    assert read(short) == read(long)


def test_operators_have_one_precedence_and_go_from_left_to_right() -> None:
    assert read("2+3*4") == read("2 + 3 * 4") != read("2+(3*4)")
    assert read("(2+3)*4") == read("((2+3))*(4)") != read("2+3*4")


def test_parentheses_around_a_single_value_mean_nothing() -> None:
    assert read("x = ((1))") == read("x = 1")


@pytest.mark.parametrize(
    "text",
    [
        "f()",
        "f(g(1), [2, h(3)], {'a': 4})",
        "return a = 1",
        "return f(1) == 2",
        "{'a': 1}",
        "{'a': 1} == {'a': 1}",
        "if {'a': 1} == b { {'c': 2} }",
        "if true { if false { } else { } }",
        "[]",
        "{}",
        "[[], {}, (1)]",
    ],
)
def test_every_form_can_be_written(text: str) -> None:
    assert len(parse(SourceText(text)).statements) == 1


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ("(", ")"), ("f(", ")"), ("{'a': ", "}"), ("1+(", ")")])
def test_nesting_goes_to_its_limit(opening: str, closing: str) -> None:
    assert len(parse(SourceText(opening * MAX_LEVELS + "1" + closing * MAX_LEVELS)).statements) == 1


def test_blocks_nest_to_the_same_limit() -> None:
    assert len(parse(SourceText("if a {" * MAX_LEVELS + "}" * MAX_LEVELS)).statements) == 1


def test_a_list_may_have_as_many_items_as_the_limit_says() -> None:
    [statement] = parse(SourceText("[" + "1," * (MAX_LITERAL_ITEMS - 1) + "1]")).statements

    assert isinstance(statement, Simple)
    assert isinstance(statement.value, ListLiteral)
    assert len(statement.value.items) == MAX_LITERAL_ITEMS


@pytest.mark.parametrize("link", ["+1", "*x", "==f(2)"])
def test_chains_of_any_length_are_read(link: str) -> None:
    [statement] = parse(SourceText("x = 1" + link * 20_000)).statements

    assert isinstance(statement, Simple)
    assert isinstance(statement.value, Chain)
    assert len(statement.value.operations) == 20_000


def test_any_number_of_elifs_is_read() -> None:
    [statement] = parse(SourceText("if a { }" + " elif b { }" * 5_000)).statements

    assert isinstance(statement, If)
    assert len(statement.branches) == 5_001
