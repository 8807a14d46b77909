"""A place in a text: line, column, and the line with a caret below."""

import pytest

from dayline.query.errors import SourcePosition
from dayline.query.language.ast import SourceText


@pytest.mark.parametrize(
    ("text", "offset", "line", "column"),
    [
        ("", 0, 1, 1),
        ("abc", 0, 1, 1),
        ("abc", 2, 1, 3),
        ("abc", 3, 1, 4),
        ("a\nbc", 2, 2, 1),
        ("a\nbc", 3, 2, 2),
        ("a\r\nbc", 3, 2, 1),
        ("a\rbc", 2, 2, 1),
        ("a\n\n\nb", 4, 4, 1),
        ("a\n", 2, 2, 1),
        ("é語😀x", 3, 1, 4),
    ],
)
def test_lines_and_columns_count_characters_from_one(text: str, offset: int, line: int, column: int) -> None:
    place = SourceText(text).place(offset)

    assert (place.line, place.column) == (line, column)
    assert SourceText(text).line(offset) == line


def test_the_excerpt_is_the_line_with_a_caret_below_the_place() -> None:
    place = SourceText("a = 1;\nb = oops;\nc = 2;").place(11)

    assert place == SourcePosition(line=2, column=5, excerpt="b = oops;\n    ^")


def test_tabs_before_the_place_stay_tabs_so_that_the_caret_lines_up() -> None:
    assert SourceText("\tif\tx").place(4).excerpt == "\tif\tx\n\t  \t^"


def test_wide_characters_are_two_columns_wide_and_combining_ones_none() -> None:
    assert SourceText("語e\u0301x").place(3).excerpt == "語e\u0301x\n   ^"


def test_a_long_line_is_cut_to_a_window_around_the_place() -> None:
    text = "a" * 200 + "X" + "b" * 200

    line, caret = SourceText(text).place(200).excerpt.splitlines()

    assert line == "…" + "a" * 60 + "X" + "b" * 39 + "…"
    assert caret.index("^") == line.index("X")


def test_a_line_is_not_cut_where_nothing_is_left_out() -> None:
    line = "a" * 60 + "X" + "b" * 39

    assert SourceText(line).place(60).excerpt.splitlines()[0] == line


def test_a_place_in_a_line_break_is_the_end_of_its_line() -> None:
    assert SourceText("ab\r\ncd").place(3) == SourcePosition(line=1, column=3, excerpt="ab\n  ^")
