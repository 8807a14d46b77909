"""Merges a bucket into another and undoes that, in slices between heartbeats that resume after an interruption.

begin     hide the source, make its id an alias of the target, reserve ids for all its events
slices    copy its events ordered by start and id; the event of rank n gets the id first + n
end       mark the operation as done; the source stays in the trash unchanged

From `begin` on, heartbeats for the source's id go to the target. Each slice stores its progress in its own transaction,
so every event is copied once, no matter what interrupts the work or how many servers continue it. Undoing removes the
copies in slices, then restores the source, whose rows were never changed. What heartbeats have added to a copy is added
to its original.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from functools import partial
from typing import Any, Final, TypeVar

import msgspec

from dayline.model.errors import Conflict, Gone, StoreBusy
from dayline.model.time import Microseconds, now_us
from dayline.runtime.background import BackgroundWorkers, DetachedTasks, for_each
from dayline.storage.engine.rows import BucketRow, EventRow, longer
from dayline.storage.engine.tenant import Exclusive, TenantReaders, TenantWriter
from dayline.storage.engine.transaction import WriteTransaction
from dayline.storage.history import aliases
from dayline.storage.history.buckets import hide_bucket, restore_bucket
from dayline.storage.history.copies import Merge, MergePair, copy_events, merge_pairs
from dayline.storage.history.undo_log import UNFINISHED_STATES, Operation
from dayline.storage.history.undoing import find_operation, undo_deletion
from dayline.storage.operations.claims import check_idle

T = TypeVar("T")

SMALL: Final = 500  # events; a merge up to this size runs in the transaction that begins it
PAGE: Final = 1000  # copies checked per read

log = logging.getLogger(__name__)


def check_merge(source: BucketRow, target: BucketRow, *, is_forced: bool) -> None:
    """Raise Conflict if the buckets cannot be merged, or their types differ and it is not forced."""
    if source.key == target.key:
        raise Conflict(f"bucket {source.bucket.id!r} cannot be merged into itself", field="into")
    types = source.bucket.type, target.bucket.type
    if types[0] != types[1] and not is_forced:
        raise Conflict(
            f"the buckets have different types: {types[0]!r} and {types[1]!r}",
            hint='send "force": true to merge them anyway',
            field="into",
        )


def merge_of(operation: Operation) -> Merge:
    return msgspec.convert(operation.detail, Merge)


def begin_merge(
    tx: WriteTransaction,
    source: BucketRow,
    target: int,
    target_id: str,
    *,
    now: Microseconds,
    is_restoring: bool = False,
    is_new: bool = False,
) -> int:
    """Hide the source and point its ids to the target; returns the operation. Both buckets must be locked."""
    check_idle(tx, [source.key, target])
    count = tx.event_count(source.key)
    names = tx.aliases_of(source.key)
    if source.bucket.id != target_id:
        names.append(source.bucket.id)
    tx.hide_bucket(source, now=now)
    tx.notify(source.bucket.id, "merged")
    tx.notify(target_id, "merged")
    before = aliases.set_aliases(tx, names, target, now=now)
    tx.touch_bucket(target)
    tx.copy_downsampled(source.key, target)
    first = tx.take_event_ids(count)
    return tx.add_operation(
        "merge_buckets",
        now=now,
        bucket=source.bucket.id,
        bucket_key=source.key,
        events=count,
        detail=Merge(
            target=target,
            other=target_id,
            first=first,
            count=count,
            aliases=before,
            is_restoring=is_restoring,
            is_new=is_new,
        ),
        state="doing",
    )


def begin_restoring(tx: WriteTransaction, *, deletion: int, now: Microseconds) -> int | None:
    """Restore a deleted bucket; returns the operation that merges the bucket with its id into it, None if there is
    none.
    """
    deleting = find_operation(tx, deletion)
    key = deleting.bucket_key or 0
    tx.lock_buckets(key, bucket_id=deleting.bucket)
    operation = find_operation(tx, deletion)
    if not tx.is_own_id(operation.bucket):
        check_idle(tx, [key])
        undo_deletion(tx, operation)
        return None
    merge = begin_merge(tx, tx.find(operation.bucket), key, operation.bucket, now=now, is_restoring=True)
    restore_bucket(tx, key)
    tx.end_undoing(operation.key)
    return _small_at_once(tx, merge)


def check_unmerge(tx: WriteTransaction, operation: Operation) -> None:
    """Raise Conflict if anything but changed copies prevents undoing a merge."""
    merge = merge_of(operation)
    if operation.state != "done":
        raise Conflict(f"operation {operation.key} is still running", hint="undo it when it is done")
    target = tx.bucket_by_key(merge.target)
    if target is None:
        raise Conflict(
            f"bucket {merge.other!r} was deleted or merged since", hint="undo that first: GET /api/1/trash lists it"
        )
    check_idle(tx, [operation.bucket_key or 0, target.key], except_for=operation.key)
    if not (merge.is_restoring and target.bucket.id == operation.bucket):
        aliases.check_free(tx, operation.bucket, operation=operation, own_key=target.key)
    later = tx.later_operation(merge.first, merge.last, operation.key)
    if later is not None:
        raise Conflict(
            f"events of the merge were changed since by operation {later}",
            hint=f"undo that first: dayline undo {later}",
        )
    redacted = tx.redacted_buckets(since=operation.made)
    if any(not names or names & {target.bucket.id, merge.other} for names in redacted):
        raise Conflict(
            f"bucket {target.bucket.id!r} was redacted since the merge",
            hint="undo the redaction first, unless it is final",
        )


def begin_unmerge(tx: WriteTransaction, operation: Operation) -> None:
    """Start undoing a merge; a small one is undone at once. Raises Conflict, with nothing changed."""
    tx.lock_buckets(operation.bucket_key or 0, merge_of(operation).target)
    current = find_operation(tx, operation.key)
    check_unmerge(tx, current)
    if current.events <= SMALL:
        source = current.bucket_key or 0
        check_copies(current, merge_of(current).beginning, lambda merge: merge_pairs(tx, source, merge, rows=PAGE))
    tx.set_operation(current.key, state="undoing", detail=merge_of(current).beginning)
    _small_at_once(tx, current.key)


def check_copies(operation: Operation, merge: Merge, pairs: Callable[[Merge], list[MergePair]]) -> None:
    """Raise Conflict if a copy was changed or deleted since. `merge` must be at its beginning."""
    while page := pairs(merge):
        for pair in page:
            if pair.copy is not None and not pair.is_same:
                raise Conflict(f"event {pair.copy.id} of bucket {merge.other!r} was changed since the merge")
        merge = merge.after([pair.original for pair in page], moved=sum(pair.copy is not None for pair in page))
    if merge.moved != merge_of(operation).moved:
        raise Conflict(f"events of bucket {merge.other!r} were deleted since the merge")


def make_slice(tx: WriteTransaction, operation: Operation, *, rows: int) -> bool:
    """Make the next slice of a merge or unmerge; returns whether there may be more."""
    tx.lock_buckets(operation.bucket_key or 0, merge_of(operation).target)
    return _slice(tx, operation.key, rows=rows)


def _small_at_once(tx: WriteTransaction, key: int) -> int:
    """Make all slices of a small merge or unmerge in the transaction that begins it."""
    operation = tx.operation(key)
    if operation is not None and operation.events <= SMALL:
        while _slice(tx, key, rows=SMALL):
            pass
    return key


def _slice(tx: WriteTransaction, key: int, *, rows: int) -> bool:
    operation = tx.operation(key)
    if operation is not None and operation.state == "doing":
        return _copy_slice(tx, operation, rows=rows)
    if operation is not None and operation.state == "undoing":
        return _remove_slice(tx, operation, rows=rows)
    return False


def _copy_slice(tx: WriteTransaction, operation: Operation, *, rows: int) -> bool:
    further = copy_events(tx, operation.bucket_key or 0, merge_of(operation), rows=rows)
    if further is None:
        tx.set_operation(operation.key, state="done")
        return False
    tx.set_operation(operation.key, detail=further)
    return True


def _remove_slice(tx: WriteTransaction, operation: Operation, *, rows: int) -> bool:
    merge = merge_of(operation)
    target = tx.bucket_by_key(merge.target)
    assert target is not None, "a bucket that is being unmerged cannot be deleted"
    page = merge_pairs(tx, operation.bucket_key or 0, merge, rows=rows)
    if not page:
        _end_unmerge(tx, operation, merge, target)
        return False
    unchanged = [(pair.original, pair.copy) for pair in page if pair.copy is not None and pair.is_same]
    tx.remove_events(target, [copy for _, copy in unchanged])
    tx.notify(target.bucket.id, "changed")
    grown = [(original, copy.duration - original.duration) for original, copy in unchanged]
    _extend_hidden_events(tx, operation, [(original, growth) for original, growth in grown if growth > 0])
    tx.set_operation(operation.key, detail=merge.after([pair.original for pair in page], moved=len(unchanged)))
    return True


def _extend_hidden_events(tx: WriteTransaction, operation: Operation, grown: Sequence[tuple[EventRow, int]]) -> None:
    source = tx.lock_any(operation.bucket_key or 0) if grown else None
    if source is not None:
        tx.remove_events(source, [original for original, _ in grown])
        tx.put_events(source, [longer(original, growth) for original, growth in grown])


def _end_unmerge(tx: WriteTransaction, operation: Operation, merge: Merge, target: BucketRow) -> None:
    tx.end_undoing(operation.key)
    if merge.is_restoring and target.bucket.id == operation.bucket:
        hide_bucket(tx, target, now=now_us())
    targets = tx.alias_targets(merge.aliases)
    ours = [alias for alias, holder in targets.items() if holder is not None and holder[0] == merge.target]
    tx.set_alias_targets({alias: merge.aliases[alias] for alias in ours})
    tx.touch_bucket(merge.target)
    if merge.is_new and not tx.event_count(merge.target):
        tx.hide_bucket(target, now=now_us())  # without an undo entry: it has nothing to restore
        tx.notify(target.bucket.id, "deleted")
    restore_bucket(tx, operation.bucket_key or 0)


class Merges:
    """Makes the merges of one tenant, and resumes interrupted ones, including those of other servers.

    Every slice locks its operation and continues where the last one ended, so no server owns a merge. A merge without
    progress for `still_s` counts as interrupted. With an interval, interrupted merges are looked for periodically.
    """

    def __init__(
        self,
        writer: TenantWriter,
        readers: TenantReaders,
        exclusive: Exclusive,
        background: BackgroundWorkers,
        *,
        tenant: str = "",
        still_s: float = 0.0,
        interval_s: float | None = None,
    ) -> None:
        self._writer = writer
        self._readers = readers
        self._exclusive = exclusive
        self._still_s = still_s
        self._calls = DetachedTasks("merging")
        self._resuming = background.task("resuming merges", self._resume, interval_s=interval_s, tenant=tenant)

    def start(self) -> None:
        """Start resuming interrupted merges. Call it on the event loop."""
        self._resuming.start()

    async def close(self) -> None:
        """Stop after the current slice. The next start, or another server, continues."""
        await self._resuming.close()
        await self._calls.close()

    async def merge(self, writer: TenantWriter, begin: Callable[[WriteTransaction], int]) -> Operation:
        """Begin a merge, finish it, and return the finished operation."""

        async def merge() -> Operation:
            async with self._exclusive():
                return await self._finish(await writer.change(lambda tx: _small_at_once(tx, begin(tx))))

        return await self._run_detached(merge())

    async def undo(self, writer: TenantWriter, key: int) -> None:
        """Undo a merge; one in progress is finished first. Raises Gone or Conflict."""

        async def undo() -> None:
            async with self._exclusive():
                operation = await asyncio.to_thread(self._find, key)
                if operation.state == "doing":
                    operation = await self._finish(key)
                await self._writer.change(partial(_check_unmerge, operation=operation))
                await asyncio.to_thread(self._check_copies, operation)
                await writer.change(partial(begin_unmerge, operation=operation))
                await self._finish(key)

        await self._run_detached(undo())

    async def restore(self, writer: TenantWriter, deletion: int) -> bool:
        """Restore a deleted bucket and merge a new one with the same id into it; returns whether there was one."""

        async def restore() -> bool:
            async with self._exclusive():
                key = await writer.change(partial(begin_restoring, deletion=deletion, now=now_us()))
                if key is not None:
                    await self._finish(key)
                return key is not None

        return await self._run_detached(restore())

    async def _resume(self) -> None:
        await self.resume(lambda: asyncio.sleep(self._still_s))

    async def resume(self, pause: Callable[[], Awaitable[None]]) -> int:
        """Finish the merges that make no progress during the pause; returns how many."""
        async with self._exclusive():
            before = {operation.key: operation for operation in await asyncio.to_thread(self._unfinished)}
            if not before:
                return 0
            await pause()
            after = await asyncio.to_thread(self._unfinished)
            left = [operation.key for operation in after if before.get(operation.key) == operation]
            await for_each(left, self._resume_one)
            return len(left)

    async def _resume_one(self, key: int) -> None:
        log.info("Resuming merge %d", key)
        await self._finish(key)

    async def _finish(self, key: int) -> Operation:
        """Make slices until there are no more; returns the operation."""
        pace = self._writer.new_pace()
        while (operation := await asyncio.to_thread(self._read, key)).state in ("doing", "undoing"):
            has_more = True
            while has_more:
                rows = pace.rows
                slice_ = pace.timed(partial(make_slice, operation=operation, rows=rows), rows=rows)
                has_more = await self._writer.change(slice_, rows=rows)
        return operation

    async def _run_detached(self, work: Coroutine[Any, Any, T]) -> T:
        """Run the work in its own task, so that a disconnecting client does not stop it."""
        try:
            return await self._calls.run(work)
        except StoreBusy as error:
            self._resuming.wake()
            raise StoreBusy(error.message, hint="the operation continues in the background") from error

    def _check_copies(self, operation: Operation) -> None:
        def pairs(merge: Merge) -> list[MergePair]:
            with self._readers.transaction() as tx:  # one transaction per page: none may last long
                return merge_pairs(tx, operation.bucket_key or 0, merge, rows=PAGE)

        check_copies(operation, merge_of(operation).beginning, pairs)

    def _find(self, key: int) -> Operation:
        with self._readers.transaction() as tx:
            return find_operation(tx, key)

    def _read(self, key: int) -> Operation:
        with self._readers.transaction() as tx:
            operation = tx.operation(key)
        if operation is None:
            raise Gone(f"undo entry {key} has expired or was deleted")
        return operation

    def _unfinished(self) -> list[Operation]:
        with self._readers.transaction() as tx:
            return [operation for operation in tx.operations(UNFINISHED_STATES) if operation.kind == "merge_buckets"]


def _check_unmerge(tx: WriteTransaction, operation: Operation) -> None:
    tx.lock_buckets(operation.bucket_key or 0, merge_of(operation).target)
    check_unmerge(tx, find_operation(tx, operation.key))
