"""Corrects events in short slices between heartbeats, as one operation that can be undone even if it is interrupted.

operation    doing ─▶ done      if interrupted while doing: the corrections made so far can be undone
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import islice

import msgspec
from msgspec import Struct

from dayline.model.errors import Gone, StoreBusy
from dayline.model.time import Microseconds
from dayline.model.upkeep.undo import OperationKind
from dayline.storage.engine.rows import EventChange, EventRow
from dayline.storage.engine.tenant import TenantWriter
from dayline.storage.engine.transaction import WriteTransaction
from dayline.storage.history.contract import CorrectionResult, EventCorrection
from dayline.storage.operations.claims import check_idle, complete, end_claim


class _CorrectionProgress(Struct, frozen=True):
    """The operation and its counts so far."""

    operation: int | None = None
    removed: int = 0
    changed: int = 0
    skipped: int = 0
    duration: Microseconds = 0


async def correct_events(
    writer: TenantWriter,
    corrections: Mapping[str, Iterator[EventCorrection]],
    *,
    now: Microseconds,
    kind: OperationKind = "fix_events",
) -> dict[str, CorrectionResult]:
    """Correct the events of one bucket after the other.

    Skips an event that changed since the check, or whose reason is gone. Raises BucketNotFound, Conflict if another
    operation works on the bucket, and Gone if the trash was emptied during the correction.
    """
    outcomes = {
        bucket_id: await _correct_bucket(writer, bucket_id, some, now=now, kind=kind)
        for bucket_id, some in corrections.items()
    }
    await writer.use_tokens()  # even if there was nothing to correct
    return outcomes


async def _correct_bucket(
    writer: TenantWriter,
    bucket_id: str,
    corrections: Iterator[EventCorrection],
    *,
    now: Microseconds,
    kind: OperationKind,
) -> CorrectionResult:
    pace, progress = writer.new_pace(), _CorrectionProgress()

    def note(further: _CorrectionProgress) -> None:
        nonlocal progress
        progress = further

    await writer.plain.change(partial(_check, bucket_id=bucket_id))
    try:
        while some := await asyncio.to_thread(lambda: list(islice(corrections, pace.rows))):
            step = partial(correct_slice, bucket_id=bucket_id, corrections=some, progress=progress, now=now, kind=kind)
            await complete(writer.change(pace.timed(step, rows=len(some)), rows=len(some)), note)
    except StoreBusy as error:
        if progress.operation is None:
            raise
        hint = f"undo the corrections made so far with: dayline undo {progress.operation}"
        raise StoreBusy(error.message, hint=hint) from error
    finally:
        # Also after an interruption: the corrections made so far can be undone.
        if progress.operation is not None:
            await asyncio.shield(asyncio.ensure_future(end_claim(writer, progress.operation)))
    return CorrectionResult(
        removed=progress.removed,
        changed=progress.changed,
        skipped=progress.skipped,
        undo=progress.operation,
        duration=progress.duration,
    )


def _check(tx: WriteTransaction, *, bucket_id: str) -> None:
    """Check before events are selected: those of a merge under way are not in the bucket yet."""
    check_idle(tx, [tx.find(bucket_id).key])


def correct_slice(
    tx: WriteTransaction,
    *,
    bucket_id: str,
    corrections: Sequence[EventCorrection],
    progress: _CorrectionProgress,
    now: Microseconds,
    kind: OperationKind,
) -> _CorrectionProgress:
    """Correct some events and return the new progress. Does not change its arguments, because a slice may be
    retried.
    """
    row = tx.find(bucket_id)
    operation = progress.operation
    if operation is not None:
        current = tx.operation(operation)
        if current is None or current.state != "doing":
            raise Gone("correction stopped: its undo entry was deleted")
    ids = dict.fromkeys(
        [correction.id for correction in corrections]
        + [correction.because_of.id for correction in corrections if correction.because_of]
    )
    before = tx.events_by_id(row.key, ids)
    after = dict(before)
    removed, changed, corrected, added = _apply(corrections, after)
    skipped = len(corrections) - removed - changed
    duration = sum(before[event_id].duration for event_id in corrected)
    duration -= sum(after[event_id].duration for event_id in corrected if event_id in after)
    if corrected:
        if operation is None:
            check_idle(tx, [row.key])
            operation = tx.add_operation(kind, now=now, bucket=row.bucket.id, bucket_key=row.key, state="doing")
        tx.log_events(operation, [EventChange(before[event_id], after.get(event_id)) for event_id in corrected])
        tx.log_slice(operation, events=removed + changed + len(added))
        tx.remove_events(row, [before[event_id] for event_id in corrected])
        tx.put_events(row, [after[event_id] for event_id in corrected if event_id in after])
        if added:
            first = tx.take_event_ids(len(added))
            new = [msgspec.structs.replace(each, id=first + number) for number, each in enumerate(added)]
            tx.log_events(operation, [EventChange(None, each) for each in new])
            tx.put_events(row, new)
            duration -= sum(each.duration for each in new)
        tx.notify(row.bucket.id, "changed")
    return _CorrectionProgress(
        operation,
        progress.removed + removed,
        progress.changed + changed,
        progress.skipped + skipped,
        progress.duration + duration,
    )


def _apply(
    corrections: Sequence[EventCorrection], rows: dict[int, EventRow]
) -> tuple[int, int, dict[int, None], list[EventRow]]:
    """Correct rows in order; returns the number removed, the number changed, the ids, and new rows without an id."""
    removed = changed = 0
    corrected: dict[int, None] = {}
    added: list[EventRow] = []
    for correction in corrections:
        row = rows.get(correction.id)
        if row is None or not _is_unchanged(correction, row, rows):
            continue
        corrected[correction.id] = None
        if correction.new_duration is None:
            del rows[correction.id]
            removed += 1
        else:
            start = row.start if correction.new_start is None else correction.new_start
            rows[correction.id] = msgspec.structs.replace(row, start=start, duration=correction.new_duration)
            changed += 1
            if correction.before:
                added.append(msgspec.structs.replace(row, id=0, duration=correction.before))
    return removed, changed, corrected, added


def _is_unchanged(correction: EventCorrection, row: EventRow, rows: Mapping[int, EventRow]) -> bool:
    """Whether the event is unchanged since the check, and the event that is the reason still exists."""
    if (row.start, row.duration, row.value) != (correction.start, correction.duration, correction.value):
        return False
    if correction.because_of is None:
        return True
    other = rows.get(correction.because_of.id)
    return other is not None and (other.start, other.value) == (
        correction.because_of.start,
        correction.because_of.value,
    )
