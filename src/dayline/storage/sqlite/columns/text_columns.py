"""Which values of a bucket have a text: from the index as far as it goes, and from the texts themselves behind it."""

from typing import Final

import msgspec
import numpy as np

from dayline.storage.columns.columns import Ids
from dayline.storage.columns.found_values import FoundValues
from dayline.storage.sqlite.columns.read_state import ReadState
from dayline.storage.sqlite.columns.segment_columns import Owner, SegmentColumns
from dayline.storage.sqlite.derived.segment_file import DerivedReader
from dayline.transform.text_query import TextQuery, matches_text

_PAGE: Final = 5000
_VALUES: Final = "SELECT key, json FROM value WHERE key > ? AND bucket = ? ORDER BY key LIMIT ?"


class TextColumns:
    """The texts of one database."""

    def __init__(self, state: ReadState, segments: SegmentColumns) -> None:
        self._state = state
        self._segments = segments

    def find(self, owner: Owner, query: TextQuery) -> FoundValues:
        """The values of a bucket that a query fits. It must have clauses."""
        is_rest = not query.wanted
        upto, keys = self._segments.use(owner.epoch, lambda reader: _indexed(reader, owner, query)) or (0, [])
        looked_through, after = 0, upto
        while True:
            with self._state.reading() as db:  # a new transaction where it takes too long
                rows = db.execute(_VALUES, (after, owner.bucket, _PAGE)).fetchall()
            page = msgspec.convert(rows, list[tuple[int, str]])
            keys += [key for key, text in page if matches_text(query, text.encode()) is not is_rest]
            looked_through += len(page)
            if len(page) < _PAGE:
                break
            after = page[-1][0]
        return FoundValues(
            keys=_ascending(np.array(keys, dtype=np.int64)), is_rest=is_rest, looked_through=looked_through
        )

    def words_like(self, owner: Owner, word: str) -> list[tuple[str, int]]:
        """Indexed words with the same first letter and about as long, and in how many values each is."""
        return self._segments.use(owner.epoch, lambda reader: _words_like(reader, owner, word)) or []


def _ascending(keys: Ids) -> Ids:
    """Each key once, in order; the index mostly gives them so."""
    return keys if (keys[1:] > keys[:-1]).all() else np.unique(keys)


def _words_like(reader: DerivedReader, owner: Owner, word: str) -> list[tuple[str, int]]:
    with reader.reading():
        has_table = reader.texts.marks().has_table(owner.bucket, owner.dictionary)
        return reader.texts.words_like(owner.bucket, word) if has_table else []


def _indexed(reader: DerivedReader, owner: Owner, query: TextQuery) -> tuple[int, list[int]]:
    """Up to which value the index goes, and what it finds."""
    with reader.reading():
        marks = reader.texts.marks()
        keys = reader.texts.find(owner.bucket, query) if marks.has_table(owner.bucket, owner.dictionary) else []
        return marks.upto_of(owner.bucket, owner.dictionary), keys
