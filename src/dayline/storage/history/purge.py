"""Deletes the rows of deleted buckets and expired operations, in short slices between heartbeats.

Several servers may do this at once. Each leaves a bucket alone from the moment at which another one has it locked: that
one continues to the end.
"""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final, Literal, TypeAlias

from dayline.storage.engine.aliases import ALIASES, BUCKETS
from dayline.storage.engine.tables import Table, Tables
from dayline.storage.engine.tenant import TenantWriter
from dayline.storage.engine.transaction import WriteTransaction
from dayline.storage.engine.undo_log import LOGGED, OPERATIONS
from dayline.storage.history.undo_log import UNDOABLE_STATES

SLICE_ROWS: Final = 500
OPERATIONS_PER_SLICE: Final = 100  # two index lookups for each
Left: TypeAlias = Literal["more", "nothing", "locked"]  # what is left of a bucket, or that it is left to another server
_EVENTS: Final = Table("event", ("start", "bucket"))
_MONTHS: Final = Table("month", ("bucket",))


async def purge(writer: TenantWriter, purge_values: Callable[[int], Awaitable[bool]]) -> None:
    """Delete what expired operations and buckets have left. An interrupted run continues the next time.

    `purge_values` deletes the values of a bucket, and what is derived from them; it returns whether all are gone.
    """
    for key in await writer.change(_purgeable):
        left: Left = "more"
        while left == "more":
            left = await writer.change(partial(_purge_events, key=key), rows=SLICE_ROWS)
        if left == "nothing" and await purge_values(key):
            await writer.change(partial(_purge_bucket, key=key))
    # Last, because purging a bucket deletes its operations.
    after: int | None = 0
    while after is not None:
        after, orphans = await writer.change(partial(_next_orphans, after=after), rows=OPERATIONS_PER_SLICE)
        for operation in orphans:
            while await writer.change(partial(_purge_logged, operation=operation), rows=SLICE_ROWS):
                pass


def lock_purgeable(tx: WriteTransaction, key: int) -> bool:
    """Lock a deleted bucket that no operation can restore; False if there is none, or another server has locked it."""
    row = tx.select(BUCKETS, {"key": key}, lock="skip")
    return bool(row) and row[0][2] is not None and not _is_restorable(tx, key)


def _is_restorable(tx: Tables, key: int) -> bool:
    kinds = ["delete_bucket", "merge_buckets"]
    return tx.count(OPERATIONS, {"bucket_key": key, "kind": kinds, "state": UNDOABLE_STATES}) > 0


def _purgeable(tx: WriteTransaction) -> list[int]:
    hidden = [key for key, _, deleted in tx.select(BUCKETS, {}, order="key") if deleted is not None]
    return [key for key in hidden if not _is_restorable(tx, key)]


def _purge_events(tx: WriteTransaction, key: int) -> Left:
    """Delete the oldest events."""
    if not lock_purgeable(tx, key):
        return "locked"
    return "more" if _delete_first(tx, _EVENTS, {"bucket": key}, by="start") else "nothing"


def _purge_bucket(tx: WriteTransaction, key: int) -> None:
    if lock_purgeable(tx, key):
        for table in (_MONTHS, ALIASES):
            tx.delete(table, {"bucket": key})
        tx.delete(OPERATIONS, {"bucket_key": key})
        tx.delete(BUCKETS, {"key": key})


def _next_orphans(tx: WriteTransaction, after: int) -> tuple[int | None, list[int]]:
    """Check the next operations with logged events: where to continue (None at the end), and which are deleted.

    They are found by skipping from one to the next: they are few, with many events.
    """
    orphans: list[int] = []
    for _ in range(OPERATIONS_PER_SLICE):
        rows = tx.select(LOGGED, {"operation >": after}, order="operation", limit=1)
        if not rows:
            return None, orphans
        after = int(rows[0][0])
        if not tx.count(OPERATIONS, {"key": after}):
            orphans.append(after)
    return after, orphans


def _purge_logged(tx: WriteTransaction, operation: int) -> bool:
    """Delete some logged events of a deleted operation; returns whether there may be more."""
    return _delete_first(tx, LOGGED, {"operation": operation}, by="id")


def _delete_first(tx: WriteTransaction, table: Table, where: dict[str, int], *, by: str) -> bool:
    """Delete the first rows in this order, and those that are equal to the last; returns whether there were any."""
    rows = tx.select(table, where, order=by, limit=SLICE_ROWS)
    edge = rows[-1][table.fields.index(by)] if rows else None
    return edge is not None and tx.delete(table, {**where, f"{by} <=": edge}) > 0
