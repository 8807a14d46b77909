"""Downsampling in one file: which events can be merged."""

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractContextManager, asynccontextmanager
from typing import Final, TypeAlias

import apsw
import msgspec

from dayline.model.time import DAY, Microseconds
from dayline.storage.engine import EventRow
from dayline.storage.operations.background import SlicePace
from dayline.storage.retention.downsampling import HOUR, Fence, Span
from dayline.storage.sqlite.file.schema import ORIGIN
from dayline.storage.sqlite.rows.buckets import bucket_key
from dayline.storage.sqlite.upkeep.space import table_sizes

# ORIGIN is the start of an hour and of a day, so stored times need no conversion to find theirs. Division rounds
# towards zero, hence the special case for earlier times.
_BEFORE: Final = 60_000 * DAY
_OLD: Final = """
event WHERE bucket = :bucket AND start >= :first AND start < :after
AND duration >= 0 AND value NOT IN (SELECT value FROM redacted_value)
"""
_MONTHS: Final = "SELECT month, events FROM month WHERE bucket = ? ORDER BY month"
_DAYS: Final = f"""
SELECT DISTINCT (start + {_BEFORE}) / {DAY} FROM (
    SELECT min(start) AS start FROM {_OLD} GROUP BY (start + {_BEFORE}) / {HOUR}, value HAVING count(*) > 1
) ORDER BY 1
"""
_FEWER: Final = f"""
SELECT coalesce(sum(events - 1), 0) FROM (
    SELECT count(*) AS events FROM {_OLD} GROUP BY (start + {_BEFORE}) / {HOUR}, value
)
"""
_EVENTS: Final = f"SELECT bucket, start + :origin, id, duration, value FROM {_OLD} ORDER BY start, id"

OpenConnection: TypeAlias = Callable[[], AbstractContextManager[apsw.Connection]]


class SqliteDownsamplingReads:
    """See DownsamplingReads."""

    def __init__(self, connection: OpenConnection) -> None:
        self._connection = connection

    def bucket_key(self, bucket_id: str) -> int:
        with self._connection() as db:
            return bucket_key(db, bucket_id)

    def months(self, bucket: int) -> list[tuple[int, int]]:
        with self._connection() as db:
            return msgspec.convert(db.execute(_MONTHS, (bucket,)).fetchall(), list[tuple[int, int]])

    def days(self, bucket: int, span: Span) -> list[Microseconds]:
        with self._connection() as db:
            rows = msgspec.convert(db.execute(_DAYS, _place(bucket, span)).fetchall(), list[tuple[int]])
        return [day * DAY - _BEFORE + ORIGIN for (day,) in rows]

    def events(self, bucket: int, span: Span) -> list[EventRow]:
        with self._connection() as db:
            rows = db.execute(_EVENTS, {**_place(bucket, span), "origin": ORIGIN}).fetchall()
        return [EventRow(*row) for row in msgspec.convert(rows, list[tuple[int, int, int, int, int]])]

    def count_removed(self, bucket: int, span: Span) -> int:
        with self._connection() as db:
            return int(db.execute(_FEWER, _place(bucket, span)).get)

    def event_bytes(self) -> float:
        with self._connection() as db:
            events = int(db.execute("SELECT coalesce(sum(events), 0) FROM month").get)
            return table_sizes(db).of("event", "event_id") / events if events else 0.0


class SqliteDownsampling:
    """See DownsamplingEngine."""

    new_pace = SlicePace

    def __init__(self, connection: OpenConnection) -> None:
        self.reads = SqliteDownsamplingReads(connection)

    @asynccontextmanager
    async def lease(self) -> AsyncGenerator[Fence]:
        """The lock of the file keeps other servers away."""
        yield lambda tx: None


def _place(bucket: int, span: Span) -> dict[str, int]:
    return {"bucket": bucket, "first": span[0] - ORIGIN, "after": span[1] - ORIGIN}
