"""What a variable holds is released after the last statement that names it, and not before."""

import pytest

from dayline.query.language.ast import SourceText
from dayline.query.language.parser import parse
from tests.query.language.running import result_of


@pytest.mark.parametrize(
    ("text", "last_named"),
    [
        ("a = 1; b = a; RETURN = b;", [(), ("a",), ("b", "RETURN")]),
        ("a = 1; a = a + 1; RETURN = 2;", [(), ("a",), ("RETURN",)]),
        ("a = 1; if true { b = a; RETURN = b; }; c = 1;", [(), ("b", "RETURN", "a"), ("c",)]),
        ("a = 1; if a == 1 { RETURN = 1; } else { RETURN = 2; }", [(), ("a", "RETURN")]),
        ("RETURN = [nop(), {'x': y}]; y = 2;", [("RETURN",), ("y",)]),
    ],
)
def test_the_last_statement_that_names_a_variable_is_known(text: str, last_named: list[tuple[str, ...]]) -> None:
    found = parse(SourceText(text)).last_named

    assert [set(names) for names in found] == [set(names) for names in last_named]


def test_a_variable_is_there_as_long_as_a_later_block_may_name_it() -> None:
    assert result_of("a = 1; b = 2; if b == 2 { if false { } else { RETURN = a + b; } }") == 3.0


def test_the_result_and_what_was_there_from_the_start_are_kept() -> None:
    assert result_of("RETURN = 1; x = STARTTIME; y = 2; RETURN = RETURN + y;") == 3.0
