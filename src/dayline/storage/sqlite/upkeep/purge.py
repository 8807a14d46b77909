"""Deletes the values of a deleted bucket."""

from functools import partial

import msgspec

from dayline.storage.history.purge import SLICE_ROWS
from dayline.storage.sqlite.writing.transaction import SqliteTransaction
from dayline.storage.sqlite.writing.values import delete_values
from dayline.storage.sqlite.writing.writer import FileWriter

_NEXT_VALUES = "SELECT key, bucket FROM value WHERE key > ? ORDER BY key LIMIT ?"


async def purge_values(writer: FileWriter, key: int) -> bool:
    number: int | None = 0
    while number is not None:
        number = await writer.change(partial(_purge_slice, key=key, number=number), rows=SLICE_ROWS)
    return True


def _purge_slice(changes: SqliteTransaction, key: int, number: int) -> int | None:
    """Delete the bucket's values among the next ones of the dictionary; returns where to continue, None at the end."""
    rows = changes.db.execute(_NEXT_VALUES, (number, SLICE_ROWS)).fetchall()
    slice_ = msgspec.convert(rows, list[tuple[int, int]])
    delete_values(changes.db, [value for value, bucket in slice_ if bucket == key])
    return slice_[-1][0] if slice_ else None
