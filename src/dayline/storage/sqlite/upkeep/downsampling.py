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

# ORIGIN is the beginning of an hour and of a day, so stored times need not be moved to find theirs. Division rounds
# towards zero, hence the detour for times before it.
_BEFORE: Final = 60_000 * DAY
# Events with values that a redaction has changed, or has moved events to, stay apart until it is final: to undo it,
# those that it changed have to be told from the others.
_IS_THINNED: Final = "duration >= 0 AND value NOT IN (SELECT value FROM redacted_value)"
_MONTHS = "SELECT month FROM month WHERE bucket = ? AND events > 1 ORDER BY month"
DAYS = f"""
SELECT DISTINCT (start + {_BEFORE}) / {DAY} FROM (
    SELECT min(start) AS start FROM event
    WHERE bucket = :bucket AND start >= :first AND start < :after AND {_IS_THINNED}
    GROUP BY (start + {_BEFORE}) / {HOUR}, value HAVING count(*) > 1
) ORDER BY 1
"""
_FEWER = f"""
SELECT coalesce(sum(events - 1), 0) FROM (
    SELECT count(*) AS events FROM event
    WHERE bucket = :bucket AND start >= :first AND start < :after AND {_IS_THINNED}
    GROUP BY (start + {_BEFORE}) / {HOUR}, value
)
"""
_EVENTS = f"""
SELECT id, start, duration, value FROM event
WHERE bucket = ? AND start >= ? AND start < ? AND {_IS_THINNED} ORDER BY start, id
"""
_IS_THERE = "SELECT 1 FROM event WHERE bucket = ? AND start = ? AND id = ? AND duration = ? AND value = ?"
_DELETE = "DELETE FROM event WHERE bucket = ? AND start = ? AND id = ?"
_INSERT = "INSERT INTO event(bucket, start, id, duration, value) VALUES(?, ?, ?, ?, ?)"


def note_thinned(db: apsw.Connection, bucket: int, cutoff: Microseconds) -> None:
    """Note up to when a bucket is thinned: within an hour its events then lie where they lie by chance."""
    db.execute(
        "INSERT INTO meta(key, value) VALUES('thinned:' || ?, ?) "
        "ON CONFLICT DO UPDATE SET value = max(value, excluded.value)",
        (bucket, cutoff - ORIGIN),
    )


def months_to_thin(db: apsw.Connection, bucket: int, cutoff: Microseconds) -> list[Span]:
    """The months that may hold something to thin."""
    months = [month for (month,) in msgspec.convert(db.execute(_MONTHS, (bucket,)).fetchall(), list[tuple[int]])]
    spans = [(start_of_month(month), min(start_of_month(month + 1), cutoff)) for month in months]
    return [(first - ORIGIN, after - ORIGIN) for first, after in spans if first < after]


def days_to_thin(db: apsw.Connection, bucket: int, span: Span) -> list[Span]:
    """The days of a span in which events are to be merged."""
    first, after = span
    rows = db.execute(DAYS, {"bucket": bucket, "first": first, "after": after}).fetchall()
    starts = [day * DAY - _BEFORE for (day,) in msgspec.convert(rows, list[tuple[int]])]
    return [(max(first, start), min(after, start + DAY)) for start in starts]


def removed_by_thinning(db: apsw.Connection, bucket: int, span: Span) -> int:
    """How many events fewer a span would have."""
    return int(db.execute(_FEWER, {"bucket": bucket, "first": span[0], "after": span[1]}).get)


def old_events(db: apsw.Connection, bucket: int, span: Span) -> list[OldEvent]:
    """The events of a span that may be merged."""
    return msgspec.convert(db.execute(_EVENTS, (bucket, *span)).fetchall(), list[OldEvent])


def merge_slice(changes: SqliteTransaction, parts: Sequence[Sequence[OldEvent]], *, act: int, bucket: int) -> int:
    """Merge events as far as they are as they were seen; how many there are fewer."""
    state = changes.catalogue.by_key(bucket)
    if state is None:
        return 0
    removed = 0
    for part in parts:
        if all(_is_there(changes.db, bucket, event) for event in part):
            _merge(changes, part, act=act, bucket=bucket)
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


