"""Copies the texts of a damaged file into the one that is used in its place, each with the number it had."""

import apsw
import msgspec

from dayline.storage.sqlite.file.schema import ORIGIN
from dayline.storage.sqlite.repair.recovery_seed import RecoveryState
from dayline.storage.sqlite.writing.changes import Changes
from dayline.storage.sqlite.writing.values import delete_values

_LAST = "SELECT max(key) FROM (SELECT key FROM salvaged.value WHERE key > ? ORDER BY key LIMIT ?)"
_PUT = """
INSERT OR IGNORE INTO main.value(key, bucket, hash, json)
SELECT key, bucket, hash, json FROM salvaged.value WHERE key > ? AND key <= ?
"""
# Texts that were recorded anew since: from now on they have the number that they had.
_DOUBLE = """
SELECT new.key, old.key FROM salvaged.value AS old CROSS JOIN main.value AS new
WHERE old.key > ? AND old.key <= ? AND new.hash = old.hash AND new.bucket = old.bucket AND new.json = old.json
AND new.key <> old.key
"""
_USERS = """
SELECT bucket.id, event.start FROM main.event JOIN main.bucket ON bucket.key = event.bucket WHERE event.value = ?
"""


def copy_values(changes: Changes, state: RecoveryState, rows: int) -> tuple[int, RecoveryState]:
    """Copy some values; how many numbers were gone through, and the state that follows."""
    db = changes.db
    last = db.execute(_LAST, (*state.position, rows)).get
    if not isinstance(last, int):
        return 0, msgspec.structs.replace(state, phase="events", position=(0, 0, 0))
    slice_ = (*state.position, last)
    doubles = msgspec.convert(db.execute(_DOUBLE, slice_).fetchall(), list[tuple[int, int]])
    db.execute(_PUT, slice_)
    for new, old in doubles:
        _renumber(changes, db, new, old)
    return rows, msgspec.structs.replace(state, position=(last,))


def _renumber(changes: Changes, db: apsw.Connection, new: int, old: int) -> None:
    """Give events of one value another of the same text. There are few: all were recorded since the damage."""
    users = msgspec.convert(db.execute(_USERS, (new,)).fetchall(), list[tuple[str, int]])
    for bucket_id, start in users:
        if changes.has_bucket(bucket_id):
            changes.touch_part(bucket_id, start=start + ORIGIN)
    db.execute("UPDATE main.event SET value = ? WHERE value = ?", (old, new))
    for column in ("value", "new_value"):
        db.execute(f"UPDATE main.act_event SET {column} = ? WHERE {column} = ?", (old, new))
    delete_values(db, [new])
    changes.forget_values()
