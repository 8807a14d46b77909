"""Removing the index of words of a bucket, a slice at a time."""

from typing import Final, Literal, TypeAlias

from dayline.storage.postgres.connections.connection import Connection
from dayline.storage.postgres.derived.word_rows import BucketPlace

SLICE_ROWS: Final = 2000
_SPOILT: Final = -1  # no bucket has counted so many changes

_LOCK: Final = """
SELECT dictionary FROM word_mark WHERE tenant = %(tenant)s AND bucket = %(bucket)s FOR UPDATE SKIP LOCKED
"""
_IS_THERE: Final = "SELECT EXISTS (SELECT 1 FROM word_mark WHERE tenant = %(tenant)s AND bucket = %(bucket)s)"
_SPOIL: Final = """
UPDATE word_mark SET dictionary = %(spoilt)s WHERE tenant = %(tenant)s AND bucket = %(bucket)s
"""
# By ranges of the key: what is to go is found by going along the index, whatever the planner knows of the table.
_CLEAR: Final = """
DELETE FROM word_places WHERE tenant = %(tenant)s AND bucket = %(bucket)s AND word <= (SELECT coalesce((
    SELECT word FROM word_places WHERE tenant = %(tenant)s AND bucket = %(bucket)s
    ORDER BY word LIMIT 1 OFFSET %(rows)s
), %(last)s))
"""
_FORGET: Final = "DELETE FROM word_mark WHERE tenant = %(tenant)s AND bucket = %(bucket)s"

Left: TypeAlias = Literal["more", "busy", "nothing"]


def clear_slice(db: Connection, place: BucketPlace, *, is_begun: bool) -> Left:
    """Remove some rows of an index, and at last its mark; what is left of it.

    Where this has begun, it ends when another has come to the end of it, who may have begun a new one by now.
    """
    row = db.execute(_LOCK, place.named()).fetchone()
    if row is None:
        [is_there] = db.execute(_IS_THERE, place.named()).fetchone() or (False,)
        return "busy" if is_there else "nothing"
    if is_begun and row[0] != _SPOILT:
        return "nothing"
    if db.execute(_CLEAR, place.named(rows=SLICE_ROWS, last="\U0010ffff")).rowcount:
        db.execute(_SPOIL, place.named(spoilt=_SPOILT))
        return "more"
    db.execute(_FORGET, place.named())
    return "nothing"
