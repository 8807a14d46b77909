"""Where in a text its words stand, so that what was found can be shown: in characters of the text as it is."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from dayline.transform.text_query import Clause, places_in
from dayline.transform.words import LONGEST_TEXT, dropped_characters, fold, places_of_words

Range = tuple[int, int]  # the first character, and the one after the last


def _going_on() -> str:
    """Characters that may become one with what stands before them: marks, later letters of a Hangul syllable."""
    dropped = dropped_characters()
    found = [chr(code) for code in dropped]
    for code in range(0x80, 0x1FFFF):
        character = chr(code)
        first = unicodedata.normalize("NFKD", character)[0]
        if code not in dropped and (unicodedata.category(first)[0] == "M" or "\u1160" <= first <= "\u11ff"):
            found.append(character)
    return "".join(found)


_CLUSTER: Final = re.compile(f".[{_going_on()}]*", re.DOTALL)


class PlacedWords(Struct, frozen=True):
    """The words of a text, and for each character of theirs the piece of the text that it comes from."""

    words: list[str]
    origins: list[list[Range]]


def placed_words(text: str) -> PlacedWords:
    """The same words that `words` gives."""
    text = text[:LONGEST_TEXT]
    whole, origins = _folded(text)
    places = list(places_of_words(whole))
    return PlacedWords([whole[low:high] for low, high in places], [origins[low:high] for low, high in places])


def _folded(text: str) -> tuple[str, list[Range]]:
    """The text folded, and for each character of that the piece of the text that it comes from."""
    if text.isascii():
        return fold(text), [(place, place + 1) for place in range(len(text))]
    folded: list[str] = []
    origins: list[Range] = []
    for cluster in _CLUSTER.finditer(text):
        piece = fold(cluster[0])
        folded.append(piece)
        origins += [cluster.span()] * len(piece)
    return "".join(folded), origins


def ranges_of(clauses: Sequence[Clause], placed: PlacedWords) -> list[Range]:
    """What is to be shown as found, in order, those that touch as one."""
    found: list[Range] = []
    for clause in clauses:
        size, last = len(clause.words), len(clause.words[-1])
        for place in places_in(clause, placed.words):
            end = placed.origins[place + size - 1][last - 1][1]
            found.append((placed.origins[place][0][0], end))
    joined: list[Range] = []
    for low, high in sorted(found):
        if joined and low <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(high, joined[-1][1]))
        else:
            joined.append((low, high))
    return joined
