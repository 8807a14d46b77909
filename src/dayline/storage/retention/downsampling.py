"""Downsampling: which old events are rearranged, in which order, and in which slices.

   operation            doing ─▶ done ─▶ undone
                          ╰ interrupted: marked as done at the next start, or by the next run

Buckets that active time joins are downsampled together, a quarter of an hour at a time (see rearranging.py), each with
an operation of its own. Events are read outside the write transaction; each slice checks that they have not changed.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from msgspec import Struct

from dayline.model.bucket import AWAY, FILE, PHONE_APP, TAB, UNKNOWN_HOST, WINDOW
from dayline.model.edits.annotation import ANNOTATIONS_TYPE
from dayline.model.errors import BucketNotFound, StoreBusy
from dayline.model.time import DAY, SECOND, Microseconds, start_of_month
from dayline.model.upkeep.retention import DownsampledBucket, DownsamplingPreview
from dayline.storage.columns.months import Span
from dayline.storage.engine.rows import EventChange, EventRow
from dayline.storage.engine.tenant import Exclusive, Fence, TenantReaders, TenantWriter
from dayline.storage.engine.transaction import ReadTransaction, WriteTransaction
from dayline.storage.history.contract import EventPosition
from dayline.storage.history.undo_log import UNFINISHED_STATES
from dayline.storage.operations.background import SlicePace
from dayline.storage.operations.claims import check_idle, complete, end_claim
from dayline.storage.retention.rearranging import QUARTER, Lane, Quarters, Rewrite, around, nearby
from dayline.storage.transfer.event_rows import BucketRow

HOUR: Final[Microseconds] = 3600 * SECOND
_ALL: Final = 2**31

log = logging.getLogger(__name__)


class World(Struct, frozen=True):
    """Buckets that are downsampled together: their keys, lanes, and the time up to which each is old enough."""

    buckets: list[int]
    lanes: list[Lane]
    cutoffs: dict[int, Microseconds]

    def days(self, readers: TenantReaders) -> list[Span]:
        """The days (UTC) that may have events to move."""
        days: set[Microseconds] = set()
        with readers.transaction() as tx:
            for bucket, cutoff in self.cutoffs.items():
                for month in tx.months(bucket):
                    days.update(range(start_of_month(month), min(start_of_month(month + 1), cutoff), DAY))
        return [(day, min(day + DAY, max(self.cutoffs.values()))) for day in sorted(days)]

    def plan(self, readers: TenantReaders, day: Span) -> list[Rewrite]:
        """What to do about a day."""
        first, after = around(day)
        with readers.transaction() as tx:
            events = [event for bucket in self.buckets for event in _events(tx, bucket, first, after)]
            redacted = tx.redacted_values()
        quarters = Quarters(self.buckets, self.lanes, events, redacted)
        planned = (quarters.plan(start, self._movable(start + QUARTER)) for start in range(*day, QUARTER))
        return [rewrite for rewrite in planned if rewrite is not None]

    def _movable(self, end: Microseconds) -> Collection[int]:
        return {bucket for bucket, cutoff in self.cutoffs.items() if end <= cutoff}


def worlds_of(buckets: Sequence[BucketRow], cutoffs: Mapping[int, Microseconds]) -> Iterator[World]:
    """Everything that active time joins, and every other bucket on its own. Annotations are never moved."""
    joined = [bucket for bucket in buckets if bucket.type in _JOINED]
    fixed = [bucket.key for bucket in buckets if bucket.type == ANNOTATIONS_TYPE]
    lanes, unmoved = lanes_of(joined)
    keys = [bucket.key for bucket in joined]
    movable = {key: cutoff for key, cutoff in cutoffs.items() if key in keys and key not in unmoved}
    if movable:
        yield World([*keys, *fixed], lanes, movable)
    for bucket in buckets:
        if bucket.key in cutoffs and bucket.key not in keys and bucket.key not in fixed:
            yield World([bucket.key], [Lane(buckets=(bucket.key,), gap=0)], {bucket.key: cutoffs[bucket.key]})


_JOINED: Final = frozenset((WINDOW, PHONE_APP, TAB, FILE, AWAY))


def lanes_of(buckets: Sequence[BucketRow]) -> tuple[list[Lane], set[int]]:
    """The lanes of all devices (see docs/design/active-time.md), and the buckets of which no event may be moved."""
    hosts: dict[str, list[BucketRow]] = {}
    for bucket in buckets:
        hosts.setdefault(bucket.hostname, []).append(bucket)
    watched = {bucket.hostname for bucket in buckets if bucket.type in (WINDOW, PHONE_APP)}
    everywhere = _keys(hosts.get(UNKNOWN_HOST, ()), FILE)
    lanes: list[Lane] = []
    for host, own in hosts.items():
        lanes.append(Lane(buckets=_keys(own, WINDOW, PHONE_APP), arenas=frozenset(("window",))))
        if host in watched or (watched and host == UNKNOWN_HOST):
            lanes += [Lane(buckets=(tab,), arenas=frozenset(("tab",))) for tab in _keys(own, TAB)]
        else:
            lanes.append(Lane(buckets=_keys(own, TAB), arenas=frozenset(("window", "tab"))))
        lanes.append(Lane(buckets=tuple({*_keys(own, FILE), *everywhere})))
        lanes += [Lane(buckets=(away,)) for away in _keys(own, AWAY)]
    # Files of no known device are in the lanes of all of them.
    return [lane for lane in lanes if lane.buckets], set(_keys(buckets, FILE)) if everywhere else set()


def _keys(buckets: Iterable[BucketRow], *types: str) -> tuple[int, ...]:
    return tuple(bucket.key for bucket in buckets if bucket.type in types)


class Downsampler:
    """Downsamples one world after the other. `exclusive` keeps out redactions and imports for one day's events."""

    def __init__(
        self,
        readers: TenantReaders,
        writer: TenantWriter,
        exclusive: Exclusive,
        clock: Callable[[], Microseconds],
        *,
        new_pace: Callable[[], SlicePace] = SlicePace,
    ) -> None:
        self._readers = readers
        self._writer = writer
        self._new_pace = new_pace
        self._exclusive = exclusive
        self._clock = clock

    async def downsample(self, days: Mapping[str, int]) -> list[DownsampledBucket]:
        """Downsample these buckets; deleted ones are skipped. Raises Conflict if another operation works on one."""
        await self.settle()
        rules = await asyncio.to_thread(rules_of, self._readers, days, now=self._clock())
        async with self._writer.lease() as fence:
            run = _Run(self._writer, rules, self._clock(), fence)
            await self._writer.change(lambda tx: check_idle(tx, rules.cutoffs))
            try:
                for world in rules.worlds:
                    await self._downsample(world, run)
            finally:
                await asyncio.shield(asyncio.ensure_future(run.end()))
        return [
            DownsampledBucket(bucket=bucket_id, days=age, removed=run.removed[key], undo=run.undo(key))
            for bucket_id, (key, age) in rules.buckets.items()
        ]

    async def settle(self) -> None:
        """Mark interrupted runs as done. Call it while this server downsamples nothing."""
        async with self._writer.lease() as fence:
            await self._writer.change(partial(_settle, fence=fence))

    async def _downsample(self, world: World, run: "_Run") -> None:
        pace = self._new_pace()
        for day in await asyncio.to_thread(world.days, self._readers):
            async with self._exclusive():
                for rewrites in _slices(await asyncio.to_thread(world.plan, self._readers, day), pace):
                    rows = sum(len(rewrite.before) for rewrite in rewrites)
                    await pace.with_pause(run.rewrite(rewrites, rows=rows), rows=rows)


