"""Thins buckets, one after the other.

act      doing ─▶ done ─▶ undone
           ╰ cut off: done at the next start, as far as it came
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

from dayline.model.errors import BucketNotFound
from dayline.model.retention import ThinnedBucket
from dayline.model.timestamps import Microseconds
from dayline.storage.retention.thinning import OldEvent, Span, cutoff_of, thin_bucket
from dayline.storage.slice_pace import SlicePace
from dayline.storage.sqlite.file.connection import ReaderPool
from dayline.storage.sqlite.rows import acts
from dayline.storage.sqlite.rows.reader import bucket_key
from dayline.storage.sqlite.upkeep.thinning_rows import (
    days_to_thin,
    merge_slice,
    months_to_thin,
    note_thinned,
    old_events,
)
from dayline.storage.sqlite.writing.changes import Changes
from dayline.storage.sqlite.writing.paced import paced_change
from dayline.storage.sqlite.writing.writer import Writer

_OWN: Final = "thin_bucket"


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
            now = self._clock()
            try:
                key = await asyncio.to_thread(self._key, bucket_id)
            except BucketNotFound:
                continue
            rows = _Rows(self._writer, self._readers, self._alone, key=key, days=age, now=now)
            thinned.append(await thin_bucket(rows, bucket_id, days=age, now=now))
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
        await self._writer.change(partial(_end, act=act))


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
