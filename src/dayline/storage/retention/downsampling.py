"""Downsampling: which old events are merged into one, in which order, and in which slices.

   events of one hour   [a][b][a]  [a][c]        a three times 5 min, b, c
   become               [a          ][b] [c]     a 15 min from the first start, with the lowest id

   operation            doing ─▶ done ─▶ undone
                          ╰ interrupted: marked as done at the next start, or by the next run

Merging part of a group and then the rest gives the same event as merging all at once, so a group of any size is merged
in slices. Events are read outside the write transaction; each slice checks that they have not changed.
"""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from itertools import chain
from typing import Final, Protocol, TypeAlias

from dayline.model.errors import BucketNotFound, StoreBusy
from dayline.model.time import DAY, SECOND, Microseconds, start_of_month
from dayline.model.upkeep import DownsampledBucket, DownsamplingPreview
from dayline.storage.engine import EventChange, EventRow, Exclusive, TenantWriter, WriteTransaction
from dayline.storage.operations.background import SlicePace

HOUR: Final[Microseconds] = 3600 * SECOND

Span: TypeAlias = tuple[Microseconds, Microseconds]  # the first start, and the end (exclusive) of starts
Fence: TypeAlias = Callable[[WriteTransaction], None]  # raises StoreBusy if another server has taken over

log = logging.getLogger(__name__)


class DownsamplingReads(Protocol):
    """Reads of one tenant, each in a short transaction. Call them on a thread.

    Events can be merged if their duration is not negative and no redaction that can be undone has changed their value:
    undoing it has to distinguish the events that it changed.
    """

    def bucket_key(self, bucket_id: str) -> int:
        """The key of the bucket with this id or alias. Raises BucketNotFound."""
        ...

    def months(self, bucket: int) -> list[tuple[int, int]]:
        """The number of each month with events, in order, and how many it has."""
        ...

    def days(self, bucket: int, span: Span) -> list[Microseconds]:
        """The starts of the days (UTC) that have events of a span to merge, in order."""
        ...

    def events(self, bucket: int, span: Span) -> list[EventRow]:
        """The events that can be merged, ordered by start and id."""
        ...

    def count_removed(self, bucket: int, span: Span) -> int:
        """How many fewer events a span would have."""
        ...

    def event_bytes(self) -> float:
        """The average size of an event with its share of the indexes."""
        ...


class DownsamplingEngine(Protocol):
    """Downsampling of one tenant in one engine."""

    @property
    def reads(self) -> DownsamplingReads: ...

    def lease(self) -> AbstractAsyncContextManager[Fence]:
        """Keep other servers from changing old events; waits for the one that does.

        Call the fence in every transaction, after locking buckets.
        """
        ...

    def new_pace(self) -> SlicePace: ...


class Downsampler:
    """Downsamples one bucket after the other. `exclusive` keeps out redactions and imports for one day's events."""

    def __init__(
        self,
        engine: DownsamplingEngine,
        writer: TenantWriter,
        exclusive: Exclusive,
        clock: Callable[[], Microseconds],
    ) -> None:
        self._engine = engine
        self._reads = engine.reads
        self._writer = writer
        self._exclusive = exclusive
        self._clock = clock

    async def downsample(self, days: Mapping[str, int]) -> list[DownsampledBucket]:
        """Downsample these buckets; deleted ones are skipped."""
        await self.settle()
        downsampled: list[DownsampledBucket] = []
        for bucket_id, age in days.items():
            try:
                key = await asyncio.to_thread(self._reads.bucket_key, bucket_id)
            except BucketNotFound:
                continue
            async with self._engine.lease() as fence:
                downsampled.append(await self._downsample(bucket_id, key, age, fence))
        return downsampled

    async def settle(self) -> None:
        """Mark interrupted runs as done. Call it while this server downsamples nothing."""
        async with self._engine.lease() as fence:
            await self._writer.change(partial(_settle, fence=fence))

    async def _downsample(self, bucket_id: str, key: int, days: int, fence: Fence) -> DownsampledBucket:
        now = self._clock()
        cutoff, pace = cutoff_of(now, days), self._engine.new_pace()
        operation: int | None = None
        removed = 0
        for month in await asyncio.to_thread(lambda: spans_before(self._reads.months(key), cutoff)):
            for day in await asyncio.to_thread(self._days, key, month):
                if operation is None:
                    operation = await self._writer.change(
                        partial(_begin, bucket=key, now=now, cutoff=cutoff, fence=fence)
                    )
                merge = partial(_merge_slice, bucket=key, operation=operation, fence=fence)
                async with self._exclusive():
                    removed += await self._downsample_day(key, day, merge, pace)
        if operation is not None:
            await self._end(operation)
        if removed:
            log.info("bucket %s: downsampling removed %d events", bucket_id, removed)
        return DownsampledBucket(bucket=bucket_id, days=days, removed=removed, undo=operation if removed else None)

    async def _downsample_day(self, key: int, day: Span, merge: Callable[..., int], pace: SlicePace) -> int:
        groups = groups_of(await asyncio.to_thread(self._reads.events, key, day))
        removed = 0
        for parts in _slices(groups, pace):
            rows = sum(map(len, parts))
            removed += await pace.with_pause(self._writer.change(partial(merge, parts=parts), rows=rows), rows=rows)
        return removed

    async def _end(self, operation: int) -> None:
        await self._writer.change(lambda tx: tx.end_operation(operation))

    def _days(self, key: int, month: Span) -> list[Span]:
        first, after = month
        return [(max(first, start), min(after, start + DAY)) for start in self._reads.days(key, month)]


