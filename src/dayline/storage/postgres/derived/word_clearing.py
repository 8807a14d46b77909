"""Deletes the word index of a bucket in slices, while recording continues."""

import asyncio
from functools import partial
from typing import Final, Literal, TypeAlias

from dayline.storage.postgres.connection import Connection
from dayline.storage.postgres.derived.words import IndexedBucket
from dayline.storage.postgres.writing.transaction import PostgresTransaction
from dayline.storage.postgres.writing.writer import PostgresTenantWriter

SLICE_ROWS: Final = 2000
_INVALIDATED: Final = -1  # no bucket has counted this many changes

_LOCK_FOR_CLEARING: Final = """
SELECT dictionary FROM word_mark WHERE tenant = %(tenant)s AND bucket = %(bucket)s FOR UPDATE SKIP LOCKED
"""
_IS_THERE: Final = "SELECT EXISTS (SELECT 1 FROM word_mark WHERE tenant = %(tenant)s AND bucket = %(bucket)s)"
_SPOIL: Final = """
UPDATE word_mark SET dictionary = %(spoilt)s WHERE tenant = %(tenant)s AND bucket = %(bucket)s
"""
# By ranges of the key: the rows to delete are found along the index, whatever the planner knows of the table.
_CLEAR: Final = """
DELETE FROM word_places WHERE tenant = %(tenant)s AND bucket = %(bucket)s AND word <= (SELECT coalesce((
    SELECT word FROM word_places WHERE tenant = %(tenant)s AND bucket = %(bucket)s
    ORDER BY word LIMIT 1 OFFSET %(rows)s
), %(last)s))
"""
_FORGET: Final = "DELETE FROM word_mark WHERE tenant = %(tenant)s AND bucket = %(bucket)s"

Left: TypeAlias = Literal["more", "busy", "nothing"]

_BUSY_S: Final = 0.1  # before checking an index again that is being extended, which takes seconds at most


def clear_slice(db: Connection, place: IndexedBucket, *, is_begun: bool) -> Left:
    """Delete some rows of an index, and finally its mark; returns what is left.

    With `is_begun` it also ends if another server has finished the deletion, and may have begun a new index.
    """
    row = db.execute(_LOCK_FOR_CLEARING, place.named()).fetchone()
    if row is None:
        [is_there] = db.execute(_IS_THERE, place.named()).fetchone() or (False,)
        return "busy" if is_there else "nothing"
    if is_begun and row[0] != _INVALIDATED:
        return "nothing"
    if db.execute(_CLEAR, place.named(rows=SLICE_ROWS, last="\U0010ffff")).rowcount:
        db.execute(_SPOIL, place.named(spoilt=_INVALIDATED))
        return "more"
    db.execute(_FORGET, place.named())
    return "nothing"


async def clear_words(tenant_writer: PostgresTenantWriter, bucket: int) -> None:
    """Delete the index of a bucket. Searches ignore it from the first slice on; it may be rebuilt afterwards."""
    is_begun = False
    while (left := await tenant_writer.change(partial(_clear, bucket=bucket, is_begun=is_begun))) != "nothing":
        is_begun = is_begun or left == "more"
        if left == "busy":
            await asyncio.sleep(_BUSY_S)  # not in the transaction: heartbeats would wait for it


def _clear(turn: PostgresTransaction, *, bucket: int, is_begun: bool) -> Left:
    return clear_slice(turn.db, IndexedBucket(turn.tenant, bucket), is_begun=is_begun)
