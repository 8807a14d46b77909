"""Which values of a bucket match a text query: from the index as far as it goes, then from the texts."""

from typing import Final

import msgspec
import numpy as np
from msgspec import Struct

from dayline.storage.columns.cache import ColumnCache
from dayline.storage.columns.snapshot import MatchedValues, ValueOwner
from dayline.storage.columns.source import Ids
from dayline.storage.sqlite.columns.segments import SegmentColumns
from dayline.storage.sqlite.columns.state import ReadState
from dayline.storage.sqlite.derived.file import DerivedReader
from dayline.transform.text import TextQuery, matches_text

_PAGE: Final = 5000
_VALUES: Final = "SELECT key, json FROM value WHERE key > ? AND bucket = ? ORDER BY key LIMIT ?"


class IndexedMatches(Struct, frozen=True, eq=False):
    """What the index has for a query up to one of its positions: the keys, in its order."""

    keys: Ids

    @property
    def nbytes(self) -> int:
        return self.keys.nbytes


def find_values(
    state: ReadState, segments: SegmentColumns, cache: ColumnCache, owner: ValueOwner, query: TextQuery
) -> MatchedValues:
    """The values of a bucket that match a query, which must have clauses."""
    is_rest = not query.wanted
    upto, indexed = segments.use(owner, lambda reader: _indexed(reader, cache, owner, query)) or (0, _NO_MATCHES)
    keys: list[int] = []
    looked_through, after = 0, upto
    while True:
        with state.reading() as db:  # a new transaction if it takes too long
            rows = db.execute(_VALUES, (after, owner.bucket, _PAGE)).fetchall()
        page = msgspec.convert(rows, list[tuple[int, str]])
        keys += [key for key, text in page if matches_text(query, text.encode()) is not is_rest]
        looked_through += len(page)
        if len(page) < _PAGE:
            break
        after = page[-1][0]
    return MatchedValues(
        keys=_ascending(np.append(indexed.keys, np.array(keys, dtype=np.int64))),
        is_rest=is_rest,
        looked_through=looked_through,
    )


_NO_MATCHES: Final = IndexedMatches(np.zeros(0, dtype=np.int64))


def words_like(segments: SegmentColumns, owner: ValueOwner, word: str) -> list[tuple[str, int]]:
    """Indexed words with the same first letter and a similar length, with the number of values of each."""
    return segments.use(owner, lambda reader: _words_like(reader, owner, word)) or []


def _ascending(keys: Ids) -> Ids:
    """Distinct keys in order; the index mostly returns them in order."""
    return keys if (keys[1:] > keys[:-1]).all() else np.unique(keys)


def _words_like(reader: DerivedReader, owner: ValueOwner, word: str) -> list[tuple[str, int]]:
    has_table = reader.texts.marks().has_table(owner.bucket, owner.dictionary)
    return reader.texts.words_like(owner.bucket, word) if has_table else []


def _indexed(
    reader: DerivedReader, cache: ColumnCache, owner: ValueOwner, query: TextQuery
) -> tuple[int, IndexedMatches]:
    """The last indexed value, and the matches in the index."""
    marks = reader.texts.marks()
    upto = marks.upto_of(owner.bucket, owner.dictionary)
    if not marks.has_table(owner.bucket, owner.dictionary):
        return upto, _NO_MATCHES
    # Each page of hits asks again. Up to a position the index of one file stays the same.
    cache_key = (owner, reader.generation, upto, query)
    matches = cache.get(cache_key, IndexedMatches)
    if matches is None:
        matches = IndexedMatches(np.array(reader.texts.find(owner.bucket, query), dtype=np.int64))
        cache.put(cache_key, matches)
    return upto, matches
