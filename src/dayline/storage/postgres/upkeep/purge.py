"""Deletes the rows of deleted buckets and expired operations, in short slices. Skips what another server has locked."""

import asyncio
from functools import partial
from typing import Final

from dayline.storage.postgres.connection import Connection, Readers
from dayline.storage.postgres.derived.word_clearing import clear_words
from dayline.storage.postgres.writing.transaction import PostgresTransaction
from dayline.storage.postgres.writing.writer import PostgresTenantWriter

SLICE_ROWS: Final = 1000
_FAR: Final = 2**62  # larger than every key and every time

# Not while an operation can restore it.
_PURGEABLE: Final = """
bucket.tenant = %(tenant)s AND bucket.deleted IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM operation WHERE operation.tenant = %(tenant)s AND operation.bucket_key = bucket.key
    AND operation.kind IN ('delete_bucket', 'merge_buckets') AND operation.state <> 'undone'
)
"""
_DELETED: Final = f"SELECT key FROM bucket WHERE {_PURGEABLE} ORDER BY key"
_HOLD: Final = f"SELECT 1 FROM bucket WHERE {_PURGEABLE} AND key = %(key)s FOR UPDATE SKIP LOCKED"
# The operations with logged events, found by skipping from one to the next: they are few, with many events.
_ORPHANS: Final = """
WITH RECURSIVE kept(operation) AS (
    SELECT (SELECT min(operation) FROM operation_event WHERE tenant = %(tenant)s)
    UNION ALL
    SELECT (
        SELECT min(operation_event.operation) FROM operation_event
        WHERE tenant = %(tenant)s AND operation_event.operation > kept.operation
    ) FROM kept WHERE kept.operation IS NOT NULL
)
SELECT operation FROM kept
WHERE operation IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM operation WHERE operation.tenant = %(tenant)s AND operation.key = kept.operation
)
"""
# By ranges of the keys: the rows to delete are found along the index, whatever the planner knows of the tables. The
# edge is selected as a whole, because row security allows an index only for leakproof functions, and coalesce is not.
_PURGE_KEPT: Final = """
DELETE FROM operation_event WHERE tenant = %(tenant)s AND operation = %(operation)s AND id <= (SELECT coalesce((
    SELECT id FROM operation_event WHERE tenant = %(tenant)s AND operation = %(operation)s
    ORDER BY id LIMIT 1 OFFSET %(rows)s
), %(far)s))
"""
_PURGE_EVENTS: Final = """
DELETE FROM event WHERE tenant = %(tenant)s AND bucket = %(key)s AND start <= (SELECT coalesce((
    SELECT start FROM event WHERE tenant = %(tenant)s AND bucket = %(key)s ORDER BY start LIMIT 1 OFFSET %(rows)s
), %(far)s))
"""
_PURGE_VALUES: Final = """
DELETE FROM value WHERE tenant = %(tenant)s AND bucket = %(key)s AND key <= (SELECT coalesce((
    SELECT key FROM value WHERE tenant = %(tenant)s AND bucket = %(key)s ORDER BY key LIMIT 1 OFFSET %(rows)s
), %(far)s))
"""
_PURGE_ROWS: Final = """
DELETE FROM {table} WHERE tenant = %(tenant)s AND bucket = %(key)s AND ({columns}) <= (
    SELECT {columns} FROM (
        (
            SELECT {columns} FROM {table} WHERE tenant = %(tenant)s AND bucket = %(key)s
            ORDER BY {columns} LIMIT 1 OFFSET %(rows)s
        ) UNION ALL SELECT %(far)s, %(far)s
    ) AS edge ORDER BY {columns} LIMIT 1
)
"""
_PURGE_REDACTED: Final = tuple(
    _PURGE_ROWS.format(table=table, columns=columns)
    for table, columns in (
        ("redacted_event", "redaction, start"),
        ("redacted_value", "redaction, value"),
        ("redaction_change", "plan, value"),
    )
)
_PURGE_BUCKET: Final = (
    "DELETE FROM segment WHERE tenant = %(tenant)s AND bucket = %(key)s",
    "DELETE FROM pack WHERE tenant = %(tenant)s AND bucket = %(key)s",
    "DELETE FROM month WHERE tenant = %(tenant)s AND bucket = %(key)s",
    "DELETE FROM operation WHERE tenant = %(tenant)s AND bucket_key = %(key)s",
    "DELETE FROM alias WHERE tenant = %(tenant)s AND bucket = %(key)s",
    "DELETE FROM bucket WHERE tenant = %(tenant)s AND key = %(key)s",
)


async def purge(tenant_writer: PostgresTenantWriter, readers: Readers) -> None:
    """Delete what expired operations and buckets have left. An interrupted run continues the next time."""
    for key in await asyncio.to_thread(_found, readers, tenant_writer.tenant, _DELETED):
        await clear_words(tenant_writer, key)
        while await tenant_writer.change(partial(_purge_bucket, key=key)):
            pass
    for operation in await asyncio.to_thread(_found, readers, tenant_writer.tenant, _ORPHANS):
        while await tenant_writer.change(partial(_purge_kept_events, operation=operation)):
            pass


def _found(readers: Readers, tenant: str, statement: str) -> list[int]:
    with readers.transaction(tenant) as db:
        return _numbers(db, statement, tenant)


def _numbers(db: Connection, statement: str, tenant: str) -> list[int]:
    return [int(number) for (number,) in db.execute(statement.encode(), {"tenant": tenant}).fetchall()]


def _purge_kept_events(turn: PostgresTransaction, operation: int) -> bool:
    """Delete some logged events of a deleted operation; returns whether there may be more."""
    place = {"tenant": turn.tenant, "operation": operation, "rows": SLICE_ROWS, "far": _FAR}
    return turn.db.execute(_PURGE_KEPT, place).rowcount > 0


def _purge_bucket(turn: PostgresTransaction, key: int) -> bool:
    """Delete some rows of a bucket, and finally the bucket; returns whether there may be more."""
    place = {"tenant": turn.tenant, "key": key, "rows": SLICE_ROWS, "far": _FAR}
    if turn.db.execute(_HOLD, place).fetchone() is None:
        return False
    for statement in (_PURGE_EVENTS, _PURGE_VALUES, *_PURGE_REDACTED):
        if turn.db.execute(statement.encode(), place).rowcount:
            return True
    for statement in _PURGE_BUCKET:
        turn.db.execute(statement.encode(), place)
    return False
