"""Words of a text: what characters and forms are the same to a search."""

import re
import unicodedata
from collections.abc import Collection, Iterator
from functools import cache
from typing import Final

from msgspec import Struct

# The words of a text, folded, for both the index and the scan.
#
#     An „Öl-Fass“ in 東京都      →   an  ol  fass  in  東京  京都  都
#
# Folding removes case, diacritics, and compatibility variants of characters. A word is a run of letters and digits.
# Scripts without spaces between words (Chinese, Japanese, Korean, Thai and others) yield a pair of characters at every
# position of a run, and the last character: so any part of a run is found as a sequence of words.
MAX_WORD_CHARACTERS: Final = 64  # longer words are cut, in queries too
MAX_TEXT_CHARACTERS: Final = 100_000  # of one string; the rest is not searched

LAST_MARK: Final = 0x1FFFF  # after it there are ideographs, and the selectors listed below
_VOICING: Final = "\u3099\u309a"  # kana that differ in these are different letters
# Letters with a stroke, and ligatures, that Unicode does not decompose.
_PLAIN: Final = {"\u0131": "i", "ł": "l", "ø": "o", "đ": "d", "ħ": "h", "ŧ": "t", "æ": "ae", "œ": "oe"}
# Runs of these are split into pairs: kana, ideographs, Hangul; Thai and Lao, Burmese, Khmer.
_RUN: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3041-\u30ff\u3130-\u318f"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
)

_ASCII_WORD: Final = re.compile("[0-9a-z]+")


class _Characters(Struct, frozen=True):
    """Tables for characters beyond ASCII."""

    dropped: dict[int, None]
    translation: dict[int, str | None]
    piece: re.Pattern[str]


@cache  # computed for the first text that is not ASCII: it takes about 50 ms
def _characters() -> _Characters:
    dropped: dict[int, None] = dict.fromkeys([*range(0xFE00, 0xFE10), *range(0xE0001, 0xE01F0)])
    inner: list[str] = []  # parts of a word: vowels of Indic scripts
    symbols: list[str] = []  # words of their own, such as emoji
    for code in range(0x80, LAST_MARK):
        character = chr(code)
        category = unicodedata.category(character)
        if category == "Cf" or 0x1F3FB <= code <= 0x1F3FF:  # invisible characters, and skin tones
            dropped[code] = None
        elif category[0] == "M" and code not in dropped:
            if unicodedata.combining(character) and character not in _VOICING:
                dropped[code] = None
            else:
                inner.append(character)
        elif category == "So":
            symbols.append(character)
    marks = "".join(inner)
    return _Characters(
        dropped,
        {**dropped, **{ord(letter): plain for letter, plain in _PLAIN.items()}},
        re.compile(
            rf"(?P<run>(?:(?=[\w{marks}])[{_RUN}{_VOICING}])+)|(?P<symbol>[{''.join(symbols)}])"
            rf"|(?:(?![{_RUN}])[^\W_]|[{marks}])+"
        ),
    )


@cache  # at first use: the recording process imports this module but does not search
def _of_a_run() -> re.Pattern[str]:
    return re.compile(f"[{_RUN}]")


def dropped_characters() -> Collection[int]:
    """Characters that folding removes."""
    return _characters().dropped


def fold(text: str) -> str:
    """The text for comparison. Folding is idempotent."""
    if text.isascii():
        return text.lower()
    apart = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return unicodedata.normalize("NFC", apart.translate(_characters().translation))


def words(text: str) -> list[str]:
    """The folded words of a text, in order."""
    folded = fold(text[:MAX_TEXT_CHARACTERS])
    if folded.isascii():
        ascii_words = _ASCII_WORD.findall(folded)
        return (
            ascii_words if len(folded) <= MAX_WORD_CHARACTERS else [word[:MAX_WORD_CHARACTERS] for word in ascii_words]
        )
    return [folded[start:end] for start, end in places_of_words(folded)]


def is_of_a_run(word: str) -> bool:
    """Whether a word is a part of a run without spaces, and so not a whole word."""
    return _of_a_run().match(word) is not None


def places_of_words(folded: str) -> Iterator[tuple[int, int]]:
    """The start and end of each word in a folded text."""
    if folded.isascii():
        for word in _ASCII_WORD.finditer(folded):
            yield word.start(), min(word.end(), word.start() + MAX_WORD_CHARACTERS)
        return
    for piece in _characters().piece.finditer(folded):
        start, end = piece.span()
        if piece.lastgroup == "run":
            yield from ((index, min(index + 2, end)) for index in range(start, end))
        else:
            yield start, min(end, start + MAX_WORD_CHARACTERS)
