"""Imports: documents are staged in a child process, then merged in short slices between heartbeats.

    TenantImporter                          buckets, slices, progress, error texts
    ──────── ImportEngine ────────
    sqlite/transfer/ postgres/transfer/     SQL, where rows are compared

A crash leaves whole slices behind; sending the documents again skips those and continues.
"""

from collections import deque
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, suppress
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Final, NamedTuple, Protocol

from msgspec import UNSET

from dayline.model.errors import BucketExists, Conflict, MirrorReadOnly, StoreBusy
from dayline.model.time import Microseconds
from dayline.model.upkeep.mirror import is_mirror
from dayline.storage.columns.segment_plan import OnMonthImported
from dayline.storage.disk_faults import child_error
from dayline.storage.engine.tenant import TenantWriter
from dayline.storage.engine.transaction import WriteTransaction
from dayline.storage.operations.children import ChildFailed, ChildFunction
from dayline.storage.operations.claims import check_idle, claiming, complete
from dayline.storage.transfer.report import ImportProgress, ImportReport, ImportSurvey
from dayline.storage.transfer.staging import (
    Staged,
    StagedBucket,
    StagedPart,
    StagedRange,
    StagingResult,
    StagingRules,
    error_of,
    new_bucket,
)

RENEWAL_S: Final = 5.0  # between two renewals of the claim; it is lost after LEASE_S of the engine


class MergedRows(NamedTuple):
    """How many rows of a slice were merged, from the first on, and how many of them are new."""

    rows: int
    imported: int


class SliceMerger(Protocol):
    """Merges staged rows into one tenant's data."""

    @property
    def ranges(self) -> Sequence[StagedRange]:
        """All staged rows; a slice never spans two ranges."""
        ...

    @property
    def rows(self) -> int:
        """How many rows to merge in the next slice at most."""
        ...

    async def merge(self, bucket: StagedBucket, rows: StagedRange) -> MergedRows:
        """Store those of these rows that the bucket does not have, in one change; it may stop before the last one."""
        ...


class ImportEngine(Protocol):
    """What an engine provides for imports. `path` is the file of staged rows."""

    async def survey(self, path: Path, staged: Staged) -> ImportSurvey:
        """Compare the staged rows with the stored ones."""
        ...

    def merging(self, path: Path, staged: Staged) -> AbstractAsyncContextManager[SliceMerger]: ...


class TenantImporter:
    """Bulk imports of one tenant. `folder` starts empty and is removed afterwards."""

    def __init__(self, engine: ImportEngine, writer: TenantWriter) -> None:
        self._engine = engine
        self._writer = writer

    async def survey(self, spooled: Sequence[Path], *, rules: StagingRules, folder: Path) -> ImportSurvey:
        """What `run` would do, with the same errors, without changing anything."""
        path = _staged_path(folder)
        return await self._engine.survey(path, await stage_documents(path, spooled, rules))

    async def run(
        self,
        spooled: Sequence[Path],
        *,
        rules: StagingRules,
        folder: Path,
        now: Microseconds,
        on_progress: ImportProgress | None,
        on_month: OnMonthImported,
    ) -> ImportReport:
        """Stage the documents, then merge the rows. Raises Malformed, Invalid and Unavailable errors."""
        path = _staged_path(folder)
        staged = await stage_documents(path, spooled, rules)
        merged = _Progress(staged.rows, on_progress)
        try:
            begin = partial(begin_import, staged=staged, now=now)
            async with claiming(self._writer, begin) as operation, self._engine.merging(path, staged) as merger:
                await self._merge(merger, staged, merged, operation, FinishedMonths(staged, on_month))
        except StoreBusy as error:
            raise StoreBusy(
                f"{error.message}; {merged.imported:,} events of the import are stored",
                hint="send the document again later: stored events are skipped",
            ) from error
        return ImportReport(
            buckets=len(staged.buckets),
            imported=merged.imported,
            skipped=staged.events - merged.imported,
            invalid=staged.invalid,
            dropped=staged.dropped or UNSET,
        )

    async def _merge(
        self, merger: SliceMerger, staged: Staged, merged: "_Progress", operation: int, months: "FinishedMonths"
    ) -> None:
        buckets = {bucket.number: bucket for bucket in staged.buckets}
        for each in merger.ranges:
            first = each.first
            while first <= each.last:
                if merged.is_renewal_due():
                    await self._writer.change(partial(_renew, operation=operation, events=merged.unlogged()))
                rows = StagedRange(bucket=each.bucket, first=first, last=min(first + merger.rows - 1, each.last))
                first += (await complete(merger.merge(buckets[each.bucket], rows), merged.add)).rows
                months.note(first - 1)


