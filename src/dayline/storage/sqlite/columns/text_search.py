"""Which values of a bucket match a text query: from the index as far as it goes, then from the texts."""

from typing import Final

import msgspec
import numpy as np

from dayline.storage.columns.snapshot import MatchedValues, ValueOwner
from dayline.storage.columns.source import Ids
from dayline.storage.sqlite.columns.segments import SegmentColumns
from dayline.storage.sqlite.columns.state import ReadState
from dayline.storage.sqlite.derived.file import DerivedReader
from dayline.transform.text import TextQuery, matches_text

_PAGE: Final = 5000
_VALUES: Final = "SELECT key, json FROM value WHERE key > ? AND bucket = ? ORDER BY key LIMIT ?"


def find_values(state: ReadState, segments: SegmentColumns, owner: ValueOwner, query: TextQuery) -> MatchedValues:
    """The values of a bucket that match a query, which must have clauses."""
    is_rest = not query.wanted
    upto, keys = segments.use(owner, lambda reader: _indexed(reader, owner, query)) or (0, [])
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
        keys=_ascending(np.array(keys, dtype=np.int64)), is_rest=is_rest, looked_through=looked_through
    )


def words_like(segments: SegmentColumns, owner: ValueOwner, word: str) -> list[tuple[str, int]]:
    """Indexed words with the same first letter and a similar length, with the number of values of each."""
    return segments.use(owner, lambda reader: _words_like(reader, owner, word)) or []


def _ascending(keys: Ids) -> Ids:
    """Distinct keys in order; the index mostly returns them in order."""
    return keys if (keys[1:] > keys[:-1]).all() else np.unique(keys)


def _words_like(reader: DerivedReader, owner: ValueOwner, word: str) -> list[tuple[str, int]]:
    has_table = reader.texts.marks().has_table(owner.bucket, owner.dictionary)
    return reader.texts.words_like(owner.bucket, word) if has_table else []


def _indexed(reader: DerivedReader, owner: ValueOwner, query: TextQuery) -> tuple[int, list[int]]:
    """The last indexed value, and the matches in the index."""
    marks = reader.texts.marks()
    keys = reader.texts.find(owner.bucket, query) if marks.has_table(owner.bucket, owner.dictionary) else []
    return marks.upto_of(owner.bucket, owner.dictionary), keys
