"""Thins the buckets of a tenant, one after the other.

    act      doing ─▶ done ─▶ undone
               ╰ cut off: done at the next look, of whichever server, as far as it came

One server changes the history of a tenant at a time, by rules of privacy or of retention: see `redaction_owner`.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from time import perf_counter
from typing import Final

from dayline.model.errors import BucketNotFound, StoreBusy
from dayline.model.retention import ThinnedBucket
from dayline.model.timestamps import Microseconds
from dayline.storage.postgres.connections.connection import Readers
from dayline.storage.postgres.redaction.redaction_owner import hold, owned
from dayline.storage.postgres.rows import acts, slices
from dayline.storage.postgres.rows.reader import bucket_key
from dayline.storage.postgres.upkeep.thinning_rows import days_to_thin, merge_slice, months_to_thin, old_events
from dayline.storage.postgres.writing.bucket_changes import lock_key
from dayline.storage.postgres.writing.scribe import Scribe
from dayline.storage.postgres.writing.turn import Turn
from dayline.storage.retention.thinning import OldEvent, Span, cutoff_of, thin_bucket
from dayline.storage.slice_pace import SlicePace

SLICE_S: Final = 0.03  # what a slice should take: a heartbeat waits for one at most
_NOTE_THINNED: Final = "UPDATE bucket SET thinned = greatest(thinned, %s) WHERE tenant = %s AND key = %s"


class Thinner:
    """Thins one bucket at a time, and no other server does meanwhile."""

    def __init__(self, scribe: Scribe, readers: Readers, clock: Callable[[], Microseconds]) -> None:
        self._scribe = scribe
        self._readers = readers
        self._clock = clock

    async def thin(self, days: Mapping[str, int]) -> list[ThinnedBucket]:
        """Thin these buckets; those that are gone by then are left out."""
        async with owned(self._scribe) as owner:
            await self._scribe.change(partial(_settle, owner=owner))
        thinned: list[ThinnedBucket] = []
        for bucket_id, age in days.items():
            try:
                thinned.append(await self._thin(bucket_id, age))
            except BucketNotFound:
                continue
        return thinned

    async def _thin(self, bucket_id: str, days: int) -> ThinnedBucket:
        now = self._clock()
        key = await asyncio.to_thread(self._key, bucket_id)
        async with owned(self._scribe) as owner:
            rows = _Rows(self._scribe, self._readers, owner, key=key, days=days, now=now)
            return await thin_bucket(rows, bucket_id, days=days, now=now)

    def _key(self, bucket_id: str) -> int:
        with self._readers.transaction(self._scribe.tenant) as db:
            return bucket_key(db, self._scribe.tenant, bucket_id)


class _Rows:
    """The rows of one bucket, see OldRows."""

    def __init__(self, scribe: Scribe, readers: Readers, owner: str, *, key: int, days: int, now: Microseconds) -> None:
        self._scribe = scribe
        self._readers = readers
        self._owner = owner
        self._key = key
        self._days = days
        self._now = now
        self.alone = nullcontext()  # nobody else is the owner
        self.pace = SlicePace(seconds=SLICE_S)

    def months(self, cutoff: Microseconds) -> list[Span]:
        with self._readers.transaction(self._scribe.tenant) as db:
            return months_to_thin(db, self._scribe.tenant, self._key, cutoff)

    def days(self, month: Span) -> list[Span]:
        with self._readers.transaction(self._scribe.tenant) as db:
            return days_to_thin(db, self._scribe.tenant, self._key, month)

    def events(self, day: Span) -> list[OldEvent]:
        with self._readers.transaction(self._scribe.tenant) as db:
            return old_events(db, self._scribe.tenant, self._key, day)

    async def begin(self) -> int:
        cutoff = cutoff_of(self._now, self._days)
        return await self._scribe.change(
            partial(_begin, owner=self._owner, key=self._key, now=self._now, cutoff=cutoff)
        )

    async def merge(self, act: int, parts: Sequence[Sequence[OldEvent]]) -> int:
        started = perf_counter()
        removed = await self._scribe.change(partial(self._merge, act=act, parts=parts))
        took_s = perf_counter() - started
        self.pace.note(sum(map(len, parts)), took_s)
        await asyncio.sleep(took_s)  # or else every heartbeat would have to wait for a slice
        return removed

    async def end(self, act: int) -> None:
        await self._scribe.change(partial(slices.end, act=act))

    def _merge(self, turn: Turn, act: int, parts: Sequence[Sequence[OldEvent]]) -> int:
        state = lock_key(turn, self._key)
        hold(turn, self._owner)
        found = acts.lock_any(turn, act)
        if found is None or found.state != "doing":
            raise StoreBusy("thinning was held up for too long", hint="what it had done by then can be undone")
        return 0 if state is None else merge_slice(turn, state, act, parts)


def _begin(turn: Turn, *, owner: str, key: int, now: Microseconds, cutoff: Microseconds) -> int:
    state = lock_key(turn, key)
    hold(turn, owner)
    bucket_id = "" if state is None else state.bucket.id
    turn.db.execute(_NOTE_THINNED, (cutoff, turn.tenant, key))
    act = acts.begin(turn, "thin_bucket", now=now, bucket=bucket_id, bucket_key=key, state="doing")
    slices.note_slice(turn, act, events=0)
    return act


def _settle(turn: Turn, *, owner: str) -> None:
    """What was cut off is done, as far as it came: nobody goes on with it, or somebody else were the owner."""
    hold(turn, owner)
    for act in acts.unfinished(turn.db, turn.tenant):
        if act.kind == "thin_bucket" and act.state == "doing":
            slices.end(turn, act.key)