class Rules(Struct, frozen=True):
    """The key and age of each bucket that has a rule and exists, by id, and the worlds to downsample."""

    buckets: dict[str, tuple[int, int]]
    cutoffs: dict[int, Microseconds]
    worlds: list[World]


def rules_of(readers: TenantReaders, days: Mapping[str, int], *, now: Microseconds) -> Rules:
    """Apply rules to the buckets that exist."""
    buckets: dict[str, tuple[int, int]] = {}
    with readers.transaction() as tx:
        for bucket_id, age in days.items():
            try:
                buckets[bucket_id] = tx.bucket_key(bucket_id), age
            except BucketNotFound:
                continue
        rows = tx.counted_buckets()
    mirrors = {row.key for row in rows if row.is_mirror}
    buckets = {bucket_id: rule for bucket_id, rule in buckets.items() if rule[0] not in mirrors}
    cutoffs = {key: cutoff_of(now, age) for key, age in buckets.values()}
    return Rules(buckets, cutoffs, list(worlds_of(rows, cutoffs)))


class _Run:
    """The operations of one run, one for each bucket that it changes."""

    def __init__(self, writer: TenantWriter, rules: Rules, now: Microseconds, fence: Fence) -> None:
        self._writer = writer
        self._cutoffs = rules.cutoffs
        self._now = now
        self._fence = fence
        self._operations: dict[int, int] = {}
        self.removed: Counter[int] = Counter()

    async def rewrite(self, rewrites: Sequence[Rewrite], *, rows: int) -> None:
        """Carry out plans in one transaction; those whose events have changed are skipped."""
        await complete(self._writer.change(partial(self._rewrite, rewrites), rows=rows), self._note)

    async def end(self) -> None:
        """Mark the operations as done."""
        for key, operation in self._operations.items():
            await end_claim(self._writer, operation)
            log.info("Bucket %d: downsampling removed %d events", key, self.removed[key])

    def undo(self, bucket: int) -> int | None:
        """The undo number of a bucket; None if nothing changed."""
        return self._operations.get(bucket)

    def _note(self, result: tuple[dict[int, int], Counter[int]]) -> None:
        self._operations, removed = result
        self.removed += removed

    def _rewrite(self, rewrites: Sequence[Rewrite], tx: WriteTransaction) -> tuple[dict[int, int], Counter[int]]:
        operations, removed = dict(self._operations), Counter[int]()
        tx.lock_buckets(*sorted({event.bucket for rewrite in rewrites for event in rewrite.before}))
        self._fence(tx)
        for operation in operations.values():
            _check_doing(tx, operation)
        for rewrite in rewrites:
            if _is_unchanged(tx, rewrite):
                for bucket in sorted({event.bucket for event in rewrite.before}):
                    if bucket not in operations:
                        operations[bucket] = self._begin(tx, bucket)
                    _replace(tx, bucket, operations[bucket], rewrite)
                removed += rewrite.removed
        return operations, removed

    def _begin(self, tx: WriteTransaction, bucket: int) -> int:
        row = tx.bucket_by_key(bucket)
        check_idle(tx, [bucket])
        tx.set_downsampled(bucket, self._cutoffs[bucket])
        return tx.add_operation(
            "downsample_bucket",
            now=self._now,
            bucket="" if row is None else row.bucket.id,
            bucket_key=bucket,
            state="doing",
        )


