"""The words of a text, folded: what is searched for, and what it is searched in. Index and scan both use this.

    An „Öl-Fass“ in 東京都      →   an  ol  fass  in  東京  京都  都

Case, marks above and below letters, and other ways to write the same character are folded away. A word is a run of
letters and digits. Scripts that put no spaces between words (Chinese, Japanese, Korean, Thai and their neighbours) give
a pair of characters at every place of a run, and the last character alone: so any piece of a run is found as a sequence
of words.
"""

import re
import unicodedata
from collections.abc import Collection, Iterator
from functools import cache
from typing import Final

from msgspec import Struct

LONGEST_WORD: Final = 64  # characters; what is longer is cut, in what is looked for as well
LONGEST_TEXT: Final = 100_000  # characters of one string that are looked at

_LAST_MARK: Final = 0x1FFFF  # behind it there are ideographs, and selectors that are named below
_VOICING: Final = "\u3099\u309a"  # two kana that differ in these are two letters
# Letters that are an ordinary one with a stroke, or two in one, and that Unicode does not take apart.
_PLAIN: Final = {"\u0131": "i", "ł": "l", "ø": "o", "đ": "d", "ħ": "h", "ŧ": "t", "æ": "ae", "œ": "oe"}
# Runs of these are cut into pairs: kana, ideographs, Hangul; Thai and Lao, Burmese, Khmer.
_RUN: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3041-\u30ff\u3130-\u318f"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
)


class _Characters(Struct, frozen=True):
    """What is done with characters beyond ASCII."""

    dropped: dict[int, None]
    translation: dict[int, str | None]
    piece: re.Pattern[str]


@cache  # made when the first text is not ASCII: it takes some 50 ms
def _characters() -> _Characters:
    dropped: dict[int, None] = dict.fromkeys([*range(0xFE00, 0xFE10), *range(0xE0001, 0xE01F0)])
    inner: list[str] = []  # parts of a word: the vowels of Indic scripts
    symbols: list[str] = []  # words by themselves: an emoji, say
    for code in range(0x80, _LAST_MARK):
        character = chr(code)
        category = unicodedata.category(character)
        if category == "Cf" or 0x1F3FB <= code <= 0x1F3FF:  # what is not seen, and shades of skin
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


@cache  # when it is first needed: the recording process loads this, and searches for nothing
def _of_a_run() -> re.Pattern[str]:
    return re.compile(f"[{_RUN}]")


_ASCII_WORD: Final = re.compile("[0-9a-z]+")


def dropped_characters() -> Collection[int]:
    """Characters that folding leaves out."""
    return _characters().dropped


def fold(text: str) -> str:
    """The text as it is compared. Folding twice changes nothing."""
    if text.isascii():
        return text.lower()
    apart = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return unicodedata.normalize("NFC", apart.translate(_characters().translation))


def words(text: str) -> list[str]:
    """The words of a text in their order, folded."""
    folded = fold(text[:LONGEST_TEXT])
    if folded.isascii():
        found = _ASCII_WORD.findall(folded)
        return found if len(folded) <= LONGEST_WORD else [word[:LONGEST_WORD] for word in found]
    return [folded[start:end] for start, end in places_of_words(folded)]


def is_of_a_run(word: str) -> bool:
    """Whether a word is a piece of a run of characters without spaces, and so not a whole word."""
    return _of_a_run().match(word) is not None


def places_of_words(folded: str) -> Iterator[tuple[int, int]]:
    """Where in a folded text its words begin and end."""
    if folded.isascii():
        for word in _ASCII_WORD.finditer(folded):
            yield word.start(), min(word.end(), word.start() + LONGEST_WORD)
        return
    for piece in _characters().piece.finditer(folded):
        start, end = piece.span()
        if piece.lastgroup == "run":
            yield from ((place, min(place + 2, end)) for place in range(start, end))
        else:
            yield start, min(end, start + LONGEST_WORD)
