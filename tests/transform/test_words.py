"""Words of texts in any script, folded, and where they stand."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dayline.transform.text import clause_of, placed_words, ranges_of
from dayline.transform.words import MAX_WORD_CHARACTERS, fold, words

TEXTS = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=30)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Rust Book — ch10", "the rust book ch10"),
        ("CAFÉ Cafe\u0301 café", "cafe cafe cafe"),
        ("Straße STRASSE", "strasse strasse"),
        ("İstanbul \u0131s\u0131 ISI", "istanbul isi isi"),
        ("Łódź Ørsted œuvre", "lodz orsted oeuvre"),
        ("ёлка Йод", "елка иод"),
        ("\ufb01nd \u2460 \uff46\uff55", "find 1 fu"),
        ("my_function-name.py", "my function name py"),
        ("https://example.org/a?b=c", "https example org a b c"),
        ("東京都", "東京 京都 都"),
        ("Python入門", "python 入門 門"),
        ("ガ か\u3099 ｶﾞ", "ガ が ガ"),
        ("한국어", "한국 국어 어"),
        ("हिन्दी", "हिनदी"),
        ("👍🏽 done", "👍 done"),
        ("שָׁלוֹם", "שלום"),
        ("soft\u00adhyphen", "softhyphen"),
        ("— !? …", ""),
    ],
)
def test_texts_become_words(text: str, expected: str) -> None:
    assert words(text) == expected.split()


def test_a_very_long_word_is_cut() -> None:
    assert words("a" * 1000) == ["a" * MAX_WORD_CHARACTERS]


@given(TEXTS)
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(TEXTS)
def test_words_are_found_where_they_stand(text: str) -> None:
    placed = placed_words(text)
    assert placed.words == words(text)
    for word, origins in zip(placed.words, placed.origins, strict=True):
        assert len(word) == len(origins)
        assert word in fold(text[origins[0][0] : origins[-1][1]])


@pytest.mark.parametrize(
    ("typed", "text", "marked"),
    [
        ("life", "Rust lifetimes", ["life"]),
        ("strass", "Lange Straße", ["Straß"]),
        ("cafe", "le Cafe\u0301!", ["Cafe\u0301"]),
        ("京都", "東京都庁", ["京都"]),
        ("example.org", "https://example.org/x", ["example.org"]),
        ("an", "Ana and Bo", ["An", "an"]),
        ("img", "<img src=x onerror=alert(1)>", ["img"]),
    ],
)
def test_what_was_found_can_be_shown(typed: str, text: str, marked: list[str]) -> None:
    clause = clause_of(typed, is_prefix=True)
    assert clause is not None
    assert [text[low:high] for low, high in ranges_of([clause], placed_words(text))] == marked


def test_the_tables_of_characters_are_computed_at_the_first_search() -> None:
    # It takes longer than the rest of a start, and every server and query process imports the module.
    program = "import sys, dayline.transform.words as words; sys.exit(words._characters.cache_info().misses)"

    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
