"""Undoes operations inside a transaction.

Everything is checked before anything is changed: if the bucket or an event was changed since, undoing fails as a whole.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from dayline.model.errors import Conflict
from dayline.model.upkeep.undo import OperationKind
from dayline.storage.engine.rows import BucketRow, LoggedEvent, longer
from dayline.storage.engine.transaction import ReadTransaction, WriteTransaction
from dayline.storage.history.aliases import check_free
from dayline.storage.history.buckets import restore_bucket
from dayline.storage.history.undo_log import RENUMBERED, Operation, require_undoable
from dayline.storage.operations.claims import check_idle, is_interrupted

# Operations on events. Those on more than AT_ONCE events are undone in slices.
EVENT_OPERATIONS: Final[tuple[OperationKind, ...]] = (
    "delete_events", "replace_events", "insert_events", "fix_events", "downsample_bucket",
)  # fmt: skip
AT_ONCE: Final = 1000
_RESTORED: Final = "restored"  # in the detail of an undo in slices: the number of events


def find_operation(tx: ReadTransaction, key: int) -> Operation:
    """An operation that has not been undone. Raises NotFound or Gone."""
    return require_undoable(key, tx.operation(key), newest=tx.newest_operation)


def check_done(tx: WriteTransaction, operation: Operation) -> None:
    """Raise Conflict if an operation is still running, or has given new ids to repeated ones.

    An interrupted one can be undone as far as it went.
    """
    if RENUMBERED in operation.detail:
        raise Conflict(
            f"operation {operation.key} cannot be undone: other events have the former ids",
            hint="undo another operation by its number: GET /api/1/trash lists them",
        )
    if operation.state == "doing" and operation.kind != "merge_buckets" and not is_interrupted(tx, operation):
        raise Conflict(f"operation {operation.key} is still running", hint="undo it when it is done")


def check_events(operation: Operation, events: Iterable[LoggedEvent]) -> None:
    """Raise Conflict if an event cannot be restored."""
    for event in events:
        if not event.is_unchanged:
            raise Conflict(
                f"event {event.id} of bucket {operation.bucket!r} was changed again since",
                hint="undo the later change first: GET /api/1/trash lists it",
            )


def undo_events(tx: WriteTransaction, operation: Operation) -> None:
    row = bucket_of(tx, operation)
    events = tx.logged_events(operation, rows=max(AT_ONCE, operation.events))
    check_events(operation, events)
    _restore_events(tx, row, events)
    tx.end_undoing(operation.key)


def undo_split(tx: WriteTransaction, operation: Operation) -> None:
    """Join both parts into one event again, including what heartbeats have added to the second since."""
    row = bucket_of(tx, operation)
    events = tx.logged_events(operation, rows=max(AT_ONCE, operation.events))
    check_events(operation, events)
    _restore_events(tx, row, events, growth=sum(event.growth for event in events if event.before is None))
    tx.end_undoing(operation.key)


def begin_slices(tx: WriteTransaction, operation: Operation) -> None:
    """Start undoing in slices; continue with `undo_slice`."""
    row = bucket_of(tx, operation)
    current = find_operation(tx, operation.key)
    check_done(tx, current)
    check_idle(tx, [row.key], except_for=operation.key)
    tx.set_operation(operation.key, state="undoing", detail={})


def undo_slice(tx: WriteTransaction, operation: Operation, *, after: int, rows: int) -> int | None:
    """Restore some events with ids above `after`; returns the last id, or None at the end.

    Several servers may do this at once. An event that was changed since keeps its place in the undo log: if there are
    any at the end, the operation can be undone again, once those changes are undone.
    """
    row = bucket_of(tx, operation)
    current = tx.operation(operation.key)
    if current is None or current.state != "undoing":
        return None
    events = tx.logged_events(operation, after=after, rows=rows)
    if not events:
        _end_slices(tx, operation)
        return None
    restored = [event for event in events if event.is_unchanged]
    _restore_events(tx, row, restored)
    tx.forget_logged_events(operation.key, [event.id for event in restored])
    tx.set_operation(operation.key, detail={_RESTORED: current.detail.get(_RESTORED, 0) + len(restored)})
    return events[-1].id


def is_begun(operation: Operation) -> bool:
    """Whether slices of an undo were made, so that it can no longer be rejected as a whole."""
    return _RESTORED in operation.detail


def reject_undo(tx: WriteTransaction, operation: Operation) -> None:
    """End an undo of which no slice was made."""
    current = tx.operation(operation.key)
    if current is not None and current.state == "undoing" and not is_begun(current):
        tx.set_operation(operation.key, state="done")


def _end_slices(tx: WriteTransaction, operation: Operation) -> None:
    if tx.logged_events(operation, rows=1):
        tx.set_operation(operation.key, state="done", detail={})
        tx.count_logged_events(operation.key)
    else:
        tx.end_undoing(operation.key)


def undo_update(tx: WriteTransaction, operation: Operation) -> None:
    """Restore the former fields of a bucket."""
    row = bucket_of(tx, operation)
    after: dict[str, Any] = operation.detail["after"]
    if any(getattr(row.bucket, field) != value for field, value in after.items()):
        raise Conflict(
            f"bucket {row.bucket.id!r} was changed again since",
            hint="undo the later change first: GET /api/1/trash lists it",
        )
    tx.set_bucket_fields(row, operation.detail["before"])
    tx.notify(row.bucket.id, "changed")
    tx.end_undoing(operation.key)


def undo_deletion(tx: WriteTransaction, operation: Operation) -> None:
    check_free(tx, operation.bucket, operation=operation)
    restore_bucket(tx, operation.bucket_key or 0)
    tx.end_undoing(operation.key)


def undo_deletions(tx: WriteTransaction, operation: Operation) -> None:
    """Restore all buckets that were deleted together, except those already restored."""
    parts = tx.parts(operation.key, ["done"])
    for part in parts:
        check_free(tx, part.bucket, operation=part)
    for part in parts:
        undo_deletion(tx, part)
    tx.end_undoing(operation.key)


def bucket_of(tx: WriteTransaction, operation: Operation) -> BucketRow:
    """The bucket of an operation. Raises Conflict if it was deleted since."""
    row = tx.bucket_by_key(operation.bucket_key or 0)
    if row is None:
        raise Conflict(
            f"bucket {operation.bucket!r} was deleted or merged since",
            hint="restore it first: GET /api/1/trash lists it",
        )
    return row


def _restore_events(tx: WriteTransaction, row: BucketRow, events: Sequence[LoggedEvent], *, growth: int = 0) -> None:
    """Restore events; those that existed before are extended by `growth`."""
    if not events:
        return
    tx.remove_events(row, [event.current for event in events if event.current is not None])
    tx.put_events(row, [longer(event.restored, growth) for event in events if event.restored is not None])
    tx.notify(row.bucket.id, "changed")
