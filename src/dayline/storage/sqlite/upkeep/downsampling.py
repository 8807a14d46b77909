"""Downsamples old events of one bucket after the other, in slices between heartbeats."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

import apsw
import msgspec

from dayline.model.errors import BucketNotFound
from dayline.model.time import DAY, Microseconds, start_of_month
from dayline.model.upkeep import DownsampledBucket
from dayline.storage.background import SlicePace
from dayline.storage.engine import EventChange, EventRow
from dayline.storage.retention.downsampling import HOUR, OldEvent, Span, cutoff_of, downsample_bucket, merge_events
from dayline.storage.sqlite.file.connection import ReaderPool
from dayline.storage.sqlite.file.schema import ORIGIN
from dayline.storage.sqlite.rows.buckets import bucket_key
from dayline.storage.sqlite.writing.transaction import SqliteTransaction
from dayline.storage.sqlite.writing.writer import Writer, paced_change

# ORIGIN is the start of an hour and of a day, so stored times need no conversion to find theirs. Division rounds
# towards zero, hence the special case for earlier times.
_BEFORE: Final = 60_000 * DAY
# Events whose values a redaction has changed, or moved events to, are not merged until it is final: undoing it has to
# distinguish the events that it changed.
_CAN_MERGE: Final = "duration >= 0 AND value NOT IN (SELECT value FROM redacted_value)"
_MONTHS = "SELECT month FROM month WHERE bucket = ? AND events > 1 ORDER BY month"
DAYS = f"""
SELECT DISTINCT (start + {_BEFORE}) / {DAY} FROM (
    SELECT min(start) AS start FROM event
    WHERE bucket = :bucket AND start >= :first AND start < :after AND {_CAN_MERGE}
    GROUP BY (start + {_BEFORE}) / {HOUR}, value HAVING count(*) > 1
) ORDER BY 1
"""
_FEWER = f"""
SELECT coalesce(sum(events - 1), 0) FROM (
    SELECT count(*) AS events FROM event
    WHERE bucket = :bucket AND start >= :first AND start < :after AND {_CAN_MERGE}
    GROUP BY (start + {_BEFORE}) / {HOUR}, value
)
"""
_EVENTS = f"""
SELECT id, start, duration, value FROM event
WHERE bucket = ? AND start >= ? AND start < ? AND {_CAN_MERGE} ORDER BY start, id
"""
_IS_THERE = "SELECT 1 FROM event WHERE bucket = ? AND start = ? AND id = ? AND duration = ? AND value = ?"
_DELETE = "DELETE FROM event WHERE bucket = ? AND start = ? AND id = ?"
_INSERT = "INSERT INTO event(bucket, start, id, duration, value) VALUES(?, ?, ?, ?, ?)"


def set_downsampled(db: apsw.Connection, bucket: int, cutoff: Microseconds) -> None:
    """Record until when a bucket is downsampled: within an hour, the position of its events then has no meaning."""
    db.execute(
        "INSERT INTO meta(key, value) VALUES('downsampled:' || ?, ?) "
        "ON CONFLICT DO UPDATE SET value = max(value, excluded.value)",
        (bucket, cutoff - ORIGIN),
    )


def months_to_downsample(db: apsw.Connection, bucket: int, cutoff: Microseconds) -> list[Span]:
    """The months that may have events to downsample."""
    months = [month for (month,) in msgspec.convert(db.execute(_MONTHS, (bucket,)).fetchall(), list[tuple[int]])]
    spans = [(start_of_month(month), min(start_of_month(month + 1), cutoff)) for month in months]
    return [(first - ORIGIN, after - ORIGIN) for first, after in spans if first < after]


def days_to_downsample(db: apsw.Connection, bucket: int, span: Span) -> list[Span]:
    """The days of a span that have events to merge."""
    first, after = span
    rows = db.execute(DAYS, {"bucket": bucket, "first": first, "after": after}).fetchall()
    starts = [day * DAY - _BEFORE for (day,) in msgspec.convert(rows, list[tuple[int]])]
    return [(max(first, start), min(after, start + DAY)) for start in starts]


def count_removed(db: apsw.Connection, bucket: int, span: Span) -> int:
    """How many fewer events a span would have."""
    return int(db.execute(_FEWER, {"bucket": bucket, "first": span[0], "after": span[1]}).get)


def old_events(db: apsw.Connection, bucket: int, span: Span) -> list[OldEvent]:
    """The events of a span that may be merged."""
    return msgspec.convert(db.execute(_EVENTS, (bucket, *span)).fetchall(), list[OldEvent])


def merge_slice(changes: SqliteTransaction, parts: Sequence[Sequence[OldEvent]], *, operation: int, bucket: int) -> int:
    """Merge the events that have not changed; returns how many fewer there are."""
    state = changes.catalogue.by_key(bucket)
    if state is None:
        return 0
    removed = 0
    for part in parts:
        if all(_is_there(changes.db, bucket, event) for event in part):
            _merge(changes, part, operation=operation, bucket=bucket)
            whole = merge_events(part)
            start = whole.start + ORIGIN
            changes.touch_part(state.bucket.id, start=start, removed=len(part) - 1)
            changes.cover_part(
                state.bucket.id, events=0, start=start, max_duration=whole.duration, max_end=start + whole.duration
            )
            removed += len(part) - 1
    return removed


def _is_there(db: apsw.Connection, bucket: int, event: OldEvent) -> bool:
    place = (bucket, event.start, event.id, event.duration, event.value)
    return db.execute(_IS_THERE, place).get is not None


def _merge(changes: SqliteTransaction, part: Sequence[OldEvent], *, operation: int, bucket: int) -> None:
    whole, db = merge_events(part), changes.db
    after = _event_row(bucket, whole)
    changes.log_events(
        operation, [EventChange(_event_row(bucket, event), after if event.id == whole.id else None) for event in part]
    )
    db.executemany(_DELETE, [(bucket, event.start, event.id) for event in part])
    db.execute(_INSERT, (bucket, whole.start, whole.id, whole.duration, whole.value))


def _event_row(bucket: int, event: OldEvent) -> EventRow:
    return EventRow(bucket, event.start + ORIGIN, event.id, event.duration, event.value)


# Downsamples buckets, one after the other.
#
# operation   doing ─▶ done ─▶ undone
#               ╰ interrupted: marked as done at the next start


_OWN: Final = "downsample_bucket"


class Downsampler:
    """Downsamples one bucket at a time. `exclusive` keeps out redactions and imports during one day's events."""

    def __init__(
        self, writer: Writer, readers: ReaderPool, exclusive: asyncio.Lock, clock: Callable[[], Microseconds]
    ) -> None:
        self._writer = writer
        self._readers = readers
        self._exclusive = exclusive
        self._clock = clock

    async def downsample(self, days: Mapping[str, int]) -> list[DownsampledBucket]:
        """Downsample these buckets; deleted ones are skipped."""
        await self.settle()
        downsampled: list[DownsampledBucket] = []
        for bucket_id, age in days.items():
            now = self._clock()
            try:
                key = await asyncio.to_thread(self._key, bucket_id)
            except BucketNotFound:
                continue
            rows = _Rows(self._writer, self._readers, self._exclusive, key=key, days=age, now=now)
            downsampled.append(await downsample_bucket(rows, bucket_id, days=age, now=now))
        return downsampled

    async def settle(self) -> None:
        """Mark interrupted runs as done."""
        await self._writer.change(_settle)

    def _key(self, bucket_id: str) -> int:
        with self._readers.connection() as db:
            return bucket_key(db, bucket_id)


