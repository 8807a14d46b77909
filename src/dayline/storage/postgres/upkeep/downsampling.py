"""Downsamples old events of one bucket after the other, in slices between heartbeats."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from itertools import chain
from time import perf_counter
from typing import Final

import msgspec

from dayline.model.errors import BucketNotFound, StoreBusy
from dayline.model.time import DAY, Microseconds, start_of_month
from dayline.model.upkeep import DownsampledBucket, DownsamplingPreview
from dayline.storage.background import SlicePace
from dayline.storage.engine import EventChange, EventRow
from dayline.storage.postgres.connection import Connection, Readers, as_array
from dayline.storage.postgres.redaction.lease import check_lease, leased
from dayline.storage.postgres.rows.buckets import BucketRecord
from dayline.storage.postgres.rows.reader import bucket_key
from dayline.storage.postgres.upkeep.space import table_sizes
from dayline.storage.postgres.writing.transaction import PostgresTransaction
from dayline.storage.postgres.writing.writer import PostgresTenantWriter
from dayline.storage.retention.downsampling import HOUR, OldEvent, Span, cutoff_of, downsample_bucket, merge_events

# Events whose values a redaction has changed, or moved events to, are not merged until it is final: undoing it has to
# distinguish the events that it changed.
_REDACTED: Final = "SELECT value FROM redacted_value WHERE tenant = %(tenant)s AND bucket = %(bucket)s"
_OLD: Final = f"""
event WHERE tenant = %(tenant)s AND bucket = %(bucket)s AND start >= %(first)s AND start < %(after)s
AND duration >= 0 AND value NOT IN ({_REDACTED})
"""
_MONTHS: Final = "SELECT month FROM month WHERE tenant = %s AND bucket = %s AND events > 1 ORDER BY month"
_DAYS: Final = f"""
SELECT DISTINCT start / {DAY} FROM (
    SELECT min(start) AS start FROM {_OLD} GROUP BY start / {HOUR}, value HAVING count(*) > 1
) AS hour ORDER BY 1
"""
_FEWER: Final = f"""
SELECT coalesce(sum(events - 1), 0)::bigint FROM (
    SELECT count(*) AS events FROM {_OLD} GROUP BY start / {HOUR}, value
) AS hour
"""
_EVENTS: Final = f"SELECT id, start, duration, value FROM {_OLD} ORDER BY start, id"
# Looked up one by one by key: see transfer/imports.py.
_AS_SEEN: Final = f"""
SELECT seen.id FROM unnest(%(ids)s::bigint[], %(starts)s::bigint[], %(durations)s::bigint[], %(values)s::bigint[])
    AS seen(id, start, duration, value),
