"""The rows of events in a file, page by page, for whoever looks through all of them."""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import apsw
import msgspec

from dayline.model.errors import StoreUnusable
from dayline.storage.sqlite.file.connection import open_without_trace
from dayline.storage.sqlite.file.schema import ORIGIN
from dayline.storage.transfer.event_rows import PAGE, BucketRow, EventRow

_BEFORE_ALL: Final = -(2**62)

_BUCKETS = """
SELECT key, id, type, hostname, (SELECT coalesce(sum(events), 0) FROM month WHERE month.bucket = bucket.key),
    coalesce((SELECT value + :origin FROM meta WHERE meta.key = 'thinned:' || bucket.key), 0)
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
    """The rows of a file. Nothing is held between two pages, so that the log of the file does not grow meanwhile."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def buckets(self) -> list[BucketRow]:
        return msgspec.convert(self._db.execute(_BUCKETS, {"origin": ORIGIN}).fetchall(), list[BucketRow])

    def pages(self, bucket: int) -> Iterator[list[EventRow]]:
        start, last = _BEFORE_ALL, 0
        while True:
            place = {"origin": ORIGIN, "bucket": bucket, "start": start, "id": last, "rows": PAGE}
            page = msgspec.convert(self._db.execute(_PAGE, place).fetchall(), list[EventRow])
            if page:
                yield page
            if len(page) < PAGE:
                return
            start, last = page[-1][0] - ORIGIN, page[-1][1]

    def text(self, bucket: int, value: int) -> str:
        # Two buckets may share a value here.
        json = self._db.execute("SELECT json FROM value WHERE key = ?", (value,)).get
        return json if isinstance(json, str) else ""
