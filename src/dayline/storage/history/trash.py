"""The trash of one tenant: undoes operations, expires undo entries, and purges expired data.

operation    (doing ─▶) done ─▶ undoing ─▶ undone
                         ╰────▶ expired: its row is deleted, and the data it logged is purged in slices

Every server that shares a database expires undo entries and finishes what another one has left unfinished.
"""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from copy import copy
from functools import partial
from typing import Final

from dayline.model.errors import AlreadyDone, Conflict, Gone, NotFound, Unavailable
from dayline.model.time import DAY, LATEST, Microseconds, format_timestamp
from dayline.model.upkeep.undo import OperationState, TrashItem, Undone, trash_kind
from dayline.runtime.background import BackgroundWorkers, for_each
from dayline.storage.engine.tenant import TenantReaders, TenantWriter
from dayline.storage.engine.transaction import WriteTransaction
from dayline.storage.guard import FULL_ACCESS, Guard
from dayline.storage.history import aliases, renaming, undoing
from dayline.storage.history.contract import TrashPolicy
from dayline.storage.history.merges import Merges
from dayline.storage.history.undo_log import (
    ALL_STATES,
    UNDOABLE_STATES,
    UNFINISHED_STATES,
    Operation,
    note_of,
    require_whole,
)
from dayline.storage.operations.claims import check_idle, is_interrupted, progress_of
from dayline.storage.redaction.redactions import Redactions

INITIAL_DELAY_S: Final = 60.0  # before the first expiry: a start has enough to do
SLICE_ROWS: Final = 500

log = logging.getLogger(__name__)


def undo_operation(tx: WriteTransaction, operation: Operation) -> None:
    """Undo an operation in one transaction. Raises Gone or Conflict, with nothing changed."""
    parts = [part.bucket_key for part in tx.parts(operation.key, ALL_STATES)]
    keys = [key for key in (operation.bucket_key, *parts) if key is not None]
    tx.lock_buckets(*keys, bucket_id=operation.bucket)
    current = undoing.find_operation(tx, operation.key)  # read again: another caller may be undoing it at the same time
    undoing.check_done(tx, current)
    check_idle(tx, keys, except_for=current.key)
    match current.kind:
        case "update_bucket":
            undoing.undo_update(tx, current)
        case "delete_bucket":
            undoing.undo_deletion(tx, current)
        case "delete_buckets":
            undoing.undo_deletions(tx, current)
        case "rename_bucket" | "change_host":
            renaming.undo_renaming(tx, current)
        case "remove_alias":
            aliases.undo_remove_alias(tx, current)
        case "split_event":
            undoing.undo_split(tx, current)
        case _:
            undoing.undo_events(tx, current)


