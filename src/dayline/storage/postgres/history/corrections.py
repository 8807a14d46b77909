"""Mends events in short slices between heartbeats, as one act that can be undone, also where it was cut off.

act    doing ─▶ done      cut off while doing: what was mended by then is in the trash all the same
"""

import asyncio
import contextlib
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Final

import msgspec
from msgspec import Struct

from dayline.model.errors import DaylineError, Gone, StoreBusy
from dayline.model.time import Microseconds
from dayline.model.upkeep import ActKind
from dayline.storage.history.contract import EventMend, MendOutcome
from dayline.storage.postgres.rows import undo_log
from dayline.storage.postgres.rows.undo_log import EventNote
from dayline.storage.postgres.writing.changes import rows_by_id
from dayline.storage.postgres.writing.transaction import EventRow, Turn
from dayline.storage.postgres.writing.writer import Scribe

SLICE_ROWS: Final = 500


class _Progress(Struct, frozen=True):
    """How far a mend has come."""

    act: int | None = None
    removed: int = 0
    changed: int = 0
    skipped: int = 0


async def mend_events(
    scribe: Scribe, mends: Mapping[str, Iterator[EventMend]], *, now: Microseconds, kind: ActKind = "mend_events"
) -> dict[str, MendOutcome]:
    """Mend one bucket after the other.

    An event that is no longer as it was found, or whose reason is gone, is left alone. Raises BucketNotFound, and Gone
    where somebody has emptied the trash meanwhile.
    """
    outcomes = {
        bucket_id: await _mend_bucket(scribe, bucket_id, some, now=now, kind=kind) for bucket_id, some in mends.items()
    }
    await scribe.begin()  # keeps the token of the call, also where there was nothing to mend
    return outcomes


async def _mend_bucket(
    scribe: Scribe, bucket_id: str, mends: Iterator[EventMend], *, now: Microseconds, kind: ActKind
) -> MendOutcome:
    progress = _Progress()
    try:
        while some := await asyncio.to_thread(_some, mends):
            slice_ = partial(_slice, bucket_id=bucket_id, mends=some, progress=progress, now=now, kind=kind)
            progress = await scribe.change(slice_)
    except StoreBusy as error:
        if progress.act is None:
            raise
        # The task of the trash sees to its end when the database is back.
        hint = f"what was mended by then can be undone: dayline undo {progress.act}"
        raise StoreBusy(error.message, hint=hint) from error
    finally:
        # Also where it was cut off: what was done stays, and can be undone.
        with contextlib.suppress(DaylineError):
            await _end(scribe, progress.act)
    return MendOutcome(removed=progress.removed, changed=progress.changed, skipped=progress.skipped, undo=progress.act)


async def _end(scribe: Scribe, act: int | None) -> None:
    if act is not None:
        await scribe.change(lambda turn: undo_log.end(turn, act))


def _some(mends: Iterator[EventMend]) -> list[EventMend]:
    return list(islice(mends, SLICE_ROWS))


def _slice(
    turn: Turn, *, bucket_id: str, mends: Sequence[EventMend], progress: _Progress, now: Microseconds, kind: ActKind
) -> _Progress:
    """Mend some; how far it has come then. Changes nothing of what it was given: the slice may be tried again."""
    state = turn.find(bucket_id)
    act = progress.act
    if act is not None:
        found = undo_log.lock_any(turn, act)
        if found is None or found.state != "doing":
            raise Gone("mending was stopped: what it had done so far is no longer in the trash")
    ids = dict.fromkeys([mend.id for mend in mends] + [mend.because_of.id for mend in mends if mend.because_of])
    before = rows_by_id(turn, state.key, ids)
    after = dict(before)
    removed, changed, mended = _mended(mends, after)
    skipped = len(mends) - removed - changed
    if mended:
        if act is None:
            act = undo_log.begin(turn, kind, now=now, bucket=state.bucket.id, bucket_key=state.key, state="doing")
        undo_log.note_events(turn, act, [EventNote(before[event_id], after.get(event_id)) for event_id in mended])
        undo_log.note_slice(turn, act, events=removed + changed)
        turn.remove(state, [before[event_id] for event_id in mended])
        for event_id in mended:
            if event_id in after:
                turn.put(after[event_id], is_new=True)
        turn.tell(state.bucket.id, "changed")
    return _Progress(act, progress.removed + removed, progress.changed + changed, progress.skipped + skipped)


def _mended(mends: Sequence[EventMend], rows: dict[int, EventRow]) -> tuple[int, int, dict[int, None]]:
    """Mend rows one after the other; how many were removed and changed, and which."""
    removed = changed = 0
    mended: dict[int, None] = {}
    for mend in mends:
        row = rows.get(mend.id)
        if row is None or not _fits(mend, row, rows):
            continue
        mended[mend.id] = None
        if mend.new_duration is None:
            del rows[mend.id]
            removed += 1
        else:
            rows[mend.id] = msgspec.structs.replace(row, duration=mend.new_duration)
            changed += 1
    return removed, changed, mended


def _fits(mend: EventMend, row: EventRow, rows: Mapping[int, EventRow]) -> bool:
    """Whether the event is as it was found, and what it has to give way to is still there."""
    if (row.start, row.duration, row.value) != (mend.start, mend.duration, mend.value):
        return False
    if mend.because_of is None:
        return True
    other = rows.get(mend.because_of.id)
    return other is not None and (other.start, other.value) == (mend.because_of.start, mend.because_of.value)