class _Rows:
    """The rows of one bucket; see OldRows."""

    def __init__(
        self, writer: Writer, readers: ReaderPool, exclusive: asyncio.Lock, *, key: int, days: int, now: Microseconds
    ) -> None:
        self._writer = writer
        self._readers = readers
        self._key = key
        self._days = days
        self._now = now
        self.exclusive = exclusive
        self.pace = SlicePace()

    def months(self, cutoff: Microseconds) -> list[Span]:
        with self._readers.connection() as db:
            return months_to_downsample(db, self._key, cutoff)

    def days(self, month: Span) -> list[Span]:
        with self._readers.connection() as db:
            return days_to_downsample(db, self._key, month)

    def events(self, day: Span) -> list[OldEvent]:
        with self._readers.connection() as db:
            return old_events(db, self._key, day)

    async def begin(self) -> int:
        return await self._writer.change(partial(_begin, key=self._key, now=self._now, days=self._days))

    async def merge(self, operation: int, parts: Sequence[Sequence[OldEvent]]) -> int:
        merge = partial(merge_slice, parts=parts, operation=operation, bucket=self._key)
        return await paced_change(self._writer, merge, rows=sum(map(len, parts)), pace=self.pace)

    async def end(self, operation: int) -> None:
        await self._writer.change(lambda changes: changes.end_operation(operation))


def _begin(changes: SqliteTransaction, *, key: int, now: Microseconds, days: int) -> int:
    state = changes.catalogue.by_key(key)
    bucket_id = "" if state is None else state.bucket.id
    set_downsampled(changes.db, key, cutoff_of(now, days))
    operation = changes.add_operation(
        _OWN, now=now, bucket=bucket_id, bucket_key=key, detail={"days": days}, state="doing"
    )
    changes.log_slice(operation, events=0)
    return operation


def _settle(changes: SqliteTransaction) -> None:
    for operation in changes.unfinished_operations():
        if operation.kind == _OWN and operation.state == "doing":
            changes.end_operation(operation.key)
