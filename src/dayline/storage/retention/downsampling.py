"""Downsampling: which events are merged into one, and in which slices.

   events of one hour   [a][b][a]  [a][c]        a three times 5 min, b, c
   become               [a          ][b] [c]     a 15 min from the first start, with the lowest id

Merging part of a group and then the rest gives the same event as merging all at once, so a group of any size is merged
in slices. Events are read outside the write transaction; each slice checks that they have not changed.
"""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Final, Protocol

from msgspec import Struct

from dayline.model.time import DAY, SECOND, Microseconds
from dayline.model.upkeep import DownsampledBucket
from dayline.storage.background import SlicePace

HOUR: Final[Microseconds] = 3600 * SECOND

Span = tuple[int, int]  # the first start, and the end (exclusive) of starts

log = logging.getLogger(__name__)


class OldEvent(Struct, frozen=True, array_like=True):
    """An event to be merged with others. `start` is relative to the engine's origin, which is a full hour."""

    id: int
    start: int
    duration: int
    value: int


class OldRows(Protocol):
    """The rows of one bucket while it is downsampled. Call the synchronous methods on a thread.

    `exclusive` keeps out other work that changes stored values, for the length of one day's events.
    """

    @property
    def pace(self) -> SlicePace: ...

    @property
    def exclusive(self) -> AbstractAsyncContextManager[None]: ...

    def months(self, cutoff: Microseconds) -> list[Span]:
        """The months that may have events to downsample, up to the cutoff."""
        ...

    def days(self, month: Span) -> list[Span]:
        """The days that have events to merge."""
        ...

    def events(self, day: Span) -> list[OldEvent]:
        """The events that may be merged, ordered by start and id."""
        ...

    async def begin(self) -> int:
        """Log the operation and return its number."""
        ...

    async def merge(self, operation: int, parts: Sequence[Sequence[OldEvent]]) -> int:
        """Merge the events that have not changed; returns how many fewer there are. A group occurs once per call."""
        ...

    async def end(self, operation: int) -> None:
        """Mark the operation as done; delete it if it changed nothing."""
        ...


async def downsample_bucket(rows: OldRows, bucket_id: str, *, days: int, now: Microseconds) -> DownsampledBucket:
    """Downsample a bucket day by day."""
    operation: int | None = None
    removed = 0
    for month in await asyncio.to_thread(rows.months, cutoff_of(now, days)):
        for day in await asyncio.to_thread(rows.days, month):
            if operation is None:
                operation = await rows.begin()
            async with rows.exclusive:
                removed += await _downsample_day(rows, operation, day)
    if operation is not None:
        await rows.end(operation)
    if removed:
        log.info("bucket %s: downsampling removed %d events", bucket_id, removed)
    return DownsampledBucket(bucket=bucket_id, days=days, removed=removed, undo=operation if removed else None)


async def _downsample_day(rows: OldRows, operation: int, day: Span) -> int:
    groups = groups_of(await asyncio.to_thread(rows.events, day))
    return sum([await rows.merge(operation, parts) for parts in _slices(groups, rows.pace)])


def cutoff_of(now: Microseconds, days: int) -> Microseconds:
    """Events that started before this are downsampled; a full hour."""
    return (now - days * DAY) // HOUR * HOUR


def groups_of(events: Iterable[OldEvent]) -> list[list[OldEvent]]:
    """Groups of events that become one event each."""
    groups: dict[tuple[int, int], list[OldEvent]] = defaultdict(list)
    for event in events:
        groups[event.start // HOUR, event.value].append(event)
    return [group for group in groups.values() if len(group) > 1]


def merge_events(events: Sequence[OldEvent]) -> OldEvent:
    """The event that replaces several."""
    return OldEvent(
        id=min(event.id for event in events),
        start=min(event.start for event in events),
        duration=sum(event.duration for event in events),
        value=events[0].value,
    )


def _slices(groups: Sequence[Sequence[OldEvent]], pace: SlicePace) -> Iterator[list[list[OldEvent]]]:
    """Split groups into slices of about `pace.rows` events, in order."""
    parts: list[list[OldEvent]] = []
    for group in groups:
        rows = pace.rows
        for part in _parts(group, rows):
            parts.append(part)
            if sum(map(len, parts)) >= min(rows, pace.rows):
                yield parts
                parts = []
    if parts:
        yield parts


def _parts(group: Sequence[OldEvent], rows: int) -> Iterator[list[OldEvent]]:
    """Split a group into parts of `rows` events, each starting with the result of the part before."""
    before: OldEvent | None = None
    for first in range(0, len(group), rows):
        part = [*([] if before is None else [before]), *group[first : first + rows]]
        if len(part) > 1:
            yield part
        before = merge_events(part)
