"""The slices that clear away what a redaction kept: texts are overwritten where they lie, and only then rows removed.

The writing connection overwrites what it frees (`secure_delete`). Rows that hold texts are emptied, never removed while
others beside them hold some: removing rows rearranges pages, and leaves copies of their neighbours in the gaps.
"""

from collections.abc import Set as AbstractSet
from typing import Final

import apsw
import msgspec

from dayline.model.data import EMPTY
from dayline.storage.columns.dictionary import hash_of
from dayline.storage.sqlite.writing.changes import Changes

NO_HASH: Final = 0  # of a value that is not to be found by its text

# Along the numbers, from where the last slice ended: the plus keeps SQLite from beginning with the index each time.
_MOVED = """
SELECT number, value, bucket FROM redacted_value
WHERE number > ? AND +redaction = ? AND json IS NULL ORDER BY number LIMIT ?
"""
_KEPT = "SELECT number FROM redacted_value WHERE number > ? AND +redaction = ? ORDER BY number LIMIT ?"
_FIRST_EVENTS = "SELECT redaction, bucket, start, id FROM redacted_event WHERE redaction = ? LIMIT ?"
_FORGET_EVENT = "DELETE FROM redacted_event WHERE redaction = ? AND bucket = ? AND start = ? AND id = ?"
_IS_OPEN = "SELECT EXISTS (SELECT 1 FROM redaction WHERE state IN ('applying', 'applied', 'undoing') OR has_rest)"
_SWEEP = "DELETE FROM redacted_value WHERE number IN (SELECT number FROM redacted_value ORDER BY number LIMIT ?)"


def hide_values(changes: Changes, *, redaction: int, after: int, rows: int) -> int | None:
    """Keep values whose events were moved from being found by new events; where to go on, None at the end.

    Then who has them can be looked up in peace.
    """
    moved = _moved(changes.db, redaction, after, rows)
    changes.db.executemany("UPDATE value SET hash = ? WHERE key = ? AND bucket = ?", [(NO_HASH, *v) for _, *v in moved])
    changes.forget_values()
    return moved[-1][0] if moved else None


def empty_values(changes: Changes, *, redaction: int, used: AbstractSet[int], after: int, rows: int) -> int | None:
    """Take the text from hidden values that nobody has, and let the others be found again; where to go on."""
    moved = _moved(changes.db, redaction, after, rows)
    for _, value, bucket in moved:
        if value in used:
            text = changes.db.execute("SELECT json FROM value WHERE key = ? AND bucket = ?", (value, bucket)).get
            digest = hash_of(str(text).encode())
            changes.db.execute("UPDATE value SET hash = ? WHERE key = ? AND bucket = ?", (digest, value, bucket))
        else:
            empty = (EMPTY.decode(), value, bucket, NO_HASH)
            changes.db.execute("UPDATE value SET json = ? WHERE key = ? AND bucket = ? AND hash = ?", empty)
    return moved[-1][0] if moved else None


def scrub_originals(changes: Changes, *, redaction: int, after: int, rows: int) -> int | None:
    """Forget original texts; where to go on, None at the end."""
    kept = msgspec.convert(changes.db.execute(_KEPT, (after, redaction, rows)).fetchall(), list[tuple[int]])
    changes.db.executemany("UPDATE redacted_value SET json = NULL WHERE number = ? AND json IS NOT NULL", kept)
    return kept[-1][0] if kept else None


def forget_events(changes: Changes, *, redaction: int, rows: int) -> bool:
    """Forget what events were; whether there were any."""
    found = changes.db.execute(_FIRST_EVENTS, (redaction, rows)).fetchall()
    changes.db.executemany(_FORGET_EVENT, found)
    return bool(found)


def sweep(changes: Changes, *, rows: int) -> bool:
    """Remove emptied rows, once none of them holds a text; whether there were any."""
    db = changes.db
    if db.execute(_IS_OPEN).get:
        return False
    db.execute("DELETE FROM replaced_event")  # those are few
    db.execute(_SWEEP, (rows,))
    return db.changes() > 0


def give_pages_back(changes: Changes, *, pages: int) -> bool:
    """Cut free pages off the file, whatever they held before; whether there are more."""
    db = changes.db
    db.execute(f"PRAGMA incremental_vacuum({pages})").fetchall()
    return int(db.pragma("freelist_count")) > 0


def _moved(db: apsw.Connection, redaction: int, after: int, rows: int) -> list[tuple[int, int, int]]:
    return msgspec.convert(db.execute(_MOVED, (after, redaction, rows)).fetchall(), list[tuple[int, int, int]])
