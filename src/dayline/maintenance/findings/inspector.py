"""Finds problems in the data, and fixes them, one kind at a time."""

import asyncio
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from dayline.maintenance.devices import renamed_hosts
from dayline.maintenance.findings.scan import PlannedFinding, ScanJob, ScanOrder, ScanResult, scan
from dayline.model.errors import Conflict, Unavailable
from dayline.model.time import Microseconds
from dayline.model.upkeep.findings import (
    ONE_AT_A_TIME,
    FindingKind,
    Findings,
    FixedBucket,
    FixRequest,
    FixResult,
    RenamedHost,
)
from dayline.runtime.background import DetachedTasks
from dayline.runtime.spool import open_spool
from dayline.storage.history.contract import CorrectionResult, EventCorrection
from dayline.storage.opening import open_rows
from dayline.storage.operations.children import ChildFailed, run_child
from dayline.storage.store import Store
from dayline.storage.transfer.event_rows import RowsLocation

MANY_EVENTS: Final = 20_000  # more are scanned by a child process, which takes time to start
GAP: Final[Microseconds] = 30 * 60_000_000

_line = msgspec.json.Decoder(EventCorrection)


class Inspector:
    """Scans one tenant's events. Runs one scan and one fix at a time.

    `turn` is shared by all tenants of a server: each scan takes a processor and a connection.
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
        self._scanning = asyncio.Lock()
        self._turn = turn or asyncio.Lock()
        self._fixing = asyncio.Lock()
        self._calls = DetachedTasks("fixing findings")

    async def close(self) -> None:
        """Stop fixing. What was fixed can be undone."""
        await self._calls.close()

    async def find(
        self, store: Store, kinds: Sequence[FindingKind], *, bucket: str | None = None, gap: Microseconds = GAP
    ) -> Findings:
        """The findings in one bucket or in all. Raises BucketNotFound."""
        own_id = None if bucket is None else store.bucket(bucket).id  # resolves an alias
        result = await self._scan(self._order(kinds, own_id, gap))
        return Findings(
            buckets=result.buckets,
            events=result.events,
            findings=[one.finding for one in result.findings],
            renamed_hosts=[] if bucket is not None else _renamed(store),
        )

    async def preview(self, store: Store, request: FixRequest) -> FixResult:
        """What a fix would do. Raises BucketNotFound, or Conflict if it does not apply to that bucket."""
        request = _resolve_bucket(store, request)
        result = await self._scan(self._order([request.kind], request.bucket))
        return _result(request, [_planned(each) for each in result.findings if each.finding.is_mendable])

    async def fix(self, store: Store, request: FixRequest) -> FixResult:
        """Fix one kind of finding, with one undo entry per bucket. Raises the same errors as `preview`.

        Continues if the client disconnects.
        """
        request = _resolve_bucket(store, request)
        return await self._calls.run(self._fix(store, request))

    async def _fix(self, store: Store, request: FixRequest) -> FixResult:
        async with self._fixing:
            folder = await asyncio.to_thread(self._scratch)
            try:
                result = await self._scan(self._order([request.kind], request.bucket), folder)
                plans = {one.finding.bucket: one for one in result.findings if one.finding.is_mendable}
                outcomes = await store.correct_events(
                    {bucket: _planned_fixes(folder / one.plan) for bucket, one in plans.items()}
                )
                return _result(request, [_done(plans[bucket], outcome) for bucket, outcome in outcomes.items()])
            finally:
                await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    def _order(self, kinds: Sequence[FindingKind], bucket: str | None, gap: Microseconds = GAP) -> ScanOrder:
        return ScanOrder(now=self._clock(), kinds=list(kinds), bucket=bucket, gap=gap)

    async def _scan(self, order: ScanOrder, plans: Path | None = None) -> ScanResult:
        # The tenant's own lock first, so that a tenant with many requests waits for other tenants each time.
        async with self._scanning, self._turn:
            result = await asyncio.to_thread(_scan_here, self._place, order, plans)
            return await _scan_in_child(self._place, order, plans) if result is None else result


def _resolve_bucket(store: Store, request: FixRequest) -> FixRequest:
    """The request with the bucket's own id. Raises Conflict if the fix does not apply to its type."""
    if request.bucket is None:
        return request
    bucket = store.bucket(request.bucket)
    if request.kind == "overlaps" and bucket.type not in ONE_AT_A_TIME:
        raise Conflict(
            f"cannot fix overlaps in bucket {bucket.id!r}: events of type {bucket.type!r} may overlap",
            hint=f"overlaps can be fixed in buckets of the types {', '.join(sorted(ONE_AT_A_TIME))}",
        )
    return replace(request, bucket=bucket.id)


def _scan_here(location: RowsLocation, order: ScanOrder, plans: Path | None) -> ScanResult | None:
    """The result; None if there are too many events to scan in this process."""
    with open_rows(location) as rows:
        if sum(bucket.events for bucket in rows.buckets()) > MANY_EVENTS:
            return None
        return scan(rows, order, plans)


async def _scan_in_child(location: RowsLocation, order: ScanOrder, plans: Path | None) -> ScanResult:
    arguments = () if plans is None else (plans,)
    # The address is sent on standard input: it may contain a password, and command lines are public.
    given = msgspec.json.encode(ScanJob(place=location, order=order))
    try:
        answer = await run_child("dayline.maintenance.findings.scan", *arguments, given=given)
    except ChildFailed as error:
        raise Unavailable(f"cannot scan the events: {error}") from error
    return msgspec.json.decode(answer, type=ScanResult)


def _planned_fixes(plan: Path) -> Iterator[EventCorrection]:
    with open_spool(plan) as lines:
        for line in lines:
            yield _line.decode(line)


def _done(planned: PlannedFinding, outcome: CorrectionResult) -> FixedBucket:
    finding = planned.finding
    return FixedBucket(
        bucket=finding.bucket,
        removed=outcome.removed,
        changed=outcome.changed,
        skipped=outcome.skipped,
        seconds=finding.seconds,
        examples=finding.examples,
        undo=outcome.undo,
    )


def _planned(planned: PlannedFinding) -> FixedBucket:
    return _done(planned, CorrectionResult(removed=planned.removed, changed=planned.changed, skipped=0, undo=None))


def _result(request: FixRequest, buckets: list[FixedBucket]) -> FixResult:
    return FixResult(
        kind=request.kind,
        dry_run=request.dry_run,
        removed=sum(bucket.removed for bucket in buckets),
        changed=sum(bucket.changed for bucket in buckets),
        buckets=buckets,
    )


def _renamed(store: Store) -> list[RenamedHost]:
    renamings = renamed_hosts(store.buckets().values())
    return [RenamedHost(old=one.old, new=one.new, reason=one.reason) for one in renamings]
