"""Where RE2 is asked instead of `re`, it gives the same answers."""

import re
import warnings

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from dayline.query.patterns.matching import Pattern, compiled_set, expression
from dayline.query.patterns.python import PatternError
from dayline.storage.columns.source import Items
from tests.query.patterns.generated import patterns, strings
from tests.support.profile import examples

CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def compiled(pattern: str, *, ignore_case: bool) -> re.Pattern[str] | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return re.compile(pattern, re.IGNORECASE if ignore_case else re.NOFLAG)
        except re.error:
            return None


def found_by_re2(translated: str, texts: list[str]) -> list[bool]:
    search = compiled_set([translated])
    assert search is not None
    return [bool(search(text.encode())) for text in texts]


@settings(max_examples=examples(500))
@given(patterns, st.booleans(), st.lists(strings, min_size=10, max_size=30, unique=True))
@example("a{,2}b", False, ["aaab", "a{,2}b", "b"])
@example("[[:alpha:]]", False, ["a", ":]", "l]"])
@example(r"\s", False, ["\x1c", "\x0b", "\x85", "\u2003", " "])
@example("a$", False, ["a\n", "a", "a\n\n"])
@example("i", True, ["\u0130", "\u0131", "I"])
@example("[^i]", True, ["\u0130", "\u0131", "I", "j"])
@example("\u017f", True, ["S", "s", "\u017f"])
@example("[A-Z]", True, ["\u212a", "\u0131", "\u017f", "\u0130"])
@example(r"[^\x00-\U0010ffff]|a", False, ["b", "a", "é"])
@example("ß", True, ["ẞ", "ß", "ss"])
@example("ǅ", True, ["Ǆ", "ǆ"])
@example(r"\bé", False, [" é", "aé", "é"])
def test_a_pattern_is_found_where_re_finds_it(pattern: str, ignore_case: bool, texts: list[str]) -> None:
    reference = compiled(pattern, ignore_case=ignore_case)
    assume(reference is not None)
    assert reference is not None
    encodable = [text for text in texts if not re.search("[\ud800-\udfff]", text)]
    items = Items.of_values(encodable)

    found = Pattern(pattern, ignore_case=ignore_case).found_in(items, np.arange(len(items), dtype=np.int32))

    assert dict(zip(encodable, found.tolist(), strict=True)) == {
        text: reference.search(text) is not None for text in encodable
    }


@settings(max_examples=examples(300))
@given(patterns, st.booleans(), st.lists(strings, min_size=10, max_size=30))
def test_a_translation_keeps_its_promise(pattern: str, ignore_case: bool, texts: list[str]) -> None:
    reference = compiled(pattern, ignore_case=ignore_case)
    assume(reference is not None)
    assert reference is not None
    translation = expression(pattern, ignore_case=ignore_case).translation
    assume(translation is not None)
    assert translation is not None
    ascii_texts = [text for text in texts if text.isascii() and not CONTROL.search(text)]
    others = [text for text in texts if not text.isascii() and not CONTROL.search(text)]

    in_ascii = found_by_re2(translation.ascii_text, ascii_texts)
    in_others = found_by_re2(translation.other_text, others)

    assert in_ascii == [reference.search(text) is not None for text in ascii_texts]
    expected = [reference.search(text) is not None for text in others]
    assert in_others == expected if translation.is_exact else all(map(bool.__ge__, in_others, expected))


@settings(max_examples=examples(300))
@given(patterns, st.booleans())
def test_what_re_rejects_is_rejected_and_nothing_else(pattern: str, ignore_case: bool) -> None:
    if compiled(pattern, ignore_case=ignore_case) is None:
        with pytest.raises(PatternError):
            expression(pattern, ignore_case=ignore_case)
    else:
        assert expression(pattern, ignore_case=ignore_case).text == pattern
