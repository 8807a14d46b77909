"""Screens look as in golden/, and keep to what holds for all of them."""

import re

import pytest

from dayline.cli.screens.screen import Screen
from dayline.cli.screens.text import width_of
from tests.cli.screens.golden_screens import DRAWN, GOLDEN, SCREENS, texts

TEXTS = texts()
ANSI = re.compile(r"\x1b\[[0-9;]*m")


def test_a_screen_is_as_in_its_golden_file(subtests: pytest.Subtests) -> None:
    for name in TEXTS:
        with subtests.test(name=name):
            expected = (GOLDEN / name).read_text(encoding="utf-8")

            assert TEXTS[name] == expected, "look at it, then: python -m tests.cli.screens.golden_screens"


def test_there_is_no_golden_file_without_a_screen() -> None:
    assert sorted(path.name for path in GOLDEN.iterdir()) == sorted(TEXTS)


def test_no_line_is_wider_than_the_terminal(subtests: pytest.Subtests) -> None:
    for name in DRAWN:
        for width in [60, 72, 80, 100, 120, 140, 200]:
            with subtests.test(name=name, width=width):
                screen = Screen(width=width)

                assert [line for line in screen.text(DRAWN[name](screen)).splitlines() if width_of(line) > width] == []


def test_nothing_is_cut_but_text(subtests: pytest.Subtests) -> None:
    for name in DRAWN:
        for width in [60, 80, 140]:
            with subtests.test(name=name, width=width):
                screen = Screen(width=width)

                assert [line for line in screen.text(DRAWN[name](screen)).splitlines() if line.endswith(" …")] == []


def test_colors_change_nothing_but_colors(subtests: pytest.Subtests) -> None:
    for name in DRAWN:
        with subtests.test(name=name):
            plain, colored = SCREENS["80"], SCREENS["80-color"]

            assert ANSI.sub("", colored.text(DRAWN[name](colored))) == plain.text(DRAWN[name](plain))


def test_in_a_pipe_nothing_is_cut_and_nothing_is_colored(subtests: pytest.Subtests) -> None:
    for name in DRAWN:
        with subtests.test(name=name):
            text = SCREENS["pipe"].text(DRAWN[name](SCREENS["pipe"]))

            assert "\x1b" not in text
            assert not any(line.endswith("…") or "… " in line.rstrip().lstrip("… ") for line in text.splitlines())
