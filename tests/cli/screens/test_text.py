"""Text for a terminal: how wide it is, where it is cut, and what never reaches it."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import wcwidth

from dayline.cli.screens.amounts import DurationStyle, difference, duration, percent
from dayline.cli.screens.charts import Palette, bar, sparkline
from dayline.cli.screens.layout import wrapped_table
from dayline.cli.screens.screen import Screen
from dayline.cli.screens.text import NARROW, Span, clean, cut, cut_line, padded, width_of, width_of_line

TEXT = st.text(st.characters(codec="utf-8"), max_size=30)


@given(TEXT, st.integers(0, 40))
def test_what_is_cut_is_never_too_wide_and_what_fits_is_not_cut(text: str, width: int) -> None:
    shown = clean(text)

    assert width_of(cut(shown, width)) <= width
    assert width_of(shown) > width or cut(shown, width) == shown


@given(st.lists(TEXT, max_size=5), st.integers(0, 40))
def test_the_same_holds_for_a_line(texts: list[str], width: int) -> None:
    spans = tuple(Span(clean(text), "bold") for text in texts)

    assert width_of_line(cut_line(spans, width)) <= width
    if width_of_line(spans) <= width:
        assert "".join(span.text for span in cut_line(spans, width)) == "".join(span.text for span in spans)
        assert width_of_line(padded(spans, width)) == width


@given(TEXT)
def test_nothing_that_a_terminal_obeys_is_left(text: str) -> None:
    assert clean(text).isprintable() or all(
        ord(character) > 0x9F for character in clean(text) if not character.isprintable()
    )
    assert "\x1b" not in clean(text + "\x1b[2J\r\n\x9b")
    assert len(clean(text)) == len(text)


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("日本語", 6),
        ("e\u0301", 1),
        ("❤️", 2),
        ("👍🏽", 2),
        ("👨‍👩‍👧", 2),
        ("🇩🇪", 2),
        ("한글", 4),
        ("हिन्दी", 4),
        ("Ünïcödé — Код", 13),
    ],
)
def test_a_text_is_as_wide_as_a_terminal_draws_it(text: str, width: int) -> None:
    assert width_of(text) == width


def test_an_emoji_of_several_characters_is_not_cut_in_its_middle() -> None:
    assert cut("a👨‍👩‍👧👨‍👩‍👧", 4) == "a👨‍👩‍👧…"


def test_what_is_measured_without_tables_takes_one_column_each() -> None:
    narrow = [chr(code) for code in range(sys.maxunicode) if NARROW.fullmatch(chr(code))]

    assert [character for character in narrow if wcwidth(character) != 1] == []


@pytest.mark.parametrize(
    ("seconds", "style", "shown"),
    [
        (0, "hours", "0s"), (59.4, "hours", "59s"), (59.6, "hours", "1m"), (3599, "hours", "1h 00m"),
        (11_400, "hours", "3h 10m"), (360_000, "hours", "100h 00m"), (4_000_000, "hours", "1,111h 07m"),
        (11_400, "clock", "3:10"), (11_400, "decimal", "3.17h"), (-90, "hours", "-2m"),
    ],
)  # fmt: skip
def test_a_duration_is_written_as_people_do(seconds: float, style: DurationStyle, shown: str) -> None:
    assert duration(seconds, style) == shown


def test_a_difference_has_a_sign_and_an_arrow() -> None:
    assert [difference(seconds)[0].text for seconds in (1440, -7500, 29)] == ["▲ +24m", "▼ -2h 05m", "="]
    assert [percent(share) for share in (0, 0.001, 0.514, 1)] == ["0 %", "<1 %", "51 %", "100 %"]


def test_bars_and_lines_are_drawn_in_eighths_and_what_is_little_is_seen() -> None:
    assert [bar(share, 2) for share in (0, 0.001, 0.5, 0.53, 1, 7)] == ["", "▏", "█", "█", "██", "██"]
    assert sparkline([0, 0.01, 4, 8]) == " ▁▄█"
    assert sparkline([0, 0]) == "  "


@given(st.lists(st.lists(TEXT, min_size=3, max_size=3), max_size=4), st.integers(40, 80))
def test_a_table_that_folds_loses_no_letter(rows: list[list[str]], width: int) -> None:
    screen = Screen(width=width)
    text = screen.text(wrapped_table(screen, ("one", "two", "three"), rows))

    letters = sorted(letter for row in rows for cell in row for letter in clean(cell) if not letter.isspace())
    assert sorted("".join(text.split()).removeprefix("onetwothree")) == letters


def test_a_category_that_the_server_does_not_list_has_the_color_of_the_one_above_it() -> None:
    palette = Palette({("Work",): "#0000ff", ("Work", "Docs"): "#123456"})

    assert palette.color(("Work", "Code", "Python")) == "#0000ff"
    assert palette.color(("Work", "Docs")) == "#123456"
    assert palette.color(("Uncategorized",)) == palette.color(())


@pytest.mark.parametrize("width", [60, 70, 80])
def test_cells_of_a_table_wrap_between_words(width: int) -> None:
    # `dayline trash` broke "dayline-annotations" and times in the middle, because the widest column was cut first.
    row = ("2", "2026-11-19 06:20", "events added", "dayline-annotations", "12,345", "2026-12-19")
    lines = wrapped_table(Screen(width=width), ("number", "time", "change", "bucket", "events", "expires"), [row])

    words = [word for each in lines for word in "".join(span.text for span in each).split()]
    assert max(width_of("".join(span.text for span in each).rstrip()) for each in lines) <= width
    assert {"2026-11-19", "06:20", "2026-12-19", "12,345", "events", "added"} <= set(words)
    assert {"dayline-annotations"} <= set(words) or {"dayline-", "annotations"} <= set(words)
