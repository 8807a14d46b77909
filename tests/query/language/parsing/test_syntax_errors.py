"""What is no program: where, what was expected there, and how to fix it."""

import pytest

from dayline.query.errors import QueryParseError
from dayline.query.language.ast import SourceText
from dayline.query.language.parser import MAX_BYTES, MAX_LEVELS, MAX_LITERAL_ITEMS, parse


def refused(text: str) -> QueryParseError:
    with pytest.raises(QueryParseError) as caught:
        parse(SourceText(text))
    return caught.value


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("RETURN = f(1;", 13, "expected `)` or `,`, found `;`"),
        ("RETURN = [1 2];", 13, "expected `]` or `,`, found `2`"),
        ('RETURN = {"a" 1};', 15, "expected `:`, found `1`"),
        ('RETURN = {"a": 1 "b": 2};', 18, "expected `}` or `,`, found a string"),
        ("RETURN = {a: 1};", 11, "expected a string as key, found `a`"),
        ("RETURN = (1 2);", 13, "expected `)`, found `2`"),
        ("RETURN = (1, 2);", 12, "expected `)`, found `,`"),
        ("RETURN = ();", 11, "expected a value, found `)`"),
        ("RETURN = ;", 10, "expected a value, found `;`"),
        ("RETURN =", 9, "expected a value, found the end"),
        ("RETURN = 1 +;", 13, "expected a value, found `;`"),
        ("RETURN = 1 2;", 12, "expected `;`, found `2`"),
        ("RETURN = 5abc;", 11, "expected `;`, found `abc`"),
        ("RETURN = x[0];", 11, "expected `;`, found `[`"),
        ("RETURN = f(,);", 12, "expected a value, found `,`"),
        ("return;", 7, "expected a value, found `;`"),
        ("if { }", 7, "expected `{`, found the end"),
        ("if a b", 6, "expected `{`, found `b`"),
        ("if a { b c }", 10, "expected `;` or `}`, found `c`"),
        ("if a { } else b", 15, "expected `{`, found `b`"),
        ("x = 1; }", 8, "this `}` closes nothing"),
        ("]", 1, "this `]` closes nothing"),
        ("if a { ) }", 8, "this `)` closes nothing"),
        ("else { }", 1, "`else` has no `if` before it"),
        ("elif a { }", 1, "`elif` has no `if` before it"),
        ("if a { }; else { }", 11, "`else` has no `if` before it"),
        ("= 1", 1, "expected a value, found `=`"),
        ("x = " + "9" * 400, 5, "this number is too large"),
    ],
)
def test_the_message_shows_what_was_expected_and_found(text: str, column: int, message: str) -> None:
    error = refused(text)

    assert error.message == message
    assert error.place is not None
    assert (error.place.line, error.place.column) == (1, column)


def test_expected_are_the_words_that_could_stand_there() -> None:
    assert refused("RETURN = f(1;").expected == ("`)`", "`,`")
    assert refused("RETURN = ;").expected == ("a value",)
    assert refused("if a { b c }").expected == ("`;`", "`}`")
    assert refused("else { }").expected == ("a statement",)


def test_the_place_is_shown_in_its_own_line() -> None:
    error = refused('a = "two\nlines";\n\tb = (1;\nc = 3;')

    assert error.place is not None
    assert (error.place.line, error.place.column) == (3, 8)
    assert error.place.excerpt == "\tb = (1;\n\t      ^"


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("RETURN = [1,];", "leave out the comma before `]`"),
        ("RETURN = f(1,);", "leave out the comma before `)`"),
        ('RETURN = {"a": 1,};', "leave out the comma before `}`"),
        ("RETURN = -1;", "numbers have no sign; write 0 - 1 for -1"),
        ("RETURN = [\n1", "the `[` on line 1 is not closed"),
        ("a = 1;\nif a {\nb = 2;", "the `{` on line 2 is not closed"),
        ("a = b = 1;", "only a variable can be assigned to, in a statement of its own; `==` compares"),
        ('"a" = 1;', "only a variable can be assigned to, in a statement of its own; `==` compares"),
        ("f(a = 1);", "only a variable can be assigned to, in a statement of its own; `==` compares"),
        ("true = 1;", "`true` is a keyword, and cannot be assigned to"),
        ("if = 1;", "`if` is a keyword, and cannot be assigned to"),
        ("x = if;", "`if` is a keyword, and can only start a statement or continue an `if`"),
        ("f(return 1)", "`return` is a keyword, and can only start a statement or continue an `if`"),
        ("return return 1", "`return` is a keyword, and can only start a statement or continue an `if`"),
        ("x = 1 2", None),
    ],
)
def test_a_hint_suggests_a_similar_name(text: str, hint: str | None) -> None:
    assert refused(text).hint == hint


@pytest.mark.parametrize("opening", ["[", "(", "f(", '{"a": ', "if a {", "1 + ("])
@pytest.mark.parametrize("depth", [MAX_LEVELS + 1, 100_000])
def test_deeper_nesting_is_rejected(opening: str, depth: int) -> None:
    # Within the bound on size: of the longest forms there are fewer.
    error = refused((opening * depth)[: MAX_BYTES - 1])

    assert error.message == f"nested deeper than {MAX_LEVELS} levels"
    assert error.place is not None


def test_a_longer_list_is_rejected() -> None:
    assert refused("[" + "1," * MAX_LITERAL_ITEMS + "1]").message == "more than 100,000 items between two brackets"


def test_a_larger_program_is_rejected_by_its_bytes() -> None:
    assert parse(SourceText("#" * MAX_BYTES)).statements == ()
    assert refused("#" * (MAX_BYTES + 1)).message == "the program has 1,048,577 bytes; the maximum is 1,048,576"
    assert refused("#" + "é" * (MAX_BYTES // 2)).message == "the program has 1,048,577 bytes; the maximum is 1,048,576"
