"""The rows of events as they are stored, page by page, for whoever looks through all of them."""

from collections.abc import Iterator
from typing import Final

import apsw
import msgspec
from msgspec import Struct

from dayline.model.timestamps import Microseconds
from dayline.storage.sqlite.schema import ORIGIN

PAGE: Final = 5000  # events: a read of some milliseconds
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

EventRow = tuple[Microseconds, int, Microseconds, int]  # start since 1970, id, duration, value


class BucketRow(Struct, frozen=True, array_like=True):
    """A bucket, how many events it has, and until when they were thinned: those may overlap, and leave gaps."""

    key: int
    id: str
    type: str
    hostname: str
    events: int
    thinned: Microseconds


def bucket_rows(db: apsw.Connection) -> list[BucketRow]:
    """Every bucket, in order of creation."""
    return msgspec.convert(db.execute(_BUCKETS, {"origin": ORIGIN}).fetchall(), list[BucketRow])


def event_pages(db: apsw.Connection, bucket: int, *, rows: int = PAGE) -> Iterator[list[EventRow]]:
    """All events of a bucket in order of start and id. Nothing is held between two pages."""
    start, last = _BEFORE_ALL, 0
    while True:
        place = {"origin": ORIGIN, "bucket": bucket, "start": start, "id": last, "rows": rows}
        page = msgspec.convert(db.execute(_PAGE, place).fetchall(), list[EventRow])
        if page:
            yield page
        if len(page) < rows:
            return
        start, last = page[-1][0] - ORIGIN, page[-1][1]


def value_text(db: apsw.Connection, value: int) -> str:
    """The data that a value stands for, as JSON text; empty where it is gone."""
    json = db.execute("SELECT json FROM value WHERE key = ?", (value,)).get
    return json if isinstance(json, str) else ""
