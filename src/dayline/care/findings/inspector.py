"""Finds what looks wrong in the data, and mends it, one kind at a time."""

import asyncio
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import apsw
import msgspec

from dayline.care.devices import renamed_hosts
from dayline.care.findings.looking import Found, Looked, LookOrder, look
from dayline.model.errors import Conflict, StoreUnusable, Unavailable
from dayline.model.findings import ONE_AT_A_TIME, FindingKind, Findings, Mended, MendedBucket, MendRequest, RenamedHost
from dayline.model.timestamps import Microseconds
from dayline.storage.background import Background
from dayline.storage.base import Store
from dayline.storage.child import ChildFailed, run_child
from dayline.storage.mending import EventMend, MendOutcome

MANY_EVENTS: Final = 20_000  # more than these are looked at by a process of its own: it takes its time to start
GAP: Final[Microseconds] = 30 * 60_000_000

_line = msgspec.json.Decoder(EventMend)


class Inspector:
    """Looks at the events of one database. One look is made at a time, and one mend."""

    def __init__(self, database: Path, scratch: Callable[[], Path], clock: Callable[[], Microseconds]) -> None:
        self._database = database
        self._scratch = scratch
        self._clock = clock
        self._looking = asyncio.Lock()
        self._mending = asyncio.Lock()
        self._background = Background("mending")

    async def find(
        self, store: Store, kinds: Sequence[FindingKind], *, bucket: str | None = None, gap: Microseconds = GAP
    ) -> Findings:
        """What looks wrong, in one bucket or in all. Raises BucketNotFound."""
        if bucket is not None:
            store.bucket(bucket)
        looked = await self._look(store, self._order(kinds, bucket, gap))
        return Findings(
            buckets=looked.buckets,
            events=looked.events,
            findings=[one.finding for one in looked.found],
            renamed_hosts=[] if bucket is not None else _renamed(store),
        )

    async def preview(self, store: Store, request: MendRequest) -> Mended:
        """What mending would do. Raises BucketNotFound, or Conflict where it is not for that bucket."""
        _check(store, request)
        looked = await self._look(store, self._order([request.kind], request.bucket))
        return _mended(request, [_planned(found) for found in looked.found if found.finding.is_mendable])

    async def mend(self, store: Store, request: MendRequest) -> Mended:
        """Mend; in each bucket it is one act, that can be undone. Raises as `preview` does.

        It goes on where the client has gone meanwhile.
        """
        _check(store, request)
        return await asyncio.shield(self._background.start(self._mend(store, request)))

    async def _mend(self, store: Store, request: MendRequest) -> Mended:
        async with self._mending:
            folder = await asyncio.to_thread(self._scratch)
            try:
                looked = await self._look(store, self._order([request.kind], request.bucket), folder)
                found = {one.finding.bucket: one for one in looked.found if one.finding.is_mendable}
                outcomes = await store.mend_events(
                    {bucket: _planned_mends(folder / one.plan) for bucket, one in found.items()}
                )
                return _mended(request, [_done(found[bucket], outcome) for bucket, outcome in outcomes.items()])
            finally:
                await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    def _order(self, kinds: Sequence[FindingKind], bucket: str | None, gap: Microseconds = GAP) -> LookOrder:
        return LookOrder(now=self._clock(), kinds=list(kinds), bucket=bucket, gap=gap)

    async def _look(self, store: Store, order: LookOrder, plans: Path | None = None) -> Looked:
        async with self._looking:
            if await asyncio.to_thread(_events_in, store) <= MANY_EVENTS:
                return await asyncio.to_thread(_look_here, self._database, order, plans)
            return await _look_elsewhere(self._database, order, plans)


def _check(store: Store, request: MendRequest) -> None:
    if request.bucket is None:
        return
    bucket = store.bucket(request.bucket)
    if request.kind == "overlaps" and bucket.type not in ONE_AT_A_TIME:
        raise Conflict(
            f"events of bucket {bucket.id!r} may be meant to overlap: its type is {bucket.type!r}",
            hint=f"overlaps are mended in buckets of the types {', '.join(sorted(ONE_AT_A_TIME))}",
        )


def _events_in(store: Store) -> int:
    return sum(store.count(bucket, start=None, end=None) for bucket in store.buckets())


def _look_here(database: Path, order: LookOrder, plans: Path | None) -> Looked:
    try:
        return look(database, order, plans)
    except apsw.Error as error:
        raise StoreUnusable(f"the events could not be looked through: {error}") from error


async def _look_elsewhere(database: Path, order: LookOrder, plans: Path | None) -> Looked:
    arguments = (database,) if plans is None else (database, plans)
    try:
        answer = await run_child("dayline.care.findings.looking", *arguments, given=msgspec.json.encode(order))
    except ChildFailed as error:
        raise Unavailable(f"the events could not be looked through: {error}") from error
    return msgspec.json.decode(answer, type=Looked)


def _planned_mends(plan: Path) -> Iterator[EventMend]:
    with plan.open("rb") as lines:
        for line in lines:
            yield _line.decode(line)


def _done(found: Found, outcome: MendOutcome) -> MendedBucket:
    finding = found.finding
    return MendedBucket(
        bucket=finding.bucket,
        removed=outcome.removed,
        changed=outcome.changed,
        skipped=outcome.skipped,
        seconds=finding.seconds,
        examples=finding.examples,
        undo=outcome.undo,
    )


def _planned(found: Found) -> MendedBucket:
    return _done(found, MendOutcome(removed=found.removed, changed=found.changed, skipped=0, undo=None))


def _mended(request: MendRequest, buckets: list[MendedBucket]) -> Mended:
    return Mended(
        kind=request.kind,
        dry_run=request.dry_run,
        removed=sum(bucket.removed for bucket in buckets),
        changed=sum(bucket.changed for bucket in buckets),
        buckets=buckets,
    )


def _renamed(store: Store) -> list[RenamedHost]:
    found = renamed_hosts(store.buckets().values())
    return [RenamedHost(old=one.old, new=one.new, reason=one.reason) for one in found]
