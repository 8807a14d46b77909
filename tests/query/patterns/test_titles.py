"""Titles of windows, simplified."""

import pytest

from dayline.query.functions.titles import simplified


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("(3) foo", "foo"),
        ("(12)foo", "foo"),
        ("(٣) foo", "foo"),
        ("(a) foo", "(a) foo"),
        (" (3) foo", " (3) foo"),
        ("foo (3)", "foo (3)"),
        ("* (3) foo", "(3) foo"),
        ("(12)  ● x", "x"),
        ("● x", "x"),
        ("*x", "x"),
        ("●● x", "● x"),
        ("Game FPS: 59.9 - 60", "Game FPS: ... - 60"),
        ("FPS:  1 FPS:\t2", "FPS: ... FPS: ..."),
        ("FPS:59", "FPS:59"),
        ("", ""),
    ],
)
def test_the_title_of_an_app_loses_counter_frame_rate_and_mark(title: str, expected: str) -> None:
    assert simplified(title, has_app=True, is_title=True) == expected


@pytest.mark.parametrize(("has_app", "is_title"), [(False, True), (True, False), (False, False)])
def test_any_other_text_loses_its_counter_only(has_app: bool, is_title: bool) -> None:
    assert simplified("(3) ● FPS: 60", has_app=has_app, is_title=is_title) == "● FPS: 60"
