"""Finds what looks wrong in the data, and mends it, one kind at a time."""

import asyncio
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from dayline.maintenance.devices import renamed_hosts
from dayline.maintenance.findings.scan import Found, Looked, LookJob, LookOrder, look
from dayline.model.errors import Conflict, Unavailable
from dayline.model.health import ONE_AT_A_TIME, FindingKind, Findings, Mended, MendedBucket, MendRequest, RenamedHost
from dayline.model.time import Microseconds
from dayline.runtime.background import DetachedTasks
from dayline.storage.background import ChildFailed, run_child
from dayline.storage.history.contract import CorrectionResult, EventCorrection
from dayline.storage.opening import open_rows
from dayline.storage.store import Store
from dayline.storage.transfer.event_rows import RowsLocation

MANY_EVENTS: Final = 20_000  # more than these are looked at by a process of its own: it takes its time to start
GAP: Final[Microseconds] = 30 * 60_000_000

_line = msgspec.json.Decoder(EventCorrection)


class Inspector:
    """Looks at one person's events. One look is made at a time, and one mend.

    `turn` is held by whoever looks, of all the people of a server: each look takes a processor and a connection.
    """

    def __init__(
        self,
        place: RowsLocation,
        scratch: Callable[[], Path],
        clock: Callable[[], Microseconds],
        *,
        turn: asyncio.Lock | None = None,
    ) -> None:
        self._place = place
        self._scratch = scratch
        self._clock = clock
        self._looking = asyncio.Lock()
        self._turn = turn or asyncio.Lock()
        self._mending = asyncio.Lock()
        self._calls = DetachedTasks("fixing findings")

    async def close(self) -> None:
        """Stop fixing; what was fixed by then can be undone."""
        await self._calls.close()

    async def find(
        self, store: Store, kinds: Sequence[FindingKind], *, bucket: str | None = None, gap: Microseconds = GAP
    ) -> Findings:
        """What looks wrong, in one bucket or in all. Raises BucketNotFound."""
        own_id = None if bucket is None else store.bucket(bucket).id  # it may be named by an alias
        looked = await self._look(self._order(kinds, own_id, gap))
        return Findings(
            buckets=looked.buckets,
            events=looked.events,
            findings=[one.finding for one in looked.found],
            renamed_hosts=[] if bucket is not None else _renamed(store),
        )

    async def preview(self, store: Store, request: MendRequest) -> Mended:
        """What mending would do. Raises BucketNotFound, or Conflict where it is not for that bucket."""
        request = _checked(store, request)
        looked = await self._look(self._order([request.kind], request.bucket))
        return _mended(request, [_planned(found) for found in looked.found if found.finding.is_mendable])

    async def mend(self, store: Store, request: MendRequest) -> Mended:
        """Mend; in each bucket it is one act, that can be undone. Raises as `preview` does.

        It goes on where the client has gone meanwhile.
        """
        request = _checked(store, request)
        return await self._calls.run(self._mend(store, request))

    async def _mend(self, store: Store, request: MendRequest) -> Mended:
        async with self._mending:
            folder = await asyncio.to_thread(self._scratch)
            try:
                looked = await self._look(self._order([request.kind], request.bucket), folder)
                found = {one.finding.bucket: one for one in looked.found if one.finding.is_mendable}
                outcomes = await store.correct_events(
                    {bucket: _planned_mends(folder / one.plan) for bucket, one in found.items()}
                )
                return _mended(request, [_done(found[bucket], outcome) for bucket, outcome in outcomes.items()])
            finally:
                await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    def _order(self, kinds: Sequence[FindingKind], bucket: str | None, gap: Microseconds = GAP) -> LookOrder:
        return LookOrder(now=self._clock(), kinds=list(kinds), bucket=bucket, gap=gap)

    async def _look(self, order: LookOrder, plans: Path | None = None) -> Looked:
        # First among a person's own: so that one who asks for many has each after those of others who wait.
        async with self._looking, self._turn:
            looked = await asyncio.to_thread(_look_here, self._place, order, plans)
            return await _look_elsewhere(self._place, order, plans) if looked is None else looked


def _checked(store: Store, request: MendRequest) -> MendRequest:
    """The same, with the bucket's own id."""
    if request.bucket is None:
        return request
    bucket = store.bucket(request.bucket)
    if request.kind == "overlaps" and bucket.type not in ONE_AT_A_TIME:
        raise Conflict(
            f"events of bucket {bucket.id!r} may be meant to overlap: its type is {bucket.type!r}",
            hint=f"overlaps are mended in buckets of the types {', '.join(sorted(ONE_AT_A_TIME))}",
        )
    return replace(request, bucket=bucket.id)


def _look_here(place: RowsLocation, order: LookOrder, plans: Path | None) -> Looked | None:
    """What was found; None where there are too many events for that."""
    with open_rows(place) as rows:
        if sum(bucket.events for bucket in rows.buckets()) > MANY_EVENTS:
            return None
        return look(rows, order, plans)


async def _look_elsewhere(place: RowsLocation, order: LookOrder, plans: Path | None) -> Looked:
    arguments = () if plans is None else (plans,)
    # The address comes on its standard input: it may have a password, and everybody sees command lines.
    given = msgspec.json.encode(LookJob(place=place, order=order))
    try:
        answer = await run_child("dayline.maintenance.findings.scan", *arguments, given=given)
    except ChildFailed as error:
        raise Unavailable(f"the events could not be looked through: {error}") from error
    return msgspec.json.decode(answer, type=Looked)


def _planned_mends(plan: Path) -> Iterator[EventCorrection]:
    with plan.open("rb") as lines:
        for line in lines:
            yield _line.decode(line)


def _done(found: Found, outcome: CorrectionResult) -> MendedBucket:
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
    return _done(found, CorrectionResult(removed=found.removed, changed=found.changed, skipped=0, undo=None))


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
