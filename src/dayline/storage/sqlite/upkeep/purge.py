"""Deletes the rows of deleted buckets and expired operations, in short slices between heartbeats."""

from functools import partial
from typing import Final

import msgspec

from dayline.storage.sqlite.writing.transaction import SqliteTransaction
from dayline.storage.sqlite.writing.values import delete_values
from dayline.storage.sqlite.writing.writer import FileWriter

SLICE_ROWS: Final = 500
# Not while an operation can restore it.
_DELETED: Final = """
SELECT key FROM bucket WHERE deleted IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM operation WHERE operation.bucket_key = bucket.key
    AND operation.kind IN ('delete_bucket', 'merge_buckets') AND operation.state <> 'undone'
)
"""
OPERATIONS_PER_SLICE: Final = 100  # one index lookup for each
# The operations with logged events, found by skipping from one to the next: they are few, with many events.
_NEXT_OPERATIONS: Final = """
WITH RECURSIVE kept(operation) AS (
    SELECT (SELECT min(operation) FROM operation_event WHERE operation > :after)
    UNION ALL
    SELECT (
        SELECT min(operation_event.operation) FROM operation_event WHERE operation_event.operation > kept.operation
    ) FROM kept WHERE kept.operation IS NOT NULL LIMIT :operations
)
SELECT operation, NOT EXISTS (SELECT 1 FROM operation WHERE operation.key = kept.operation) FROM kept
WHERE operation IS NOT NULL
"""
_PURGE_KEPT: Final = """
DELETE FROM operation_event WHERE operation = :operation AND id <= coalesce(
    (SELECT id FROM operation_event WHERE operation = :operation ORDER BY id LIMIT 1 OFFSET :rows), :far
)
"""
_FAR: Final = 2**62  # larger than every id and every time
_NEXT_VALUES: Final = "SELECT key, bucket FROM value WHERE key > ? ORDER BY key LIMIT ?"


async def purge_deleted(writer: FileWriter) -> None:
    """Delete what expired operations and buckets have left. An interrupted run continues the next time."""
    for key in await writer.change(_deleted):
        while await writer.change(partial(_purge_events, key=key), rows=SLICE_ROWS):
            pass
        number: int | None = 0
        while number is not None:
            number = await writer.change(partial(_purge_values, key=key, number=number), rows=SLICE_ROWS)
        await writer.change(partial(_purge_bucket, key=key))
    # Last, because purging a bucket deletes its operations.
    after: int | None = 0
    while after is not None:
        after, orphans = await writer.change(partial(_next_orphans, after=after), rows=OPERATIONS_PER_SLICE)
        for operation in orphans:
            while await writer.change(partial(_purge_kept_events, operation=operation), rows=SLICE_ROWS):
                pass


def _deleted(changes: SqliteTransaction) -> list[int]:
    rows = changes.db.execute(_DELETED).fetchall()
    return [key for (key,) in msgspec.convert(rows, list[tuple[int]])]


def _next_orphans(changes: SqliteTransaction, after: int) -> tuple[int | None, list[int]]:
    """Check the next operations with logged events: where to continue (None at the end), and which are deleted."""
    rows = changes.db.execute(_NEXT_OPERATIONS, {"after": after, "operations": OPERATIONS_PER_SLICE}).fetchall()
    found = msgspec.convert(rows, list[tuple[int, int]])
    last = found[-1][0] if len(found) == OPERATIONS_PER_SLICE else None
    return last, [operation for operation, is_orphan in found if is_orphan]


def _purge_kept_events(changes: SqliteTransaction, operation: int) -> bool:
    """Delete some logged events of a deleted operation; returns whether there were any."""
    changes.db.execute(_PURGE_KEPT, {"operation": operation, "rows": SLICE_ROWS - 1, "far": _FAR})
    return changes.db.changes() > 0


def _purge_events(changes: SqliteTransaction, key: int) -> bool:
    """Delete the oldest events; returns whether there were any."""
    db = changes.db
    db.execute(
        "DELETE FROM event WHERE bucket = :key AND start <= coalesce("
        "(SELECT start FROM event WHERE bucket = :key ORDER BY start LIMIT 1 OFFSET :rows), :far)",
        {"key": key, "rows": SLICE_ROWS - 1, "far": _FAR},
    )
    return db.changes() > 0


def _purge_values(changes: SqliteTransaction, key: int, number: int) -> int | None:
    """Delete the bucket's values among the next ones of the dictionary; returns where to continue, None at the end."""
    rows = changes.db.execute(_NEXT_VALUES, (number, SLICE_ROWS)).fetchall()
    slice_ = msgspec.convert(rows, list[tuple[int, int]])
    delete_values(changes.db, [value for value, bucket in slice_ if bucket == key])
    return slice_[-1][0] if slice_ else None


def _purge_bucket(changes: SqliteTransaction, key: int) -> None:
    changes.db.execute("DELETE FROM month WHERE bucket = ?", (key,))
    changes.db.execute("DELETE FROM operation WHERE bucket_key = ?", (key,))
    changes.db.execute("DELETE FROM alias WHERE bucket = ?", (key,))
    changes.db.execute("DELETE FROM bucket WHERE key = ?", (key,))
