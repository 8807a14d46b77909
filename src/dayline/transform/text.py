"""Words of texts and text queries: what a search matches. An index must find exactly the same."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from typing import Final, Literal, TypeAlias, cast, get_args

import msgspec
from msgspec import Struct

from dayline.model.data import CanonicalJson

# The words of a text, folded: what is searched for, and what it is searched in. Index and scan both use this.
#
#     An „Öl-Fass“ in 東京都      →   an  ol  fass  in  東京  京都  都
#
# Case, marks above and below letters, and other ways to write the same character are folded away. A word is a run of
# letters and digits. Scripts that put no spaces between words (Chinese, Japanese, Korean, Thai and their neighbours)
# give a pair of characters at every place of a run, and the last character alone: so any piece of a run is found as a
# sequence of words.


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


# What a search asks of the texts of a data object, and whether one has it. An index must find exactly the same.


TextField: TypeAlias = Literal["app", "title", "url", "domain", "rest"]
TEXT_FIELDS: Final[tuple[TextField, ...]] = get_args(TextField)
_REST: Final[TextField] = "rest"
_OWN_FIELDS: Final[dict[str, TextField]] = {"app": "app", "title": "title", "url": "url"}

_HOST: Final = re.compile(r"[a-z][a-z0-9+.-]*://(?:[^/?#]*@)?(\[[^\]/?#]*\]|[^/?#:]*)", re.IGNORECASE)
_object = msgspec.json.Decoder(dict[str, object])

# The strings of a data object by field, each as its words. A domain is a part of its url, by itself.
Document: TypeAlias = dict[TextField, list[list[str]]]


class Clause(Struct, frozen=True, kw_only=True):
    """Words that stand one after the other in a string, in one field or anywhere.

    is_prefix: of the last word only the beginning has to be there.
    """

    words: tuple[str, ...]
    is_prefix: bool = False
    field: TextField | None = None
    is_negated: bool = False  # it must not be there


class TextQuery(Struct, frozen=True):
    """Clauses that all have to hold. Without any it holds for everything."""

    clauses: tuple[Clause, ...] = ()

    @property
    def wanted(self) -> list[Clause]:
        return [clause for clause in self.clauses if not clause.is_negated]

    @property
    def unwanted(self) -> list[Clause]:
        return [clause for clause in self.clauses if clause.is_negated]


def clause_of(text: str, *, is_prefix: bool, field: TextField | None = None, is_negated: bool = False) -> Clause | None:
    """A clause from what somebody typed; None where there is no word in it."""
    found = words(text)
    if not found:
        return None
    if is_of_a_run(found[-1]):
        is_prefix = True  # the end of a run is no end of a word
        if len(found) > 1 and len(found[-2]) == 2 and is_of_a_run(found[-2]):
            del found[-1]  # the pair before it says as much
            is_prefix = False
    return Clause(words=tuple(found), is_prefix=is_prefix, field=field, is_negated=is_negated)


def document_of(text: CanonicalJson) -> Document:
    """The words of a data object."""
    document: Document = {}
    for field, string in strings_of(text):
        document.setdefault(field, []).append(words(string))
        if field == "url":
            document.setdefault("domain", []).append(words(host_of(string)))
    return document


def strings_of(text: CanonicalJson) -> Iterator[tuple[TextField, str]]:
    """Every string of a data object, with the field that it counts as."""
    for name, value in _object.decode(text).items():
        field = _OWN_FIELDS.get(name, _REST) if isinstance(value, str) else _REST
        for string in _strings(value):
            yield field, string


def host_of(url: str) -> str:
    """The host of a url as it is written there; nothing where it has none."""
    found = _HOST.match(url)
    return found[1] if found is not None else ""


def matches(query: TextQuery, document: Document) -> bool:
    """Whether a data object has what is asked for."""
    return all(_holds(clause, document) is not clause.is_negated for clause in query.clauses)


def matches_text(query: TextQuery, text: CanonicalJson) -> bool:
    """The same of an object's JSON text, quickly where it is not so."""
    # Words are pieces of what is written there: none can be where the folded whole does not have it.
    folded = fold(text.decode())
    if not all(word in folded for clause in query.clauses if not clause.is_negated for word in clause.words):
        return False
    return matches(query, document_of(text))


def is_in(clause: Clause, found: Sequence[str]) -> bool:
    """Whether a string with these words has what a clause asks for, whatever its field."""
    return next(places_in(clause, found), None) is not None


def places_in(clause: Clause, found: Sequence[str]) -> Iterator[int]:
    """Where among these words the words of a clause begin."""
    *head, last = clause.words
    size = len(head)
    for place in range(len(found) - size):
        end = found[place + size]
        if (end.startswith(last) if clause.is_prefix else end == last) and list(found[place : place + size]) == head:
            yield place


def _holds(clause: Clause, document: Document) -> bool:
    fields = TEXT_FIELDS if clause.field is None else (clause.field,)
    return any(is_in(clause, found) for field in fields for found in document.get(field, ()))


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


# Where in a text its words stand, so that what was found can be shown: in characters of the text as it is.


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


# Words that are nearly the same: what somebody may have meant.


_SHORT: Final = 5  # letters: of a word up to that, one may be wrong, of longer ones two


def nearest(word: str, known: Iterable[tuple[str, int]]) -> str | None:
    """The word that differs least, of several the one that occurs most; None where all differ too much."""
    most = 1 if len(word) <= _SHORT else 2
    best: tuple[int, int, str] | None = None
    for candidate, count in known:
        if candidate == word or abs(len(candidate) - len(word)) > most:
            continue
        changes = distance(word, candidate, most=most)
        if changes <= most and (best is None or (changes, -count, candidate) < best):
            best = (changes, -count, candidate)
    return None if best is None else best[2]


def distance(one: str, other: str, *, most: int) -> int:
    """How many letters have to be put in, left out, changed, or swapped with the next; more than `most` is one more."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for number, letter in enumerate(one, start=1):
        last, before, row = before, row, [number]
        for place, against in enumerate(other, start=1):
            changes = min(before[place] + 1, row[-1] + 1, before[place - 1] + (letter != against))
            if last and place > 1 and letter == other[place - 2] and one[number - 2] == against:
                changes = min(changes, last[place - 2] + 1)
            row.append(changes)
        if min(row) > most:
            return most + 1
    return min(row[-1], most + 1)
