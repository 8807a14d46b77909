"""The places of words, each a number: in which value a word is, in which of its fields, and where.

    value, 39 bits │ field, 3 bits │ place, 21 bits

A word that follows another in the same string has the next number. Between two strings of a field one is left out.
"""

import struct
from collections.abc import Iterable
from typing import Final

from dayline.model.data import CanonicalJson
from dayline.transform.text_query import TEXT_FIELDS, Document, document_of

FIELD_SHIFT: Final = 21
VALUE_SHIFT: Final = 24
MOST_VALUES: Final = 1 << 39  # higher ones are not indexed
# In the place of a word: values with more words than there are places. None of theirs is indexed.
TOO_LONG: Final = ""

_FIELDS: Final = {field: number << FIELD_SHIFT for number, field in enumerate(TEXT_FIELDS)}
_MOST_PLACES: Final = (1 << FIELD_SHIFT) - 1  # the last one stays free: it is next to the first of another field

# Words by the places that they have, in ascending order.
Postings = dict[str, list[int]]


def postings_of(values: Iterable[tuple[int, CanonicalJson]]) -> Postings:
    """The words of values, which are given in ascending order."""
    postings: Postings = {}
    for key, text in values:
        document = document_of(text)
        if _is_too_long(document):
            document = {}
            postings.setdefault(TOO_LONG, []).append(key << VALUE_SHIFT)
        for field in sorted(document, key=_FIELDS.__getitem__):
            place = key << VALUE_SHIFT | _FIELDS[field]
            for words in document[field]:
                for number, word in enumerate(words, start=place):
                    postings.setdefault(word, []).append(number)
                place += len(words) + 1
    return postings


def values_in(places: Iterable[int]) -> int:
    """In how many values some places are."""
    return len({place >> VALUE_SHIFT for place in places})


def packed(places: list[int]) -> bytes:
    """Places as they are stored."""
    return struct.pack(f"<{len(places)}q", *places)


def _is_too_long(document: Document) -> bool:
    return any(sum(len(words) + 1 for words in strings) > _MOST_PLACES for strings in document.values())