LATERAL (
    SELECT FROM event
    WHERE tenant = %(tenant)s AND bucket = %(bucket)s AND start = seen.start AND id = seen.id
    AND duration = seen.duration AND value = seen.value LIMIT 1
) AS still
WHERE seen.value NOT IN ({_REDACTED})
"""


def months_to_downsample(db: Connection, tenant: str, bucket: int, cutoff: Microseconds) -> list[Span]:
    """The months that may have events to downsample."""
    months = [month for (month,) in db.execute(_MONTHS, (tenant, bucket)).fetchall()]
    spans = [(start_of_month(month), min(start_of_month(month + 1), cutoff)) for month in months]
    return [(first, after) for first, after in spans if first < after]


def days_to_downsample(db: Connection, tenant: str, bucket: int, span: Span) -> list[Span]:
    """The days of a span that have events to merge."""
    first, after = span
    starts = [day * DAY for (day,) in db.execute(_DAYS.encode(), _place(tenant, bucket, span)).fetchall()]
    return [(max(first, start), min(after, start + DAY)) for start in starts]


def count_removed(db: Connection, tenant: str, bucket: int, span: Span) -> int:
    """How many fewer events a span would have."""
    row = db.execute(_FEWER.encode(), _place(tenant, bucket, span)).fetchone()
    assert row is not None
    return int(row[0])


def old_events(db: Connection, tenant: str, bucket: int, span: Span) -> list[OldEvent]:
    """The events of a span that may be merged."""
    return msgspec.convert(db.execute(_EVENTS.encode(), _place(tenant, bucket, span)).fetchall(), list[OldEvent])


def merge_slice(
    turn: PostgresTransaction, state: BucketRecord, operation: int, parts: Sequence[Sequence[OldEvent]]
) -> int:
    """Merge the events that have not changed; returns how many fewer there are. The operation is in progress."""
    bucket = state.key
    seen = _as_seen(turn, bucket, list(chain.from_iterable(parts)))
    whole = [part for part in parts if all(event.id in seen for event in part)]
    if not whole:
        return 0
    turn.log_events(operation, list(_notes(bucket, whole)))
    removed = [_row(bucket, event) for part in whole for event in part]
    turn.remove_events(state, removed)
    for part in whole:
        turn.put(_row(bucket, merge_events(part)), is_new=True)
    turn.notify(state.bucket.id, "changed")
    turn.log_slice(operation, events=len(removed))
    return len(removed) - len(whole)


def _as_seen(turn: PostgresTransaction, bucket: int, events: Sequence[OldEvent]) -> set[int]:
    """The ids of the events that have not changed."""
    columns = {
        "ids": as_array(event.id for event in events),
        "starts": as_array(event.start for event in events),
        "durations": as_array(event.duration for event in events),
        "values": as_array(event.value for event in events),
    }
    rows = turn.db.execute(_AS_SEEN.encode(), {**columns, "tenant": turn.tenant, "bucket": bucket}, prepare=False)
    return {event_id for (event_id,) in rows.fetchall()}


def _notes(bucket: int, parts: Sequence[Sequence[OldEvent]]) -> Iterator[EventChange]:
    for part in parts:
        whole = merge_events(part)
        for event in part:
            yield EventChange(_row(bucket, event), _row(bucket, whole) if event.id == whole.id else None)


def _row(bucket: int, event: OldEvent) -> EventRow:
    return EventRow(bucket, event.start, event.id, event.duration, event.value)


def _place(tenant: str, bucket: int, span: Span) -> dict[str, object]:
    return {"tenant": tenant, "bucket": bucket, "first": span[0], "after": span[1]}


# Downsamples the buckets of a tenant, one after the other.
#
#     operation   doing ─▶ done ─▶ undone
#                   ╰ interrupted: marked as done by the next server that checks
#
# One server changes the history of a tenant at a time, by rules of privacy or of retention: see redaction/lease.py.


SLICE_S: Final = 0.03  # target duration of a slice: a heartbeat waits for at most one
_SET_DOWNSAMPLED: Final = "UPDATE bucket SET downsampled = greatest(downsampled, %s) WHERE tenant = %s AND key = %s"


class Downsampler:
    """Downsamples one bucket at a time, while no other server does."""

    def __init__(
        self, tenant_writer: PostgresTenantWriter, readers: Readers, clock: Callable[[], Microseconds]
    ) -> None:
        self._tenant_writer = tenant_writer
        self._readers = readers
        self._clock = clock

    async def downsample(self, days: Mapping[str, int]) -> list[DownsampledBucket]:
        """Downsample these buckets; deleted ones are skipped."""
        async with leased(self._tenant_writer) as owner:
            await self._tenant_writer.change(partial(_settle, owner=owner))
        downsampled: list[DownsampledBucket] = []
        for bucket_id, age in days.items():
            try:
                downsampled.append(await self._downsample(bucket_id, age))
            except BucketNotFound:
                continue
        return downsampled

    async def _downsample(self, bucket_id: str, days: int) -> DownsampledBucket:
        now = self._clock()
        key = await asyncio.to_thread(self._key, bucket_id)
        async with leased(self._tenant_writer) as owner:
            rows = _Rows(self._tenant_writer, self._readers, owner, key=key, days=days, now=now)
            return await downsample_bucket(rows, bucket_id, days=days, now=now)

    def _key(self, bucket_id: str) -> int:
        with self._readers.transaction(self._tenant_writer.tenant) as db:
            return bucket_key(db, self._tenant_writer.tenant, bucket_id)


class _Rows:
    """The rows of one bucket; see OldRows."""

    def __init__(
        self,
        tenant_writer: PostgresTenantWriter,
        readers: Readers,
        owner: str,
        *,
        key: int,
        days: int,
        now: Microseconds,
    ) -> None:
        self._tenant_writer = tenant_writer
        self._readers = readers
        self._owner = owner
        self._key = key
        self._days = days
        self._now = now
        self.exclusive = nullcontext()  # this server holds the lease
        self.pace = SlicePace(seconds=SLICE_S)

    def months(self, cutoff: Microseconds) -> list[Span]:
        with self._readers.transaction(self._tenant_writer.tenant) as db:
            return months_to_downsample(db, self._tenant_writer.tenant, self._key, cutoff)

    def days(self, month: Span) -> list[Span]:
        with self._readers.transaction(self._tenant_writer.tenant) as db:
            return days_to_downsample(db, self._tenant_writer.tenant, self._key, month)

    def events(self, day: Span) -> list[OldEvent]:
        with self._readers.transaction(self._tenant_writer.tenant) as db:
            return old_events(db, self._tenant_writer.tenant, self._key, day)

    async def begin(self) -> int:
        cutoff = cutoff_of(self._now, self._days)
        return await self._tenant_writer.change(
            partial(_begin, owner=self._owner, key=self._key, now=self._now, cutoff=cutoff)
        )

    async def merge(self, operation: int, parts: Sequence[Sequence[OldEvent]]) -> int:
        started = perf_counter()
        removed = await self._tenant_writer.change(partial(self._merge, operation=operation, parts=parts))
        took_s = perf_counter() - started
        self.pace.note(sum(map(len, parts)), took_s)
        await asyncio.sleep(took_s)  # otherwise every heartbeat would have to wait for a slice
        return removed

    async def end(self, operation: int) -> None:
        await self._tenant_writer.change(lambda turn: turn.end_operation(operation))

    def _merge(self, turn: PostgresTransaction, operation: int, parts: Sequence[Sequence[OldEvent]]) -> int:
        state = turn.bucket_by_key(self._key)
        check_lease(turn, self._owner)
        found = turn.operation(operation)
        if found is None or found.state != "doing":
            raise StoreBusy(
                "downsampling was stopped: it was interrupted for too long", hint="the part that was done can be undone"
            )
        return 0 if state is None else merge_slice(turn, state, operation, parts)


def _begin(turn: PostgresTransaction, *, owner: str, key: int, now: Microseconds, cutoff: Microseconds) -> int:
    state = turn.bucket_by_key(key)
    check_lease(turn, owner)
    bucket_id = "" if state is None else state.bucket.id
    turn.db.execute(_SET_DOWNSAMPLED, (cutoff, turn.tenant, key))
    operation = turn.add_operation("downsample_bucket", now=now, bucket=bucket_id, bucket_key=key, state="doing")
    turn.log_slice(operation, events=0)
    return operation


def _settle(turn: PostgresTransaction, *, owner: str) -> None:
    """Mark interrupted runs as done. We hold the lease, so no other server is working on them."""
    check_lease(turn, owner)
    for operation in turn.unfinished_operations():
        if operation.kind == "downsample_bucket" and operation.state == "doing":
            turn.end_operation(operation.key)


# A preview of downsampling, computed by the database month by month.


_PREVIEW_EVENTS = "SELECT coalesce(sum(events), 0)::bigint FROM month WHERE tenant = %s AND bucket = %s"


def preview(readers: Readers, tenant: str, days: Mapping[str, int], *, now: Microseconds) -> list[DownsamplingPreview]:
    """Preview downsampling of buckets, in short transactions. Call it on a thread."""
    with readers.transaction(tenant) as db:
        event_bytes = table_sizes(db, tenant).event_bytes
    found: list[DownsamplingPreview] = []
    for bucket_id, age in days.items():
        try:
            key, events, months = _bucket(readers, tenant, bucket_id, cutoff_of(now, age))
        except BucketNotFound:
            continue
        removed = sum(_removed(readers, tenant, key, month) for month in months)
        size = round(removed * event_bytes)
        found.append(DownsamplingPreview(bucket=bucket_id, days=age, events=events, after=events - removed, bytes=size))
    return found


def _bucket(readers: Readers, tenant: str, bucket_id: str, cutoff: Microseconds) -> tuple[int, int, list[Span]]:
    with readers.transaction(tenant) as db:
        key = bucket_key(db, tenant, bucket_id)
        row = db.execute(_PREVIEW_EVENTS, (tenant, key)).fetchone()
        return key, 0 if row is None else int(row[0]), months_to_downsample(db, tenant, key, cutoff)


def _removed(readers: Readers, tenant: str, key: int, month: Span) -> int:
    with readers.transaction(tenant) as db:
        return count_removed(db, tenant, key, month)
