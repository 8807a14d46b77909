"""Patterns on the values of a field."""

import gc
import re
import weakref

import numpy as np
import pytest

from dayline.query.patterns.matching import Expression, Matcher, Pattern, expression
from dayline.query.patterns.python import PatternError
from dayline.storage.columns.source import Codes, Items


def codes(*numbers: int) -> Codes:
    return np.array(numbers, dtype=np.int32)


def test_a_pattern_is_found_in_strings_only() -> None:
    items = Items.of_values(["1", 1, None, True, ["1"], {"a": "1"}, "x1y"])

    assert Pattern("1").found_in(items, codes(0, 1, 2, 3, 4, 5, 6)).tolist() == [True, *[False] * 5, True]


def test_the_answer_is_in_the_order_of_what_was_asked() -> None:
    items = Items.of_values(["a", "b", "ab"])

    assert Pattern("a").found_in(items, codes(1, 2, 0, 1)).tolist() == [False, True, True, False]


def test_an_empty_pattern_is_found_in_every_string() -> None:
    assert Pattern("").found_in(Items.of_values(["", "x", "ж", 5]), codes(0, 1, 2, 3)).tolist() == [True] * 3 + [False]


def test_letter_case_matters_unless_it_is_ignored() -> None:
    items = Items.of_values(["ПОЧТА", "почта"])

    assert Pattern("почта").found_in(items, codes(0, 1)).tolist() == [False, True]
    assert Pattern("почта", ignore_case=True).found_in(items, codes(0, 1)).tolist() == [True, True]
    assert Pattern("(?i)почта").found_in(items, codes(0, 1)).tolist() == [True, True]


def test_a_pattern_with_lookaround_does_not_use_re2() -> None:
    assert Pattern("a|b").uses_re2
    assert not Pattern("(?=a)b").uses_re2


def test_no_string_is_searched_twice() -> None:
    searched: list[str] = []

    class Noting(Expression, frozen=True, eq=False):
        def search(self, text: str) -> re.Match[str] | None:
            searched.append(text)
            return super().search(text)

    matcher = Matcher([Noting(text="(?=.)", compiled=re.compile("(?=.)"), translation=None)])
    items = Items.of_values(["a", "b", "c"])

    matcher.answers(items, codes(0, 1))
    matcher.answers(items, codes(1, 2))
    matcher.answers(Items.of_values(["c", "d"]), codes(0, 1))

    assert searched == ["a", "b", "c", "d"]


def test_what_was_found_is_forgotten_with_the_items() -> None:
    items = Items.of_values(["a"])
    matcher = Matcher([expression("a")])
    matcher.answers(items, codes(0))
    alive = weakref.ref(items)

    del items
    gc.collect()

    assert alive() is None


def test_more_strings_than_are_remembered_are_searched_too() -> None:
    items = Items.of_values([f"title {number}" for number in range(60_000)])
    matcher = Matcher([expression("7$")])
    needed = np.arange(60_000, dtype=np.int32)

    in_portions = np.concatenate([matcher.answers(items, part)[part] for part in np.split(needed, 8)])

    assert in_portions.tolist() == [int(number % 10 == 7) for number in range(60_000)]


def test_long_strings_are_searched_and_not_remembered() -> None:
    matcher = Matcher([expression("b")])
    long = "a" * (9 << 20)

    for _ in range(2):
        assert matcher.answers(Items.of_values([long, long + "b"]), codes(0, 1)).tolist() == [0, 1]


def test_expressions_too_large_for_re2_together_are_found_all_the_same() -> None:
    expressions = [expression(f"^{number}.{{200}}") for number in range(400)]
    assert all(each.translation for each in expressions)
    matcher = Matcher(expressions)

    answers = matcher.answers(Items.of_values(["7" * 300, "399" + "é" * 300, "x"]), codes(0, 1, 2))

    assert [matcher.combinations[answer] for answer in answers.tolist()] == [(7, 77), (3, 39, 399), ()]


@pytest.mark.parametrize(
    ("pattern", "reason", "position"),
    [
        ("(a", "missing ), unterminated subpattern", 0),
        ("ab[c", "unterminated character set", 2),
        ("a**", "multiple repeat", 2),
        ("*a", "nothing to repeat", 0),
        (r"\y", r"bad escape \y", 0),
        ("a(?i)", "global flags not at the start of the expression", 1),
        ("a{3,2}", "min repeat greater than max repeat", 2),
        (r"(?<=a+)b", "look-behind requires fixed-width pattern", None),
        ("a{99999999999}", "the repetition number is too large", None),
        ("a{" + "9" * 5000 + "}", "the repetition number is too large", None),
        ("(" * 5000 + ")" * 5000, "its groups are nested too deeply", None),
    ],
)
def test_a_bad_pattern_is_rejected_with_its_place(pattern: str, reason: str, position: int | None) -> None:
    with pytest.raises(PatternError) as refused:
        Pattern(pattern)

    assert (refused.value.reason, refused.value.position) == (reason, position)
    assert reason in refused.value.message
    assert position is None or f"position {position}" in refused.value.message


@pytest.mark.parametrize("pattern", ["[[a]", "[a&&b]", "[a||b]", "[a~~b]", "[--a]"])
def test_a_pattern_that_python_warns_of_is_taken_without_a_warning(pattern: str) -> None:
    assert Pattern(pattern).found_in(Items.of_values(["a", "x"]), codes(0, 1)).tolist() == [True, False]