class FinishedMonths:
    """Reports each month of a bucket once all of its rows are merged."""

    def __init__(self, staged: Staged, on_month: OnMonthImported) -> None:
        self._ids = {bucket.number: bucket.own_id for bucket in staged.buckets}
        self._parts = deque(staged.parts)  # ascending, as rows are merged
        self._last = {self._place(part): part.first for part in staged.parts}  # a bucket may be in several documents
        self._on_month = on_month

    def note(self, last: int) -> None:
        """The rows up to this number are merged."""
        while self._parts and self._parts[0].last <= last:
            part = self._parts.popleft()
            if self._last[self._place(part)] == part.first:
                self._on_month(*self._place(part), part.rows)

    def _place(self, part: StagedPart) -> tuple[str, int]:
        return self._ids[part.bucket], part.month


class _Progress:
    """Counts the rows of an import that were merged, and says when to renew its claim."""

    def __init__(self, total: int, on_progress: ImportProgress | None) -> None:
        self._total = total
        self._on_progress = on_progress
        self._done = self._logged = 0
        self._renewed_at = monotonic()
        self.imported = 0

    def add(self, merged: MergedRows) -> None:
        self._done += merged.rows
        self.imported += merged.imported
        if self._on_progress is not None:
            self._on_progress(self._done, self._total, self.imported)

    def is_renewal_due(self) -> bool:
        return monotonic() - self._renewed_at >= RENEWAL_S

    def unlogged(self) -> int:
        """The number of rows since the last call, with which the claim is renewed now."""
        since, self._logged, self._renewed_at = self._done - self._logged, self._done, monotonic()
        return since


def _staged_path(folder: Path) -> Path:
    return (folder / "staged.db").resolve()  # as SQLite reports the name of an attached file


def begin_import(tx: WriteTransaction, *, staged: Staged, now: Microseconds) -> int:
    """Create the missing buckets, all or none: one may have a text that the database cannot store; claim all of them.

    Raises Conflict if another operation works on one of them, or one has another id than when its rules were applied.
    """
    ids = [bucket.id for bucket in staged.buckets]
    existing = tx.find_all(ids)
    check_idle(tx, {row.key for row in existing.values()})
    for bucket in staged.buckets:
        stored = existing.get(bucket.id)
        if stored is not None and stored.bucket.id != bucket.own_id:
            raise Conflict(
                f"bucket {bucket.id!r} was renamed or merged while the import was being read; nothing was imported",
                hint="send the document again",
            )
        if stored is not None and is_mirror(stored.bucket):
            raise MirrorReadOnly(stored.bucket.hostname)
    for bucket in staged.buckets:
        if bucket.id not in existing:
            with suppress(BucketExists):  # it is in two documents, or was created concurrently
                tx.create_bucket(new_bucket(bucket, now))
    rows = {row.key: row.bucket.id for row in tx.find_all(ids).values()}
    name = next(iter(rows.values())) if len(rows) == 1 else ""
    detail = {"buckets": list(rows), "of": staged.rows}
    operation = tx.add_operation("import_events", now=now, bucket=name, detail=detail, state="doing")
    tx.log_slice(operation, events=0)
    return operation


def _renew(tx: WriteTransaction, *, operation: int, events: int) -> None:
    tx.log_slice(operation, events=events)


# Recording has priority: a large document is read and staged by two processes.
run_staging = ChildFunction("dayline.storage.transfer.staging_worker:stage_with_limits", StagingResult, niceness=10)


async def stage_documents(path: Path, documents: Sequence[Path], rules: StagingRules) -> Staged:
    """Read, check and sort the documents into a file of rows, in a child process. Raises Malformed or Invalid."""
    try:
        outcome = await run_staging(path, list(documents), rules)
    except ChildFailed as error:
        raise child_error("the import was stopped before it changed anything", str(error), path.parent) from error
    if outcome.refusal is not None:
        raise error_of(outcome.refusal)
    if outcome.staged is None:
        raise AssertionError("staging returns rows or a refusal")
    return outcome.staged
