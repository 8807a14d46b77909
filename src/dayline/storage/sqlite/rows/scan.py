"""Reads events as rows, page by page: all of them, or those of a selection."""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import apsw
import msgspec

from dayline.model.errors import StoreUnusable
from dayline.model.event_changes import Selection
from dayline.storage.history.contract import EventPosition
from dayline.storage.history.selection import (
    PAGE,
    MatchedRows,
    SelectedRow,
    Span,
    matched_rows,
    pages_of,
    since,
    spans_of,
)
from dayline.storage.sqlite.file.connection import ReaderPool, open_without_trace
from dayline.storage.sqlite.file.schema import ORIGIN
from dayline.storage.sqlite.rows.buckets import bucket_key
from dayline.storage.sqlite.rows.reader import begin_spans
from dayline.storage.transfer.event_rows import ROWS_PAGE, BucketRow, EventRow

_BEFORE_ALL: Final = -(2**62)

_BUCKETS = """
SELECT key, id, type, hostname, (SELECT coalesce(sum(events), 0) FROM month WHERE month.bucket = bucket.key),
    coalesce((SELECT value + :origin FROM meta WHERE meta.key = 'downsampled:' || bucket.key), 0)
FROM bucket WHERE deleted IS NULL ORDER BY key
"""
_PAGE = """
SELECT start + :origin, id, duration, value FROM event
WHERE bucket = :bucket AND (start, id) > (:start, :id) ORDER BY start, id LIMIT :rows
"""


@contextmanager
def sqlite_rows(path: Path) -> Generator["SqliteEventRows"]:
    """The rows of a file. Raises StoreUnusable."""
    try:
        db = open_without_trace(path)
        try:
            yield SqliteEventRows(db)
        finally:
            db.close()
    except apsw.Error as error:
        raise StoreUnusable(f"{path.name} cannot be read: {error}") from error


class SqliteEventRows:
    """The rows of a file. No transaction stays open between pages, so the write-ahead log does not grow."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def buckets(self) -> list[BucketRow]:
        return msgspec.convert(self._db.execute(_BUCKETS, {"origin": ORIGIN}).fetchall(), list[BucketRow])

    def pages(self, bucket: int) -> Iterator[list[EventRow]]:
        start, last = _BEFORE_ALL, 0
        while True:
            place = {"origin": ORIGIN, "bucket": bucket, "start": start, "id": last, "rows": ROWS_PAGE}
            page = msgspec.convert(self._db.execute(_PAGE, place).fetchall(), list[EventRow])
            if page:
                yield page
            if len(page) < ROWS_PAGE:
                return
            start, last = page[-1][0] - ORIGIN, page[-1][1]

    def text(self, bucket: int, value: int) -> str:
        # Two buckets may share a value in this file.
        json = self._db.execute("SELECT json FROM value WHERE key = ?", (value,)).get
        return json if isinstance(json, str) else ""


_COLUMNS = "event.start + :origin, event.id, event.duration, event.value, value.json"
_SELECTED_PAGE = f"""
SELECT {_COLUMNS} FROM event JOIN value ON value.key = event.value
WHERE event.bucket = :bucket AND start BETWEEN :low AND :high AND (start, event.id) {{beyond}} (:start, :id)
AND (start >= :from OR start + duration > :from) ORDER BY start {{way}}, event.id {{way}} LIMIT :rows
"""
_FORWARDS = _SELECTED_PAGE.format(beyond=">", way="ASC")
_BACKWARDS = _SELECTED_PAGE.format(beyond="<", way="DESC")
_BY_ID = f"""
SELECT {_COLUMNS} FROM json_each(:ids) AS wanted CROSS JOIN event ON event.id = wanted.value
JOIN value ON value.key = event.value WHERE event.bucket = :bucket AND start BETWEEN :low AND :high
AND (start >= :from OR start + duration > :from) ORDER BY start, event.id
"""


def chosen_pages(
    readers: ReaderPool,
    selection: Selection,
    *,
    after: EventPosition | None = None,
    is_newest_first: bool = False,
    rows: int = PAGE,
) -> Iterator[MatchedRows]:
    """The matching rows, one page per read; a page may be empty. Raises BucketNotFound."""
    return matched_rows(selection, _pages(readers, selection, after, is_newest_first=is_newest_first, rows=rows))


def _pages(
    readers: ReaderPool, selection: Selection, after: EventPosition | None, *, is_newest_first: bool, rows: int
) -> Iterator[list[SelectedRow]]:
    with readers.connection() as db:
        key = bucket_key(db, selection.bucket)
        spans = spans_of(selection, lambda first, last: begin_spans(db, key, first, last))
        bounds = {"origin": ORIGIN, "bucket": key, "from": since(selection) - ORIGIN}
        named = None if selection.ids is None else _by_id(db, selection.ids, spans, bounds)
    if named is not None:
        if named:
            yield named[::-1] if is_newest_first else named
        return
    statement = _BACKWARDS if is_newest_first else _FORWARDS

    def read(span: Span, place: EventPosition) -> list[SelectedRow]:
        where = {"low": span[0] - ORIGIN, "high": span[1] - ORIGIN, "start": place.start - ORIGIN, "id": place.id}
        with readers.connection() as db:
            found = db.execute(statement, {**bounds, **where, "rows": rows}).fetchall()
        return msgspec.convert(found, list[SelectedRow])

    yield from pages_of(spans, read, after=after, is_newest_first=is_newest_first, rows=rows)


def _by_id(db: apsw.Connection, ids: tuple[int, ...], spans: list[Span], bounds: dict[str, int]) -> list[SelectedRow]:
    low, high = min(low for low, _ in spans), max(high for _, high in spans)
    where = {"ids": msgspec.json.encode(ids).decode(), "low": low - ORIGIN, "high": high - ORIGIN}
    return msgspec.convert(db.execute(_BY_ID, {**bounds, **where}).fetchall(), list[SelectedRow])
