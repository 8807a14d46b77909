"""Thins buckets: bucket after bucket, day after day, in slices between heartbeats.

    act      doing ─▶ done ─▶ undone
               ╰ cut off: done at the next start, as far as it came

What is to be merged is read beside the writer; each slice looks whether the events are still so.
"""

import asyncio
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from dayline.model.errors import BucketNotFound, Unavailable
from dayline.model.retention import ThinnedBucket
from dayline.model.timestamps import Microseconds
from dayline.storage.slice_pace import SlicePace
from dayline.storage.sqlite import acts
from dayline.storage.sqlite.changes import Changes
from dayline.storage.sqlite.connection import ReaderPool
from dayline.storage.sqlite.paced import paced_change
from dayline.storage.sqlite.reader import bucket_key
from dayline.storage.sqlite.thinning_rows import (
    OldEvent,
    cutoff_of,
    days_to_thin,
    groups_of,
    merge_slice,
    months_to_thin,
    note_thinned,
    parts_of,
)
from dayline.storage.sqlite.writer import Writer

RETRY_S: Final = 10.0  # how long settling waits after the file took no writes
_OWN: Final = "thin_bucket"

log = logging.getLogger(__name__)


class Thinner:
    """Thins one bucket at a time. `alone` keeps redactions and imports away for the length of a day's events."""

    def __init__(
        self, writer: Writer, readers: ReaderPool, alone: asyncio.Lock, clock: Callable[[], Microseconds]
    ) -> None:
        self._writer = writer
        self._readers = readers
        self._alone = alone
        self._clock = clock

    async def thin(self, days: Mapping[str, int]) -> list[ThinnedBucket]:
        """Thin these buckets; those that are gone by then are left out."""
        await self.settle()
        thinned: list[ThinnedBucket] = []
        for bucket_id, age in days.items():
            try:
                thinned.append(await self._thin(bucket_id, age))
            except BucketNotFound:
                continue
        return thinned

    async def settle(self) -> None:
        """What was cut off is done, as far as it came."""
        await self._writer.change(_settle)

    async def settle_patiently(self) -> None:
        while True:
            try:
                return await self.settle()
            except Unavailable:
                await asyncio.sleep(RETRY_S)

    async def _thin(self, bucket_id: str, days: int) -> ThinnedBucket:
        key = await asyncio.to_thread(self._key, bucket_id)
        cutoff, pace = cutoff_of(self._clock(), days), SlicePace()
        act: int | None = None
        removed = 0
        for span in await asyncio.to_thread(self._months, key, cutoff):
            for day in await asyncio.to_thread(self._days, key, span):
                if act is None:
                    act = await self._writer.change(partial(_begin, key=key, now=self._clock(), days=days))
                async with self._alone:
                    groups = await asyncio.to_thread(self._groups, key, day)
                    for parts in _slices(groups, pace):
                        removed += await self._merge(parts, act=act, bucket=key, pace=pace)
        if act is not None:
            await self._writer.change(partial(_end, act=act))
        if removed:
            log.info("bucket %s was thinned: %d events fewer", bucket_id, removed)
        return ThinnedBucket(bucket=bucket_id, days=days, removed=removed, undo=act if removed else None)

    async def _merge(self, parts: Sequence[Sequence[OldEvent]], *, act: int, bucket: int, pace: SlicePace) -> int:
        merge = partial(merge_slice, parts=parts, act=act, bucket=bucket)
        return await paced_change(self._writer, merge, rows=sum(map(len, parts)), pace=pace)

    def _key(self, bucket_id: str) -> int:
        with self._readers.connection() as db:
            return bucket_key(db, bucket_id)

    def _months(self, key: int, cutoff: int) -> list[tuple[int, int]]:
        with self._readers.connection() as db:
            return months_to_thin(db, key, cutoff)

    def _days(self, key: int, span: tuple[int, int]) -> list[tuple[int, int]]:
        with self._readers.connection() as db:
            return days_to_thin(db, key, span)

    def _groups(self, key: int, day: tuple[int, int]) -> list[list[OldEvent]]:
        with self._readers.connection() as db:
            return groups_of(db, key, day)


def _slices(groups: Sequence[Sequence[OldEvent]], pace: SlicePace) -> Iterator[list[list[OldEvent]]]:
    """Parts of groups, about as many events together as a slice may have; in order."""
    parts: list[list[OldEvent]] = []
    for group in groups:
        for part in parts_of(group, pace.rows):
            parts.append(part)
            if sum(map(len, parts)) >= pace.rows:
                yield parts
                parts = []
    if parts:
        yield parts


def _begin(changes: Changes, *, key: int, now: Microseconds, days: int) -> int:
    state = changes.catalogue.by_key(key)
    bucket_id = "" if state is None else state.bucket.id
    note_thinned(changes.db, key, cutoff_of(now, days))
    return acts.begin(changes.db, _OWN, now=now, bucket=bucket_id, bucket_key=key, detail={"days": days}, state="doing")


def _end(changes: Changes, *, act: int) -> None:
    """It is done; where it did nothing, it never was."""
    acts.count_events(changes.db, act)
    acts.set_state(changes.db, act, "done")
    changes.db.execute("DELETE FROM act WHERE key = ? AND events = 0", (act,))


def _settle(changes: Changes) -> None:
    for act in acts.unfinished(changes.db):
        if act.kind == _OWN and act.state == "doing":
            _end(changes, act=act.key)
