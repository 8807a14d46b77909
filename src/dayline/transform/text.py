"""Text queries on data objects: what a search matches. The index must find exactly the same."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Final, Literal, TypeAlias, cast, get_args

import msgspec
from msgspec import Struct

from dayline.model.data import CanonicalJson
from dayline.transform.words import (
    LAST_MARK,
    MAX_TEXT_CHARACTERS,
    dropped_characters,
    fold,
    is_of_a_run,
    places_of_words,
    words,
)

TextField: TypeAlias = Literal["app", "title", "url", "domain", "rest"]
TEXT_FIELDS: Final[tuple[TextField, ...]] = get_args(TextField)
_REST: Final[TextField] = "rest"
_OWN_FIELDS: Final[dict[str, TextField]] = {"app": "app", "title": "title", "url": "url"}

_HOST: Final = re.compile(r"[a-z][a-z0-9+.-]*://(?:[^/?#]*@)?(\[[^\]/?#]*\]|[^/?#:]*)", re.IGNORECASE)
_object = msgspec.json.Decoder(dict[str, object])

# The strings of a data object by field, each as a list of words. The domain is a part of the URL, as its own field.
Document: TypeAlias = dict[TextField, list[list[str]]]

# Positions of matches in a text, for highlighting, in characters of the original text.
Range = tuple[int, int]  # start and end (exclusive)

# Similar words, for suggestions.
_SHORT: Final = 5  # letters: words up to this length may differ in one letter, longer ones in two


class Clause(Struct, frozen=True, kw_only=True):
    """Consecutive words in a string, in one field or in any.

    With `is_prefix`, the last word only has to match by prefix.
    """

    words: tuple[str, ...]
    is_prefix: bool = False
    field: TextField | None = None
    is_negated: bool = False  # must not match


class TextQuery(Struct, frozen=True):
    """Clauses that must all hold. Without clauses it matches everything."""

    clauses: tuple[Clause, ...] = ()

    @property
    def wanted(self) -> list[Clause]:
        return [clause for clause in self.clauses if not clause.is_negated]

    @property
    def unwanted(self) -> list[Clause]:
        return [clause for clause in self.clauses if clause.is_negated]


def clause_of(text: str, *, is_prefix: bool, field: TextField | None = None, is_negated: bool = False) -> Clause | None:
    """A clause from user input; None if it has no words."""
    typed = words(text)
    if not typed:
        return None
    if is_of_a_run(typed[-1]):
        is_prefix = True  # the end of a run is not the end of a word
        if len(typed) > 1 and len(typed[-2]) == 2 and is_of_a_run(typed[-2]):
            del typed[-1]  # the pair before it contains it
            is_prefix = False
    return Clause(words=tuple(typed), is_prefix=is_prefix, field=field, is_negated=is_negated)


def document_of(text: CanonicalJson) -> Document:
    """The words of a data object."""
    document: Document = {}
    for field, string in strings_of(text):
        document.setdefault(field, []).append(words(string))
        if field == "url":
            document.setdefault("domain", []).append(words(host_of(string)))
    return document


def strings_of(text: CanonicalJson) -> Iterator[tuple[TextField, str]]:
    """All strings of a data object, with the field they count as."""
    for name, value in _object.decode(text).items():
        field = _OWN_FIELDS.get(name, _REST) if isinstance(value, str) else _REST
        for string in _strings(value):
            yield field, string


def host_of(url: str) -> str:
    """The host in a URL as written; empty if there is none."""
    match = _HOST.match(url)
    return match[1] if match is not None else ""


def matches(query: TextQuery, document: Document) -> bool:
    """Whether a data object matches the query."""
    return all(_holds(clause, document) is not clause.is_negated for clause in query.clauses)


def matches_text(query: TextQuery, text: CanonicalJson) -> bool:
    """The same for an object's JSON, with a fast path for mismatches."""
    # Words are substrings of the text: if the folded text does not contain one, it cannot match.
    folded = fold(text.decode())
    if not all(word in folded for clause in query.clauses if not clause.is_negated for word in clause.words):
        return False
    return matches(query, document_of(text))


def is_in(clause: Clause, text_words: Sequence[str]) -> bool:
    """Whether a string with these words matches a clause, whatever its field."""
    return next(places_in(clause, text_words), None) is not None


