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
from dayline.storage.columns.snapshot import Rows
from dayline.storage.sqlite.file.schema import ORIGIN

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
# As text in SQLite, which takes half the time of rows in Python.
_ROWS_TEXT = """
SELECT coalesce(group_concat(concat_ws(' ', start, duration, id, value)), '') || ';' FROM event
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
    bounds: dict[str, int | str] = {
        "bucket": wanted.bucket,
        "low": low - ORIGIN,
        "id": event_id,
        "high": wanted.high - ORIGIN,
        "from": wanted.touching - ORIGIN,
        "limit": PAGE,
    }
    if wanted.keys is None:
        rows = db.execute(_ROWS, bounds).fetchall()
    else:
        rows = db.execute(_ROWS_OF_KEYS, bounds | {"keys": canonical_json(wanted.keys).decode()}).fetchall()
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


def rows_text(db: apsw.Connection, bucket: int, span: Span, touching: Microseconds) -> bytes:
    """The events that start within a span and end at `touching` or later, as one text that is equal if they are."""
    bounds = (bucket, span[0] - ORIGIN, span[1] - ORIGIN, touching - ORIGIN)
    return str(db.execute(_ROWS_TEXT, bounds).get).encode()


def read_texts(db: apsw.Connection, keys: list[int]) -> Iterator[tuple[int, CanonicalJson]]:
    """The texts of the values with these keys, in any order."""
    for first in range(0, len(keys), _TEXTS_AT_ONCE):
        asked = canonical_json(keys[first : first + _TEXTS_AT_ONCE]).decode()
        rows = db.execute(_TEXTS, (asked,)).fetchall()
        texts = {key: text.encode() for key, text in msgspec.convert(rows, list[tuple[int, str]])}
        # A missing value is damage, which the repair handles: its events have no data then.
        yield from ((key, texts.get(key, EMPTY)) for key in keys[first : first + _TEXTS_AT_ONCE])
