"""Thinning in any store: which events become one, and the slices in which they do.

    events of one hour   [a][b][a]  [a][c]        a three times 5 min, b, c
    become               [a          ][b] [c]     a 15 min from where the first began, with the lowest id

Merging some of a group and then the rest gives the same event as merging all at once, so a group of any size is done in
slices. What is to be merged is read beside the writer; each slice looks whether the events are still so.
"""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Final, Protocol

from msgspec import Struct

from dayline.model.time import DAY, SECOND, Microseconds
from dayline.model.upkeep import ThinnedBucket
from dayline.storage.background import SlicePace

HOUR: Final[Microseconds] = 3600 * SECOND

Span = tuple[int, int]  # from when, and before when events begin

log = logging.getLogger(__name__)


class OldEvent(Struct, frozen=True, array_like=True):
    """An event that is to be merged with others. Its start is counted as the store counts: from the turn of an hour."""

    id: int
    start: int
    duration: int
    value: int


class OldRows(Protocol):
    """The rows of one bucket, for as long as it is thinned. What is not awaited is called on a thread.

    `alone` keeps those away who change what values say, for the length of a day's events.
    """

    @property
    def pace(self) -> SlicePace: ...

    @property
    def alone(self) -> AbstractAsyncContextManager[None]: ...

    def months(self, cutoff: Microseconds) -> list[Span]:
        """The months that may hold something to thin, cut off where it is too new."""
        ...

    def days(self, month: Span) -> list[Span]:
        """The days in which events are to be merged."""
        ...

    def events(self, day: Span) -> list[OldEvent]:
        """Those that may be merged, in order of start and id."""
        ...

    async def begin(self) -> int:
        """Note what is going to be done; what undoes it."""
        ...

    async def merge(self, act: int, parts: Sequence[Sequence[OldEvent]]) -> int:
        """Merge events as far as they are as they were seen; how many there are fewer. No group has two parts here."""
        ...

    async def end(self, act: int) -> None:
        """It is done; where it did nothing, it never was."""
        ...


async def thin_bucket(rows: OldRows, bucket_id: str, *, days: int, now: Microseconds) -> ThinnedBucket:
    """Thin a bucket, day after day."""
    act: int | None = None
    removed = 0
    for month in await asyncio.to_thread(rows.months, cutoff_of(now, days)):
        for day in await asyncio.to_thread(rows.days, month):
            if act is None:
                act = await rows.begin()
            async with rows.alone:
                removed += await _thin_day(rows, act, day)
    if act is not None:
        await rows.end(act)
    if removed:
        log.info("bucket %s was thinned: %d events fewer", bucket_id, removed)
    return ThinnedBucket(bucket=bucket_id, days=days, removed=removed, undo=act if removed else None)


async def _thin_day(rows: OldRows, act: int, day: Span) -> int:
    groups = groups_of(await asyncio.to_thread(rows.events, day))
    return sum([await rows.merge(act, parts) for parts in _slices(groups, rows.pace)])


def cutoff_of(now: Microseconds, days: int) -> Microseconds:
    """Events that began before this are thinned: whole hours only."""
    return (now - days * DAY) // HOUR * HOUR


def groups_of(events: Iterable[OldEvent]) -> list[list[OldEvent]]:
    """Events that are to become one each."""
    groups: dict[tuple[int, int], list[OldEvent]] = defaultdict(list)
    for event in events:
        groups[event.start // HOUR, event.value].append(event)
    return [group for group in groups.values() if len(group) > 1]


def merged(events: Sequence[OldEvent]) -> OldEvent:
    """One event in place of several."""
    return OldEvent(
        id=min(event.id for event in events),
        start=min(event.start for event in events),
        duration=sum(event.duration for event in events),
        value=events[0].value,
    )


def _slices(groups: Sequence[Sequence[OldEvent]], pace: SlicePace) -> Iterator[list[list[OldEvent]]]:
    """Parts of groups, about as many events together as a slice may have; in order."""
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
    """A group in parts of so many events, each of which begins with what the one before has become."""
    before: OldEvent | None = None
    for first in range(0, len(group), rows):
        part = [*([] if before is None else [before]), *group[first : first + rows]]
        if len(part) > 1:
            yield part
        before = merged(part)