def places_in(clause: Clause, text_words: Sequence[str]) -> Iterator[int]:
    """The positions in these words where the words of a clause begin."""
    *head, last = clause.words
    size = len(head)
    for index in range(len(text_words) - size):
        end = text_words[index + size]
        if (end.startswith(last) if clause.is_prefix else end == last) and list(
            text_words[index : index + size]
        ) == head:
            yield index


def _holds(clause: Clause, document: Document) -> bool:
    fields = TEXT_FIELDS if clause.field is None else (clause.field,)
    return any(is_in(clause, text_words) for field in fields for text_words in document.get(field, ()))


def _strings(value: object) -> Iterator[str]:
    # Not recursive: data may be nested deeply.
    rest: list[object] = [value]
    while rest:
        item = rest.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, list):
            rest.extend(reversed(cast(list[object], item)))
        elif isinstance(item, dict):
            rest.extend(reversed(cast(dict[str, object], item).values()))


@cache  # at first use, like `_characters`: only a search needs it
def _cluster() -> re.Pattern[str]:
    """A character with those that may combine with it: marks, and later letters of a Hangul syllable."""
    dropped = dropped_characters()
    characters = [chr(code) for code in dropped]
    for code in range(0x80, LAST_MARK):
        character = chr(code)
        first = unicodedata.normalize("NFKD", character)[0]
        if code not in dropped and (unicodedata.category(first)[0] == "M" or "\u1160" <= first <= "\u11ff"):
            characters.append(character)
    return re.compile(f".[{''.join(characters)}]*", re.DOTALL)


class PlacedWords(Struct, frozen=True):
    """The words of a text, and for each of their characters its range in the text."""

    words: list[str]
    origins: list[list[Range]]


def placed_words(text: str) -> PlacedWords:
    """The words of `words`, with their positions."""
    text = text[:MAX_TEXT_CHARACTERS]
    whole, origins = _fold_with_origins(text)
    positions = list(places_of_words(whole))
    return PlacedWords([whole[low:high] for low, high in positions], [origins[low:high] for low, high in positions])


def _fold_with_origins(text: str) -> tuple[str, list[Range]]:
    """The folded text, and for each of its characters the range in the original."""
    if text.isascii():
        return fold(text), [(index, index + 1) for index in range(len(text))]
    folded: list[str] = []
    origins: list[Range] = []
    for cluster in _cluster().finditer(text):
        piece = fold(cluster[0])
        folded.append(piece)
        origins += [cluster.span()] * len(piece)
    return "".join(folded), origins


def ranges_of(clauses: Sequence[Clause], placed: PlacedWords) -> list[Range]:
    """The ranges to highlight, in order; adjacent ones are joined."""
    matches: list[Range] = []
    for clause in clauses:
        size, last = len(clause.words), len(clause.words[-1])
        for index in places_in(clause, placed.words):
            end = placed.origins[index + size - 1][last - 1][1]
            matches.append((placed.origins[index][0][0], end))
    joined: list[Range] = []
    for low, high in sorted(matches):
        if joined and low <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(high, joined[-1][1]))
        else:
            joined.append((low, high))
    return joined


def nearest(word: str, known: Iterable[tuple[str, int]]) -> str | None:
    """The most similar word, of several the most frequent one; None if all differ too much."""
    max_changes = 1 if len(word) <= _SHORT else 2
    best: tuple[int, int, str] | None = None
    for candidate, count in known:
        if candidate == word or abs(len(candidate) - len(word)) > max_changes:
            continue
        changes = distance(word, candidate, max_changes=max_changes)
        if changes <= max_changes and (best is None or (changes, -count, candidate) < best):
            best = (changes, -count, candidate)
    return None if best is None else best[2]


def distance(one: str, other: str, *, max_changes: int) -> int:
    """The Damerau-Levenshtein distance (adjacent swaps count as one), limited to `max_changes + 1`."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for number, letter in enumerate(one, start=1):
        last, before, row = before, row, [number]
        for column, against in enumerate(other, start=1):
            changes = min(before[column] + 1, row[-1] + 1, before[column - 1] + (letter != against))
            if last and column > 1 and letter == other[column - 2] and one[number - 2] == against:
                changes = min(changes, last[column - 2] + 1)
            row.append(changes)
        if min(row) > max_changes:
            return max_changes + 1
    return min(row[-1], max_changes + 1)
