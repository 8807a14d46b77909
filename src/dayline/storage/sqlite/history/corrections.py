"""Mends events in short slices between heartbeats, as one act that can be undone, also where it was cut off.

act    doing ─▶ done      killed while doing: what was mended by then is in the trash all the same
"""

import asyncio
import contextlib
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import islice

from msgspec import Struct

from dayline.model.errors import DaylineError, Gone, StoreBusy
from dayline.model.time import Microseconds
from dayline.model.upkeep import ActKind
from dayline.storage.background import SlicePace
from dayline.storage.history.contract import EventMend, MendOutcome, Neighbour
from dayline.storage.sqlite.file.schema import ORIGIN
from dayline.storage.sqlite.rows import undo_log
from dayline.storage.sqlite.writing.catalogue import BucketState
from dayline.storage.sqlite.writing.transaction import Changes
from dayline.storage.sqlite.writing.writer import OnceWriter, Writer, timed


class _Progress(Struct):
    """How far a mend has come."""

    act: int | None = None
    removed: int = 0
    changed: int = 0
    skipped: int = 0


async def mend_events(
    writer: Writer | OnceWriter,
    mends: Mapping[str, Iterator[EventMend]],
    *,
    under_way: set[int],
    now: Microseconds,
    kind: ActKind = "mend_events",
) -> dict[str, MendOutcome]:
    """Mend one bucket after the other. `under_way` has the number of an act for as long as it is not to be undone.

    An event that is no longer as it was found, or whose reason is gone, is left alone. Raises BucketNotFound, and Gone
    where somebody has emptied the trash meanwhile.
    """
    outcomes = {
        bucket_id: await _mend_bucket(writer, bucket_id, some, under_way=under_way, now=now, kind=kind)
        for bucket_id, some in mends.items()
    }
    await writer.change(lambda changes: None)  # keeps the token of the call, also where there was nothing to mend
    return outcomes


async def _mend_bucket(
    writer: Writer | OnceWriter,
    bucket_id: str,
    mends: Iterator[EventMend],
    *,
    under_way: set[int],
    now: Microseconds,
    kind: ActKind,
) -> MendOutcome:
    pace, progress = SlicePace(), _Progress()
    begun: set[int] = set()
    try:
        while some := await asyncio.to_thread(_some, mends, pace.rows):
            slice_ = partial(
                _slice,
                bucket_id=bucket_id,
                mends=some,
                progress=progress,
                noted=(begun, under_way),
                now=now,
                kind=kind,
            )
            progress = await writer.change(timed(slice_, rows=len(some), pace=pace), rows=len(some))
        await writer.change(partial(_end, act=progress.act))
    except DaylineError as error:
        # What was done stays, and can be undone. Where the file takes no writes now, the next start sees to it.
        with contextlib.suppress(DaylineError):
            await writer.change(partial(_end, act=progress.act))
        if isinstance(error, StoreBusy) and progress.act is not None:
            hint = f"what was mended by then can be undone: dayline undo {progress.act}"
            raise StoreBusy(error.message, hint=hint) from error
        raise
    finally:
        under_way -= begun
    return MendOutcome(removed=progress.removed, changed=progress.changed, skipped=progress.skipped, undo=progress.act)


def _some(mends: Iterator[EventMend], rows: int) -> list[EventMend]:
    return list(islice(mends, rows))


def _slice(
    changes: Changes,
    *,
    bucket_id: str,
    mends: Sequence[EventMend],
    progress: _Progress,
    noted: Sequence[set[int]],
    now: Microseconds,
    kind: ActKind,
) -> _Progress:
    """Mend some; how far it has come then. Changes nothing of what it was given: the slice may be tried again."""
    state = changes.catalogue.find(bucket_id)
    act = progress.act
    if act is not None and changes.db.execute("SELECT state FROM act WHERE key = ?", (act,)).get != "doing":
        raise Gone("mending was stopped: what it had done so far is no longer in the trash")
    removed = changed = skipped = 0
    for mend in mends:
        if not _fits(changes, state, mend):
            skipped += 1
            continue
        if act is None:
            act = undo_log.begin(changes.db, kind, now=now, bucket=state.bucket.id, bucket_key=state.key, state="doing")
            for numbers in noted:
                numbers.add(act)
        _mend(changes, state, mend, act)
        removed += mend.new_duration is None
        changed += mend.new_duration is not None
    if removed or changed:
        changes.db.execute("UPDATE act SET events = events + ? WHERE key = ?", (removed + changed, act))
    return _Progress(act, progress.removed + removed, progress.changed + changed, progress.skipped + skipped)


def _fits(changes: Changes, state: BucketState, mend: EventMend) -> bool:
    """Whether the event is as it was found, and what it has to give way to is still there."""
    place = (mend.start - ORIGIN, mend.duration, mend.value)
    return changes.place_of(state, mend.id) == place and (
        mend.because_of is None or _is_there(changes, state, mend.because_of)
    )


def _is_there(changes: Changes, state: BucketState, other: Neighbour) -> bool:
    place = changes.place_of(state, other.id)
    return place is not None and (place[0] + ORIGIN, place[2]) == (other.start, other.value)


def _mend(changes: Changes, state: BucketState, mend: EventMend, act: int) -> None:
    start = mend.start - ORIGIN
    before = (start, mend.duration, mend.value)
    after = None if mend.new_duration is None else (start, mend.new_duration, mend.value)
    undo_log.note_event(changes.db, act, mend.id, state.key, before=before, after=after)
    changes.remove_event(state, mend.id, before)
    if after is not None:
        changes.put_event(state, mend.id, after)


def _end(changes: Changes, *, act: int | None) -> None:
    """It is done, if there was anything to do."""
    if act is not None:
        undo_log.end(changes.db, act)
