"""Carries out merges and their undoing, slice by slice between heartbeats, and goes on with what was interrupted.

Every slice takes the lock of its act and begins where the one before it has ended. So nobody owns a merge: any server
may go on with any of them, and where two do so, they take turns.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import Any, Final, TypeVar

from dayline.model.errors import Gone, StoreBusy
from dayline.model.timestamps import now_us
from dayline.model.trash import Undone
from dayline.runtime.background import DetachedTasks
from dayline.storage.history.act import Act
from dayline.storage.postgres.connections.connection import Readers
from dayline.storage.postgres.history import merging, unmerging
from dayline.storage.postgres.history.merging import SLICE_ROWS, merge_of
from dayline.storage.postgres.rows import acts
from dayline.storage.postgres.writing.scribe import Scribe
from dayline.storage.postgres.writing.turn import Turn

T = TypeVar("T")

STILL_S: Final = (
    15.0  # a merge that has not moved for so long was left: a server gives up after ten without the database
)

log = logging.getLogger(__name__)


async def merge(calls: DetachedTasks, scribe: Scribe, readers: Readers, begin: Callable[[Turn], int]) -> Act:
    """Begin a merge by what makes its act, and finish it; the act as it is then. `calls` are closed with the tenant."""

    async def work() -> Act:
        return await _finish(scribe, readers, await scribe.change(lambda turn: _small_at_once(turn, begin(turn))))

    return await _finished(calls, work())


async def undo(calls: DetachedTasks, scribe: Scribe, readers: Readers, key: int) -> Undone:
    """Undo a merge, after its end. Raises Gone or Conflict."""

    async def work() -> Undone:
        act = await asyncio.to_thread(_find, readers, scribe.tenant, key)
        if act.state == "doing":
            act = await _finish(scribe, readers, key)
        await scribe.plain.change(partial(_check, act=act))
        await asyncio.to_thread(_check_copies, readers, scribe.tenant, act)
        undone = await scribe.change(partial(begin_undoing, act=act))
        await _finish(scribe, readers, key)
        return undone

    return await _finished(calls, work())


async def go_on(calls: DetachedTasks, scribe: Scribe, readers: Readers, bucket_id: str) -> None:
    """Finish what was begun with merging a bucket of this id."""

    async def work() -> None:
        for act in await asyncio.to_thread(_unfinished, readers, scribe.tenant):
            if act.bucket == bucket_id:
                await _finish(scribe, readers, act.key)

    await _finished(calls, work())


async def _pause() -> None:
    await asyncio.sleep(STILL_S)


async def resume(scribe: Scribe, readers: Readers, *, pause: Callable[[], Awaitable[None]] = _pause) -> int:
    """Go on with merges that stood still during the pause; how many there were. To be called now and then."""
    before = {act.key: act for act in await asyncio.to_thread(_unfinished, readers, scribe.tenant)}
    if not before:
        return 0
    await pause()
    after = await asyncio.to_thread(_unfinished, readers, scribe.tenant)
    left = [act.key for act in after if before.get(act.key) == act]
    for key in left:
        log.info("the merge %d goes on", key)
        await _finish(scribe, readers, key)
    return len(left)


def undo_at_once(turn: Turn, act: Act) -> Undone:
    """Undo a merge whose buckets and act are locked; one of many events is only begun, and wants `go_on`."""
    unmerging.check(turn, act)
    if act.events <= SLICE_ROWS:
        unmerging.check_copies(turn.db, turn.tenant, act)
    unmerging.begin(turn, act)
    _small_at_once(turn, act.key)
    return Undone(id=act.key, kind=act.kind, bucket=act.bucket, events=act.events)


def restore_at_once(turn: Turn, deletion: Act) -> int:
    """Bring a deleted bucket back that is locked, and merge the one into it that has its id; the act of that.

    One of many events is only begun, and wants `go_on`.
    """
    return _small_at_once(turn, merging.begin_restoring(turn, deletion, now=now_us()))


def _small_at_once(turn: Turn, key: int) -> int:
    """Make the slices of a small merge, or of its undoing, in the transaction that begins it."""
    act = acts.read(turn.db, turn.tenant, key)
    assert act is not None
    if act.events <= SLICE_ROWS:
        unwritten = 0
        while _slice_of(turn, act, unwritten=unwritten):
            act = acts.read(turn.db, turn.tenant, key)
            assert act is not None
            unwritten = merge_of(act).moved
    return key


def begin_undoing(turn: Turn, act: Act) -> Undone:
    """The same as `undo_at_once` for a merge that nothing is locked of yet."""
    merging.lock_buckets(turn, act.bucket_key or 0, merge_of(act).target)
    return undo_at_once(turn, acts.lock(turn, act.key))


def _check(turn: Turn, act: Act) -> None:
    merging.lock_buckets(turn, act.bucket_key or 0, merge_of(act).target)
    unmerging.check(turn, acts.lock(turn, act.key))


async def _finish(scribe: Scribe, readers: Readers, key: int) -> Act:
    """Make one slice after the other; the act when there are no more."""
    plain = scribe.plain
    while (act := await asyncio.to_thread(read, readers, scribe.tenant, key)).state in ("doing", "undoing"):
        while await plain.change(partial(make_slice, act=act)):
            pass
    return act


def make_slice(turn: Turn, act: Act) -> bool:
    """One slice of an act, whichever is next; whether there may be more."""
    merging.lock_buckets(turn, act.bucket_key or 0, merge_of(act).target)
    found = acts.lock_any(turn, act.key)
    return found is not None and _slice_of(turn, found)


def _slice_of(turn: Turn, act: Act, *, unwritten: int = 0) -> bool:
    match act.state:
        case "doing":
            return merging.copy_slice(turn, act)
        case "undoing":
            return unmerging.remove_slice(turn, act, now=now_us(), unwritten=unwritten)
        case _:
            return False


async def _finished(calls: DetachedTasks, work: Coroutine[Any, Any, T]) -> T:
    """Do it in a task of its own: a client that goes away does not stop it."""
    try:
        return await calls.run(work)
    except StoreBusy as error:
        raise StoreBusy(error.message, hint="what was begun goes on by itself") from error


def _find(readers: Readers, tenant: str, key: int) -> Act:
    with readers.transaction(tenant) as db:
        return acts.find(db, tenant, key)


def read(readers: Readers, tenant: str, key: int) -> Act:
    """A merge, whatever its state. Raises Gone."""
    with readers.transaction(tenant) as db:
        act = acts.read(db, tenant, key)
    if act is None:
        raise Gone(f"what {key} would undo is no longer in the trash")
    return act


def _check_copies(readers: Readers, tenant: str, act: Act) -> None:
    with readers.transaction(tenant) as db:
        unmerging.check_copies(db, tenant, act)


def _unfinished(readers: Readers, tenant: str) -> list[Act]:
    with readers.transaction(tenant) as db:
        return [act for act in acts.unfinished(db, tenant) if act.kind == "merge_buckets"]