def _merge(changes: SqliteTransaction, part: Sequence[OldEvent], *, act: int, bucket: int) -> None:
    whole, db = merge_events(part), changes.db
    after = _event_row(bucket, whole)
    changes.log_events(
        act, [EventChange(_event_row(bucket, event), after if event.id == whole.id else None) for event in part]
    )
    db.executemany(_DELETE, [(bucket, event.start, event.id) for event in part])
    db.execute(_INSERT, (bucket, whole.start, whole.id, whole.duration, whole.value))


def _event_row(bucket: int, event: OldEvent) -> EventRow:
    return EventRow(bucket, event.start + ORIGIN, event.id, event.duration, event.value)


# Thins buckets, one after the other.
#
# act      doing ─▶ done ─▶ undone
#            ╰ cut off: done at the next start, as far as it came


_OWN: Final = "thin_bucket"


class Downsampler:
    """Thins one bucket at a time. `alone` keeps redactions and imports away for the length of a day's events."""

    def __init__(
        self, writer: Writer, readers: ReaderPool, alone: asyncio.Lock, clock: Callable[[], Microseconds]
    ) -> None:
        self._writer = writer
        self._readers = readers
        self._alone = alone
        self._clock = clock

    async def thin(self, days: Mapping[str, int]) -> list[DownsampledBucket]:
        """Thin these buckets; those that are gone by then are left out."""
        await self.settle()
        thinned: list[DownsampledBucket] = []
        for bucket_id, age in days.items():
            now = self._clock()
            try:
                key = await asyncio.to_thread(self._key, bucket_id)
            except BucketNotFound:
                continue
            rows = _Rows(self._writer, self._readers, self._alone, key=key, days=age, now=now)
            thinned.append(await downsample_bucket(rows, bucket_id, days=age, now=now))
        return thinned

    async def settle(self) -> None:
        """What was cut off is done, as far as it came."""
        await self._writer.change(_settle)

    def _key(self, bucket_id: str) -> int:
        with self._readers.connection() as db:
            return bucket_key(db, bucket_id)


class _Rows:
    """The rows of one bucket, see OldRows."""

    def __init__(
        self, writer: Writer, readers: ReaderPool, alone: asyncio.Lock, *, key: int, days: int, now: Microseconds
    ) -> None:
        self._writer = writer
        self._readers = readers
        self._key = key
        self._days = days
        self._now = now
        self.alone = alone
        self.pace = SlicePace()

    def months(self, cutoff: Microseconds) -> list[Span]:
        with self._readers.connection() as db:
            return months_to_thin(db, self._key, cutoff)

    def days(self, month: Span) -> list[Span]:
        with self._readers.connection() as db:
            return days_to_thin(db, self._key, month)

    def events(self, day: Span) -> list[OldEvent]:
        with self._readers.connection() as db:
            return old_events(db, self._key, day)

    async def begin(self) -> int:
        return await self._writer.change(partial(_begin, key=self._key, now=self._now, days=self._days))

    async def merge(self, act: int, parts: Sequence[Sequence[OldEvent]]) -> int:
        merge = partial(merge_slice, parts=parts, act=act, bucket=self._key)
        return await paced_change(self._writer, merge, rows=sum(map(len, parts)), pace=self.pace)

    async def end(self, act: int) -> None:
        await self._writer.change(lambda changes: changes.end_operation(act))


def _begin(changes: SqliteTransaction, *, key: int, now: Microseconds, days: int) -> int:
    state = changes.catalogue.by_key(key)
    bucket_id = "" if state is None else state.bucket.id
    note_thinned(changes.db, key, cutoff_of(now, days))
    operation = changes.add_operation(
        _OWN, now=now, bucket=bucket_id, bucket_key=key, detail={"days": days}, state="doing"
    )
    changes.log_slice(operation, events=0)
    return operation


def _settle(changes: SqliteTransaction) -> None:
    for operation in changes.unfinished_operations():
        if operation.kind == _OWN and operation.state == "doing":
            changes.end_operation(operation.key)
