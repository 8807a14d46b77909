"""What a search asks of the texts of a data object, and whether one has it. An index must find exactly the same."""

import re
from collections.abc import Iterator, Sequence
from typing import Final, Literal, TypeAlias, cast, get_args

import msgspec
from msgspec import Struct

from dayline.model.data import CanonicalJson
from dayline.transform.words import fold, is_of_a_run, words

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
