"""Reads events and texts from rows as columns. Only query processes import this."""

from collections.abc import Iterator
from itertools import chain
from typing import Final

import apsw
import msgspec
import numpy as np
from msgspec import Struct

from dayline.model.data import EMPTY, CanonicalJson, canonical_json
from dayline.model.time import Microseconds
from dayline.storage.columns.months import Span
from dayline.storage.columns.snapshot import MatchedValues, Rows, ValueOwner
from dayline.storage.columns.source import Ids
from dayline.storage.sqlite.columns.segments import SegmentColumns
from dayline.storage.sqlite.columns.state import ReadState
from dayline.storage.sqlite.derived.file import DerivedReader
from dayline.storage.sqlite.file.schema import ORIGIN
from dayline.transform.text import TextQuery, matches_text

PAGE: Final = 50_000  # rows; a read of some fifty milliseconds
_TEXTS_AT_ONCE: Final = 5000

_ROWS = """
SELECT start, duration, id, value FROM event
WHERE bucket = :bucket AND (start, id) > (:low, :id) AND start <= :high AND max(start, start + duration) >= :from
ORDER BY start, id LIMIT :limit
"""
_COUNT = """
SELECT count(*) FROM event
WHERE bucket = ? AND start BETWEEN ? AND ? AND max(start, start + duration) >= ?
"""
_ROWS_OF_KEYS = _ROWS.replace("ORDER", "AND +value IN (SELECT value FROM json_each(:keys)) ORDER")
_TEXTS = "SELECT key, json FROM value WHERE key IN (SELECT value FROM json_each(?))"


class Wanted(Struct, frozen=True, kw_only=True):
    """Selects the events of a bucket that start within low..high and end at `touching` or later."""

    bucket: int
    low: Microseconds
    high: Microseconds
    touching: Microseconds
    keys: tuple[int, ...] | None = None  # only events with one of these values


def read_page(db: apsw.Connection, wanted: Wanted, after: tuple[Microseconds, int] | None) -> Rows:
    """The first PAGE of these events, or the next one after a start and id."""
    low, event_id = (wanted.low, 0) if after is None else after
    place: dict[str, int | str] = {
        "bucket": wanted.bucket,
        "low": low - ORIGIN,
        "id": event_id,
        "high": wanted.high - ORIGIN,
        "from": wanted.touching - ORIGIN,
        "limit": PAGE,
    }
    if wanted.keys is None:
        rows = db.execute(_ROWS, place).fetchall()
    else:
        rows = db.execute(_ROWS_OF_KEYS, place | {"keys": canonical_json(wanted.keys).decode()}).fetchall()
    numbers = np.fromiter(chain.from_iterable(rows), dtype=np.int64, count=4 * len(rows)).reshape(-1, 4)
    start, duration, ids, keys = np.ascontiguousarray(numbers.T)
    start += ORIGIN
    return Rows(start, duration, ids, keys)


def last_place(rows: Rows) -> tuple[Microseconds, int] | None:
    """The position after a page; None if it was the last."""
    return (int(rows.start[-1]), int(rows.id[-1])) if len(rows.start) == PAGE else None


def concatenated(pages: list[Rows]) -> Rows:
    if len(pages) == 1:
        return pages[0]
    return Rows(*(np.concatenate([getattr(page, column) for page in pages]) for column in Rows.__struct_fields__))


def count_rows(db: apsw.Connection, bucket: int, span: Span, touching: Microseconds) -> int:
    """The number of events that start within a span and end at `touching` or later."""
    return int(db.execute(_COUNT, (bucket, span[0] - ORIGIN, span[1] - ORIGIN, touching - ORIGIN)).get)


def read_texts(db: apsw.Connection, keys: list[int]) -> Iterator[tuple[int, CanonicalJson]]:
    """The texts of the values with these keys, in any order."""
    for first in range(0, len(keys), _TEXTS_AT_ONCE):
        asked = canonical_json(keys[first : first + _TEXTS_AT_ONCE]).decode()
        rows = db.execute(_TEXTS, (asked,)).fetchall()
        found = {key: text.encode() for key, text in msgspec.convert(rows, list[tuple[int, str]])}
        # A missing value is damage, which the repair handles: its events have no data then.
        yield from ((key, found.get(key, EMPTY)) for key in keys[first : first + _TEXTS_AT_ONCE])


# Which values of a bucket match a text query: from the index as far as it goes, then from the texts.


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
