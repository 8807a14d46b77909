"""Removes the rows of deleted buckets and expired operations, in short slices between heartbeats."""

from functools import partial
from typing import Final

import msgspec

from dayline.storage.sqlite.writing.transaction import SqliteTransaction
from dayline.storage.sqlite.writing.values import delete_values
from dayline.storage.sqlite.writing.writer import Writer

SLICE_ROWS: Final = 500
# Not while an act can bring it back.
_DELETED: Final = """
SELECT key FROM bucket WHERE deleted IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM act WHERE act.bucket_key = bucket.key AND act.kind IN ('delete_bucket', 'merge_buckets')
    AND act.state <> 'undone'
)
"""
ACTS_PER_SLICE: Final = 100  # a search in the index for each
# The acts for which events are kept, found by going from one to the next: there are few of them, and many events.
_NEXT_ACTS: Final = """
WITH RECURSIVE kept(act) AS (
    SELECT (SELECT min(act) FROM act_event WHERE act > :after)
    UNION ALL
    SELECT (SELECT min(act_event.act) FROM act_event WHERE act_event.act > kept.act) FROM kept
    WHERE kept.act IS NOT NULL LIMIT :acts
)
SELECT act, NOT EXISTS (SELECT 1 FROM act WHERE act.key = kept.act) FROM kept WHERE act IS NOT NULL
"""
_PURGE_KEPT: Final = """
DELETE FROM act_event WHERE act = :act AND id <= coalesce(
    (SELECT id FROM act_event WHERE act = :act ORDER BY id LIMIT 1 OFFSET :rows), :far
)
"""
_FAR: Final = 2**62  # beyond every id and every time
_NEXT_VALUES: Final = "SELECT key, bucket FROM value WHERE key > ? ORDER BY key LIMIT ?"


async def purge_deleted(writer: Writer) -> None:
    """Remove what acts and buckets have left behind. Interrupted, it goes on where it was the next time."""
    for key in await writer.change(_deleted):
        while await writer.change(partial(_purge_events, key=key), rows=SLICE_ROWS):
            pass
        number: int | None = 0
        while number is not None:
            number = await writer.change(partial(_purge_values, key=key, number=number), rows=SLICE_ROWS)
        await writer.change(partial(_purge_bucket, key=key))
    # Last, since purging a bucket deletes its acts.
    after: int | None = 0
    while after is not None:
        after, orphans = await writer.change(partial(_next_orphans, after=after), rows=ACTS_PER_SLICE)
        for act in orphans:
            while await writer.change(partial(_purge_kept_events, act=act), rows=SLICE_ROWS):
                pass


def _deleted(changes: SqliteTransaction) -> list[int]:
    rows = changes.db.execute(_DELETED).fetchall()
    return [key for (key,) in msgspec.convert(rows, list[tuple[int]])]


def _next_orphans(changes: SqliteTransaction, after: int) -> tuple[int | None, list[int]]:
    """Look at the next acts with kept events: where to continue, None at the end, and those that are deleted."""
    rows = changes.db.execute(_NEXT_ACTS, {"after": after, "acts": ACTS_PER_SLICE}).fetchall()
    found = msgspec.convert(rows, list[tuple[int, int]])
    last = found[-1][0] if len(found) == ACTS_PER_SLICE else None
    return last, [act for act, is_orphan in found if is_orphan]


def _purge_kept_events(changes: SqliteTransaction, act: int) -> bool:
    """Remove some of what a deleted act has kept of events; whether there was any."""
    changes.db.execute(_PURGE_KEPT, {"act": act, "rows": SLICE_ROWS - 1, "far": _FAR})
    return changes.db.changes() > 0


def _purge_events(changes: SqliteTransaction, key: int) -> bool:
    """Remove the oldest events; whether there were any."""
    db = changes.db
    db.execute(
        "DELETE FROM event WHERE bucket = :key AND start <= coalesce("
        "(SELECT start FROM event WHERE bucket = :key ORDER BY start LIMIT 1 OFFSET :rows), :far)",
        {"key": key, "rows": SLICE_ROWS - 1, "far": _FAR},
    )
    return db.changes() > 0


def _purge_values(changes: SqliteTransaction, key: int, number: int) -> int | None:
    """Remove the bucket's values among the next ones of the dictionary; where to go on, None at its end."""
    rows = changes.db.execute(_NEXT_VALUES, (number, SLICE_ROWS)).fetchall()
    slice_ = msgspec.convert(rows, list[tuple[int, int]])
    delete_values(changes.db, [value for value, bucket in slice_ if bucket == key])
    return slice_[-1][0] if slice_ else None


def _purge_bucket(changes: SqliteTransaction, key: int) -> None:
    changes.db.execute("DELETE FROM month WHERE bucket = ?", (key,))
    changes.db.execute("DELETE FROM act WHERE bucket_key = ?", (key,))
    changes.db.execute("DELETE FROM alias WHERE bucket = ?", (key,))
    changes.db.execute("DELETE FROM bucket WHERE key = ?", (key,))
