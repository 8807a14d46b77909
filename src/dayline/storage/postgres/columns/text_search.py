"""Which values of a bucket match a text query: from the index as far as it goes, then from the texts."""

from collections.abc import Callable, Iterable
from functools import reduce
from typing import Final, TypeAlias

import numpy as np

from dayline.model.data import CanonicalJson
from dayline.storage.columns.snapshot import MatchedValues
from dayline.storage.columns.source import Flags, Ids
from dayline.storage.postgres.columns.rows import BucketKeys, read_keys
from dayline.storage.postgres.connection import Connection
from dayline.storage.postgres.derived.words import FIELD_SHIFT, TOO_LONG, VALUE_SHIFT
from dayline.transform.text import TEXT_FIELDS, Clause, TextQuery, matches_text

_MAX_WORDS: Final = 5000  # checked for a suggestion
_SEARCHED_AT_ONCE: Final = 20_000  # scanned at once: some MiB
_FIELD_MASK: Final = (1 << VALUE_SHIFT - FIELD_SHIFT) - 1

# Each range of words separately, along the index. The positions of all its words come as one byte string.
FIND: Final = """
SELECT upto, ARRAY(
    SELECT (
        SELECT string_agg(places, '') FROM word_places
        WHERE tenant = %(tenant)s AND bucket = %(bucket)s AND word >= asked.low AND word < asked.high
    )
    FROM unnest(%(lows)s::text[], %(highs)s::text[]) WITH ORDINALITY AS asked(low, high, number) ORDER BY number
)
FROM word_mark WHERE tenant = %(tenant)s AND bucket = %(bucket)s AND dictionary = %(dictionary)s
"""
_LIKE: Final = """
SELECT word, sum(in_values)::bigint FROM word_places
WHERE tenant = %(tenant)s AND bucket = %(bucket)s AND word >= %(low)s AND word < %(high)s
    AND abs(length(word) - %(length)s) <= 2
    AND EXISTS (
        SELECT 1 FROM word_mark WHERE tenant = %(tenant)s AND bucket = %(bucket)s AND dictionary = %(dictionary)s
    )
GROUP BY word ORDER BY 2 DESC, 1 LIMIT %(most)s
"""

# From the first word to just after the last.
WordRange: TypeAlias = tuple[str, str]
# Returns the texts of values by key, in the same order.
TextsOf: TypeAlias = Callable[[Ids], Iterable[CanonicalJson]]


def find_values(db: Connection, place: BucketKeys, dictionary: int, query: TextQuery, texts: TextsOf) -> MatchedValues:
    """The values of a bucket that match a query, which must have clauses."""
    is_rest = not query.wanted
    upto, words = _indexed(db, place, dictionary, query)
    unknown = np.concatenate([_values(words[_only(TOO_LONG)]), read_keys(db, place, after=upto)])
    pages = (unknown[first : first + _SEARCHED_AT_ONCE] for first in range(0, len(unknown), _SEARCHED_AT_ONCE))
    fits = (matches_text(query, text) is not is_rest for page in pages for text in texts(page))
    known = _found(query, words)
    more = unknown[np.fromiter(fits, dtype=np.bool_, count=len(unknown))]
    return MatchedValues(keys=np.sort(np.concatenate([known, more])), is_rest=is_rest, looked_through=len(unknown))


def words_like(db: Connection, place: BucketKeys, dictionary: int, word: str) -> list[tuple[str, int]]:
    """Indexed words with the same first letter and a similar length, with the number of values of each."""
    low, high = _beginning(word[0])
    asked = {"low": low, "high": high, "length": len(word), "dictionary": dictionary, "most": _MAX_WORDS}
    return db.execute(_LIKE, {"tenant": place.tenant, "bucket": place.bucket, **asked}).fetchall()


def _indexed(db: Connection, place: BucketKeys, dictionary: int, query: TextQuery) -> tuple[int, dict[WordRange, Ids]]:
    """The last indexed value, and the positions of the words in the query."""
    ranges = [_only(TOO_LONG), *dict.fromkeys(each for clause in query.clauses for each in _ranges(clause))]
    lows, highs = [low for low, _ in ranges], [high for _, high in ranges]
    asked = {"lows": lows, "highs": highs, "dictionary": dictionary}
    row = db.execute(FIND, {"tenant": place.tenant, "bucket": place.bucket, **asked}, binary=True).fetchone()
    upto, found = (0, [None] * len(ranges)) if row is None else row
    return upto, {
        each: np.frombuffer(places or b"", dtype="<i8") for each, places in zip(ranges, found, strict=True)
    }  # fmt: skip


def _found(query: TextQuery, words: dict[WordRange, Ids]) -> Ids:
    """The indexed values that match; for a query that only excludes, the values to exclude."""
    unwanted = [_having(clause, words) for clause in query.unwanted]
    refused = _distinct(np.concatenate([np.zeros(0, dtype=np.int64), *unwanted]))
    wanted = [_having(clause, words) for clause in query.wanted]
    if not wanted:
        return refused
    return np.setdiff1d(reduce(_common, wanted), refused, assume_unique=True)


def _having(clause: Clause, words: dict[WordRange, Ids]) -> Ids:
    """The values that match a clause."""
    first, *rest = (words[each] for each in _ranges(clause))
    ends = reduce(lambda before, after: _common(before + 1, after), rest, first)
    if clause.field is not None:
        ends = ends[ends >> FIELD_SHIFT & _FIELD_MASK == TEXT_FIELDS.index(clause.field)]
    return _values(ends)


def _values(places: Ids) -> Ids:
    return _distinct(places >> VALUE_SHIFT)


def _distinct(numbers: Ids) -> Ids:
    """Distinct numbers, ascending. None is negative."""
    # Not np.unique, which is fifteen times slower because it uses a hash table.
    ascending: Ids = np.sort(numbers)
    is_new: Flags = np.diff(ascending, prepend=-1) > 0
    return ascending[is_new]


def _common(one: Ids, other: Ids) -> Ids:
    """The intersection. Neither has duplicates: a position has one word."""
    return np.intersect1d(one, other, assume_unique=True)


def _ranges(clause: Clause) -> list[WordRange]:
    """The ranges of words to look up in the index, one per word."""
    *before, last = clause.words
    return [*map(_only, before), _beginning(last) if clause.is_prefix else _only(last)]


def _only(word: str) -> WordRange:
    return word, f"{word}\1"  # no word contains this character


def _beginning(word: str) -> WordRange:
    return word, f"{word}\U0010ffff"