def _settle(tx: WriteTransaction, *, fence: Fence) -> None:
    fence(tx)
    for operation in tx.unfinished_operations():
        if operation.kind == "downsample_bucket" and operation.state == "doing":
            tx.end_operation(operation.key)


def _begin(tx: WriteTransaction, *, bucket: int, now: Microseconds, cutoff: Microseconds, fence: Fence) -> int:
    row = tx.bucket_by_key(bucket)
    fence(tx)
    tx.set_downsampled(bucket, cutoff)
    bucket_id = "" if row is None else row.bucket.id
    operation = tx.add_operation("downsample_bucket", now=now, bucket=bucket_id, bucket_key=bucket, state="doing")
    tx.log_slice(operation, events=0)
    return operation


def _merge_slice(
    tx: WriteTransaction, *, bucket: int, operation: int, parts: Sequence[Sequence[EventRow]], fence: Fence
) -> int:
    """Merge the events that have not changed; returns how many fewer there are. A group occurs once per call."""
    row = tx.bucket_by_key(bucket)
    fence(tx)
    found = tx.operation(operation)
    if found is None or found.state != "doing":
        raise StoreBusy(
            "downsampling was stopped: it was interrupted for too long", hint="the part that was done can be undone"
        )
    if row is None:
        return 0
    current = tx.events_by_id(bucket, [event.id for event in chain.from_iterable(parts)])
    unchanged = [part for part in parts if all(current.get(event.id) == event for event in part)]
    if not unchanged:
        return 0
    merged = list(map(merge_events, unchanged))
    changes = [
        EventChange(event, whole if event.id == whole.id else None)
        for part, whole in zip(unchanged, merged, strict=True)
        for event in part
    ]
    tx.log_events(operation, changes)
    tx.remove_events(row, list(chain.from_iterable(unchanged)))
    tx.put_events(row, merged)
    tx.notify(row.bucket.id, "changed")
    tx.log_slice(operation, events=len(changes))
    return len(changes) - len(unchanged)


def preview(reads: DownsamplingReads, days: Mapping[str, int], *, now: Microseconds) -> list[DownsamplingPreview]:
    """What downsampling these buckets would do; deleted ones are skipped. Call it on a thread: it may take seconds."""
    event_bytes = reads.event_bytes()
    previews: list[DownsamplingPreview] = []
    for bucket_id, age in days.items():
        try:
            key = reads.bucket_key(bucket_id)
        except BucketNotFound:
            continue
        months = reads.months(key)
        events = sum(count for _, count in months)
        removed = sum(reads.count_removed(key, span) for span in spans_before(months, cutoff_of(now, age)))
        size = round(removed * event_bytes)
        previews.append(
            DownsamplingPreview(bucket=bucket_id, days=age, events=events, after=events - removed, bytes=size)
        )
    return previews


def cutoff_of(now: Microseconds, days: int) -> Microseconds:
    """Events that started before this are downsampled; a full hour."""
    return (now - days * DAY) // HOUR * HOUR


def spans_before(months: Iterable[tuple[int, int]], cutoff: Microseconds) -> list[Span]:
    """The spans up to the cutoff that may have events to merge, one per month."""
    spans = [
        (start_of_month(number), min(start_of_month(number + 1), cutoff)) for number, events in months if events > 1
    ]
    return [(first, after) for first, after in spans if first < after]


def groups_of(events: Iterable[EventRow]) -> list[list[EventRow]]:
    """Groups of events that become one event each."""
    groups: dict[tuple[int, int], list[EventRow]] = defaultdict(list)
    for event in events:
        groups[event.start // HOUR, event.value].append(event)
    return [group for group in groups.values() if len(group) > 1]


def merge_events(events: Sequence[EventRow]) -> EventRow:
    """The event that replaces several."""
    return EventRow(
        bucket=events[0].bucket,
        start=min(event.start for event in events),
        id=min(event.id for event in events),
        duration=sum(event.duration for event in events),
        value=events[0].value,
    )


def _slices(groups: Sequence[Sequence[EventRow]], pace: SlicePace) -> Iterator[list[list[EventRow]]]:
    """Split groups into slices of about `pace.rows` events, in order."""
    parts: list[list[EventRow]] = []
    for group in groups:
        rows = pace.rows
        for part in _parts(group, rows):
            parts.append(part)
            if sum(map(len, parts)) >= min(rows, pace.rows):
                yield parts
                parts = []
    if parts:
        yield parts


def _parts(group: Sequence[EventRow], rows: int) -> Iterator[list[EventRow]]:
    """Split a group into parts of `rows` events, each starting with the result of the part before."""
    before: EventRow | None = None
    for first in range(0, len(group), rows):
        part = [*([] if before is None else [before]), *group[first : first + rows]]
        if len(part) > 1:
            yield part
        before = merge_events(part)