class Trash:
    """Undo entries: operations that deleted or changed something, and can be reverted.

    `start` begins the background work of a tenant, `close` ends it.

    `purge` removes the data of expired operations and buckets. With `resume_interval_s`, other servers use the same
    data, and their unfinished work is looked for periodically.
    """

    def __init__(
        self,
        writer: TenantWriter,
        readers: TenantReaders,
        redactions: Redactions,
        merges: Merges,
        purge: Callable[[], Awaitable[None]],
        policy: TrashPolicy,
        clock: Callable[[], Microseconds],
        background: BackgroundWorkers,
        *,
        tenant: str = "",
        resume_interval_s: float | None = None,
    ) -> None:
        self._writer = writer
        self._readers = readers
        self._redactions = redactions
        self._merges = merges
        self._policy = policy
        self._clock = clock
        self._guard = FULL_ACCESS
        self._resuming = background.task("resuming undos", self._resume, interval_s=resume_interval_s, tenant=tenant)
        self._expiry = background.task(
            "trash expiry",
            self._expire,
            interval_s=policy.interval_s,
            initial_delay_s=min(INITIAL_DELAY_S, policy.interval_s),
            tenant=tenant,
        )
        purge_interval_s = None if resume_interval_s is None else policy.interval_s
        self._purging = background.task("purge of deleted data", purge, interval_s=purge_interval_s, tenant=tenant)

    def start(self) -> None:
        """Call it on the event loop."""
        for task in (self._resuming, self._expiry, self._purging):
            task.start()

    async def close(self) -> None:
        """Stop. The next start, or another server, finishes interrupted undos."""
        for task in (self._resuming, self._expiry, self._purging):
            await task.close()

    def through(self, writer: TenantWriter, redactions: Redactions, guard: Guard) -> "Trash":
        """The same trash for one caller, and one call whose first change uses tokens."""
        trash = copy(self)
        trash._writer, trash._redactions, trash._guard = writer, redactions, guard
        return trash

    def expire_if_disabled(self) -> None:
        """Call it after adding an undo entry: with a retention of 0 days it expires at once."""
        if self._policy.days == 0:
            self._expiry.wake()

    def all(self) -> list[TrashItem]:
        """All undo entries, newest first. Call it on a thread."""
        with self._readers.transaction() as tx:
            operations = tx.operations(UNDOABLE_STATES)
        items = [self._item(operation) for operation in reversed(operations) if operation.is_listed]
        return [item for item in items if self._guard.may_undo(item)]

    async def undo(self, undo_id: int, *, is_merging: bool = True) -> Undone:
        """Restore ids, times, data and metadata of everything that the operation changed; all or nothing.

        If a deleted bucket was created again since, the two are merged, unless `is_merging` is False. Raises NotFound,
        Gone if it was already undone or has expired, and Conflict if something was changed again since.
        """
        await self._writer.check_tokens()
        operation = await asyncio.to_thread(self._find, undo_id)
        is_merged = False
        if operation.kind == "redaction":
            await self._redactions.undo(int(operation.detail["redaction"]))
        elif operation.kind == "merge_buckets":
            await self._merges.undo(self._writer, undo_id)
        elif operation.kind == "delete_bucket" and is_merging and await asyncio.to_thread(self._is_taken, operation):
            is_merged = await self._merges.restore(self._writer, undo_id)
        elif operation.kind in undoing.EVENT_OPERATIONS and operation.events > undoing.AT_ONCE:
            await self._writer.change(partial(undoing.begin_slices, operation=operation))
            await self._undo_in_slices(operation)
        else:
            is_merged = is_merging and operation.kind == "delete_buckets" and await self._merge_parts(operation)
            await self._writer.change(partial(undo_operation, operation=operation), rows=max(1, operation.events))
        kind = trash_kind(operation.kind)
        return Undone(id=undo_id, kind=kind, bucket=operation.bucket, events=operation.events, merged=is_merged)

    async def undo_group(self, group: str) -> list[Undone]:
        """Undo all operations of a group, the latest first. Raises NotFound, and what `undo` raises."""
        await self._writer.check_tokens()
        items = await asyncio.to_thread(self.all)
        members = [item for item in items if item.group == group and item.state == "done"]
        if not group or not members:
            raise NotFound(f"there is no undo group {group[:40]!r}", hint="GET /api/1/trash lists the entries")
        # Tokens are used last: each of the undos would use them, so that the next one would be rejected.
        each = self.through(self._writer.plain, self._redactions, self._guard)
        undone = [await each.undo(item.id) for item in members]
        with contextlib.suppress(AlreadyDone):  # the undo of a redaction has used them
            await self._writer.use_tokens()
        return undone

    async def empty(self, undo_id: int | None = None) -> int:
        """Delete one undo entry, or all; returns how many. Raises NotFound."""
        await self._writer.check_tokens()
        if undo_id is not None:
            await self._delete(undo_id)
            count = 1
        else:
            await self._writer.use_tokens()  # even if there is nothing to delete
            count = await self._delete_all()
        self._purging.wake()
        return count

    async def _delete_all(self) -> int:
        if self._guard.is_all:
            return await self._forget_before(LATEST, ["done"]) + await self._make_redactions_final(LATEST)
        items = await asyncio.to_thread(self.all)
        for item in items:
            await self._delete(item.id)
        return len(items)

    async def _delete(self, undo_id: int) -> None:
        operation = await asyncio.to_thread(self._find, undo_id)
        if operation.kind == "redaction":
            await self._redactions.make_final(int(operation.detail["redaction"]))
        else:
            await self._writer.change(partial(_forget, key=undo_id))

    async def _merge_parts(self, operation: Operation) -> bool:
        """Restore deleted buckets whose ids are taken, merging both; returns whether there were any."""
        taken = await asyncio.to_thread(self._taken_parts, operation.key)
        for part in taken:
            await self._merges.restore(self._writer.plain, part.key)
        return bool(taken)

    async def _undo_in_slices(self, operation: Operation) -> None:
        """Undo an operation that was claimed for it. Raises Conflict if an event was changed since."""
        writer = self._writer.plain
        after: int | None = 0
        try:
            await self._check_or_reject(operation, writer)
            while after is not None:
                slice_ = partial(undoing.undo_slice, operation=operation, after=after, rows=SLICE_ROWS)
                after = await writer.change(slice_, rows=SLICE_ROWS)
            await asyncio.to_thread(self._check_undone, operation)
        except Unavailable:
            self._resuming.wake()  # finishes what was begun, although this call fails
            raise

    async def _check_or_reject(self, operation: Operation, writer: TenantWriter) -> None:
        try:
            await asyncio.to_thread(self._check_events, operation)
        except Conflict:
            await writer.change(partial(undoing.reject_undo, operation=operation))
            raise

    async def _resume(self) -> None:
        """Finish interrupted undos, including those of other servers."""
        await for_each(await asyncio.to_thread(self._unfinished), self._finish)

    async def _finish(self, operation: Operation) -> None:
        if operation.state == "undoing" and operation.kind in undoing.EVENT_OPERATIONS:
            with contextlib.suppress(Conflict):  # what it has not restored can still be undone
                await self._undo_in_slices(operation)
        else:
            await self._writer.change(partial(_end_interrupted, key=operation.key))

    async def _expire(self) -> None:
        before = self._clock() - self._policy.days * DAY if self._policy.days else LATEST
        count = await self._forget_before(before, ["done", "undone"])
        with contextlib.suppress(Conflict, Gone):  # another server was faster, or it has to wait for another operation
            count += await self._make_redactions_final(before)
        if count:
            log.info("Trash: %d undo entries expired", count)
        self._purging.wake()

    async def _forget_before(self, before: Microseconds, states: list[OperationState]) -> int:
        """Delete operations in slices; returns how many, not counting their parts."""
        count = 0
        while forgotten := await self._writer.change(
            lambda tx: tx.forget_operations(before=before, states=states, rows=SLICE_ROWS), rows=SLICE_ROWS
        ):
            count += sum(not operation.is_part for operation in forgotten)
        return count

    async def _make_redactions_final(self, before: Microseconds) -> int:
        """Make redactions applied before this time final, oldest first; returns how many."""
        redactions = await asyncio.to_thread(self._applied_redactions, before)
        for operation in redactions:
            await self._redactions.make_final(int(operation.detail["redaction"]))
        return len(redactions)

    def _item(self, operation: Operation) -> TrashItem:
        note = note_of(operation)
        return TrashItem(
            id=operation.key,
            kind=trash_kind(operation.kind),
            bucket=operation.bucket,
            other=str(operation.detail.get("other", "")),
            events=operation.events,
            made=format_timestamp(operation.made),
            until=format_timestamp(operation.made + self._policy.days * DAY),
            state=operation.state,
            progress=progress_of(operation),
            group=note.group,
            by=note.by,
            start=None if note.start is None else format_timestamp(note.start),
            end=None if note.end is None else format_timestamp(note.end),
        )

    def _check_events(self, operation: Operation) -> None:
        """Raise Conflict if an event of a large operation cannot be restored, unless some were restored already."""
        after: int | None = 0
        while after is not None:
            with self._readers.transaction() as tx:
                current = tx.operation(operation.key)
                events = tx.logged_events(operation, after=after, rows=undoing.AT_ONCE)
            if current is None or undoing.is_begun(current):
                return
            undoing.check_events(operation, events)
            after = events[-1].id if events else None

    def _check_undone(self, operation: Operation) -> None:
        """Raise Conflict if events were changed while the operation was undone, and so were not restored."""
        with self._readers.transaction() as tx:
            current = tx.operation(operation.key)
            events = tx.logged_events(operation, rows=undoing.AT_ONCE)
        if current is not None and current.state == "done":
            undoing.check_events(operation, events)

    def _find(self, key: int) -> Operation:
        with self._readers.transaction() as tx:
            operation = require_whole(undoing.find_operation(tx, key))
        if not self._guard.may_undo(self._item(operation)):
            raise NotFound(f"there is no undo entry {key}", hint="GET /api/1/trash lists the entries")
        return operation

    def _is_taken(self, operation: Operation) -> bool:
        with self._readers.transaction() as tx:
            return tx.is_own_id(operation.bucket)

    def _taken_parts(self, key: int) -> list[Operation]:
        with self._readers.transaction() as tx:
            parts = tx.parts(key, ["done"])
            return [part for part in parts if tx.is_own_id(part.bucket)]

    def _unfinished(self) -> list[Operation]:
        with self._readers.transaction() as tx:
            return tx.operations(UNFINISHED_STATES)

    def _applied_redactions(self, before: Microseconds) -> list[Operation]:
        with self._readers.transaction() as tx:
            operations = tx.operations(["done"], before=before)
        return [operation for operation in operations if operation.kind == "redaction"]


def _end_interrupted(tx: WriteTransaction, key: int) -> None:
    """Mark an interrupted operation as done, so that what it changed can be undone."""
    operation = tx.operation(key)
    if operation is not None and is_interrupted(tx, operation):
        tx.end_operation(key)


def _forget(tx: WriteTransaction, key: int) -> None:
    operation = tx.operation(key)
    if operation is not None and operation.state in ("doing", "undoing"):
        raise Conflict(f"operation {key} is still running", hint="delete its undo entry when it is done")
    tx.forget_operation(key)