def _settle(tx: WriteTransaction, *, fence: Fence) -> None:
    fence(tx)
    for operation in tx.operations(UNFINISHED_STATES):
        if operation.kind == "downsample_bucket" and operation.state == "doing":
            tx.end_operation(operation.key)


def _check_doing(tx: WriteTransaction, operation: int) -> None:
    """Raise StoreBusy if another run has ended the operation; otherwise renew this server's claim on it."""
    current = tx.operation(operation)
    if current is None or current.state != "doing":
        raise StoreBusy(
            "downsampling was stopped: it was interrupted for too long", hint="the part that was done can be undone"
        )
    tx.log_slice(operation, events=0)


def _is_unchanged(tx: WriteTransaction, rewrite: Rewrite) -> bool:
    """Whether the events near a quarter are those that it was planned with."""
    buckets = sorted({event.bucket for event in rewrite.before})
    if any(tx.bucket_by_key(bucket) is None for bucket in buckets):
        return False
    first, after = around(rewrite.span)
    events = (event for bucket in rewrite.buckets for event in _events(tx, bucket, first, after))
    return nearby(events, rewrite.span) == rewrite.seen


def _replace(tx: WriteTransaction, bucket: int, operation: int, rewrite: Rewrite) -> None:
    row = tx.bucket_by_key(bucket)
    assert row is not None
    before = [event for event in rewrite.before if event.bucket == bucket]
    after = {event.id: event for event in rewrite.after if event.bucket == bucket}
    tx.log_events(operation, [EventChange(event, after.get(event.id)) for event in before])
    tx.remove_events(row, before)
    tx.put_events(row, list(after.values()))
    tx.notify(row.bucket.id, "changed")
    tx.log_slice(operation, events=len(before))


def _events(tx: ReadTransaction, bucket: int, first: Microseconds, after: Microseconds) -> Iterator[EventRow]:
    """The events of a bucket that overlap first..after."""
    for span in tx.begin_spans(bucket, first, after - 1):
        start = EventPosition(span[0] - 1, 0)
        for row in tx.selected_page(bucket, span, start, since=first, is_newest_first=False, rows=_ALL):
            yield EventRow(bucket=bucket, start=row.start, id=row.id, duration=row.duration, value=row.value)


def preview(
    readers: TenantReaders, days: Mapping[str, int], *, now: Microseconds, event_bytes: float
) -> list[DownsamplingPreview]:
    """What downsampling these buckets would do; deleted ones are skipped. Call it on a thread: it may take seconds.

    `event_bytes` is the average size of an event with its share of the indexes.
    """
    rules = rules_of(readers, days, now=now)
    with readers.transaction() as tx:
        events = {bucket.key: bucket.events for bucket in tx.counted_buckets()}
    removed: Counter[int] = Counter()
    for world in rules.worlds:
        for day in world.days(readers):
            for rewrite in world.plan(readers, day):
                removed += rewrite.removed
    return [
        DownsamplingPreview(
            bucket=bucket_id,
            days=age,
            events=events[key],
            after=events[key] - removed[key],
            bytes=round(removed[key] * event_bytes),
        )
        for bucket_id, (key, age) in rules.buckets.items()
    ]


def cutoff_of(now: Microseconds, days: int) -> Microseconds:
    """Events that started before this are downsampled; a full hour."""
    return (now - days * DAY) // HOUR * HOUR


def _slices(rewrites: Iterable[Rewrite], pace: SlicePace) -> Iterator[list[Rewrite]]:
    """Split plans into slices of about `pace.rows` events, in order; a quarter is never split."""
    slice_: list[Rewrite] = []
    for rewrite in rewrites:
        slice_.append(rewrite)
        if sum(len(each.before) for each in slice_) >= pace.rows:
            yield slice_
            slice_ = []
    if slice_:
        yield slice_
