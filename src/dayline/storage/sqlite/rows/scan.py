"""Reads events as rows, page by page: all of them, or those of a selection."""

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import apsw
import msgspec

from dayline.model.errors import StoreUnusable
from dayline.model.time import Microseconds
from dayline.storage.columns.months import Span
from dayline.storage.engine.rows import SelectedRow
from dayline.storage.history.contract import EventPosition
from dayline.storage.sqlite.file.connection import open_without_trace
from dayline.storage.sqlite.file.schema import ORIGIN
from dayline.storage.sqlite.rows.buckets import FileRows
from dayline.storage.sqlite.rows.reader import begin_spans
from dayline.storage.transfer.event_rows import ROWS_PAGE, BucketRow, EventRow

_BEFORE_ALL: Final = -(2**62)

_BUCKETS = """
SELECT key, id, type, hostname, (SELECT coalesce(sum(events), 0) FROM month WHERE month.bucket = bucket.key),
    coalesce((SELECT value + :origin FROM meta WHERE meta.key = 'downsampled:' || bucket.key), 0),
    coalesce(creator LIKE 'device:%', 0)
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
        rows = self._db.execute(_BUCKETS, {"origin": ORIGIN}).fetchall()
        return msgspec.convert(rows, list[BucketRow], strict=False)  # SQLite has no Booleans

    def pages(self, bucket: int) -> Iterator[list[EventRow]]:
        start, last = _BEFORE_ALL, 0
        while True:
            bounds = {"origin": ORIGIN, "bucket": bucket, "start": start, "id": last, "rows": ROWS_PAGE}
            page = msgspec.convert(self._db.execute(_PAGE, bounds).fetchall(), list[EventRow])
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


class SelectionRows(FileRows):
    """The part of a transaction that reads selected events."""

    def counted_buckets(self) -> list[BucketRow]:
        return SqliteEventRows(self.db).buckets()

    def begin_spans(self, bucket: int, first: Microseconds, last: Microseconds) -> list[Span]:
        return begin_spans(self.db, bucket, first, last)

    def selected_rows(
        self,
        bucket: int,
        span: Span,
        after: EventPosition,
        *,
        since: Microseconds,
        is_newest_first: bool,
        rows: int,
    ) -> list[SelectedRow]:
        where = {**_bounds(bucket, span, since), "start": after.start - ORIGIN, "id": after.id, "rows": rows}
        selected = self.db.execute(_BACKWARDS if is_newest_first else _FORWARDS, where).fetchall()
        return msgspec.convert(selected, list[SelectedRow])

    def selected_by_id(
        self, bucket: int, event_ids: Sequence[int], span: Span, *, since: Microseconds
    ) -> list[SelectedRow]:
        where = {**_bounds(bucket, span, since), "ids": msgspec.json.encode(event_ids).decode()}
        return msgspec.convert(self.db.execute(_BY_ID, where).fetchall(), list[SelectedRow])


def _bounds(bucket: int, span: Span, since: Microseconds) -> dict[str, int]:
    low, high = span
    return {"origin": ORIGIN, "bucket": bucket, "low": low - ORIGIN, "high": high - ORIGIN, "from": since - ORIGIN}
