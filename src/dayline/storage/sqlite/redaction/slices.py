"""The slices of a redaction: what each transaction of the writer changes, restores or clears away."""

from collections.abc import Set as AbstractSet
from functools import partial
from pathlib import Path
from typing import Final

import apsw
import msgspec
from msgspec import Struct

from dayline.model.data import EMPTY
from dayline.model.time import Microseconds, month_of, start_of_month
from dayline.storage.columns.hashes import hash_of
from dayline.storage.sqlite.file.schema import ORIGIN
from dayline.storage.sqlite.redaction.listing import Part
from dayline.storage.sqlite.writing.batches import BetweenCommits
from dayline.storage.sqlite.writing.transaction import SqliteTransaction

# The slices of a redaction: what one transaction of the writer changes, of what is listed in the attached plan.
#
# Every slice can be made again: what was done before is left as it is.


_BUCKET_ID = "SELECT id FROM bucket WHERE key = ? AND deleted IS NULL"

# A text that has appeared since the plan was made cannot be made a second time: those values are left for later.
_KEEP_TEXTS = """
INSERT INTO redacted_value(redaction, value, bucket, hash, json, next_id)
SELECT :redaction, old.key, old.bucket, old.hash, old.json, :next_id
FROM plan.text AS planned CROSS JOIN plan.change AS new CROSS JOIN main.value AS old
WHERE planned.number BETWEEN :first AND :last
AND new.key = planned.key AND old.key = new.key AND old.bucket = new.bucket
AND NOT EXISTS (SELECT 1 FROM redacted_value AS kept WHERE kept.redaction = :redaction AND kept.value = new.key)
AND NOT EXISTS (
    SELECT 1 FROM main.value AS same
    WHERE same.hash = new.hash AND same.bucket = new.bucket AND same.json = new.json AND same.key <> new.key
)
ORDER BY planned.number
"""
_TEXTS = """
SELECT new.hash, new.json, kept.value, kept.bucket
FROM plan.text AS planned CROSS JOIN plan.change AS new CROSS JOIN redacted_value AS kept
WHERE planned.number BETWEEN :first AND :last AND new.key = planned.key
AND kept.redaction = :redaction AND kept.value = new.key AND kept.json IS NOT NULL
"""
_CHANGE_TEXT = "UPDATE value SET hash = ?, json = ? WHERE key = ? AND bucket = ?"
_LATE = """
SELECT planned.key FROM plan.text AS planned WHERE planned.number BETWEEN :first AND :last AND NOT EXISTS (
    SELECT 1 FROM redacted_value AS kept
    WHERE kept.redaction = :redaction AND kept.value = planned.key AND kept.json IS NOT NULL
)
"""
_KEEP_MOVED = """
INSERT INTO redacted_value(redaction, value, bucket, hash, json, next_id)
SELECT :redaction, old.key, old.bucket, old.hash, NULL, 0
FROM plan.stay AS planned CROSS JOIN plan.change AS new CROSS JOIN main.value AS old
WHERE planned.number BETWEEN :first AND :last
AND new.key = planned.key AND old.key = new.key AND old.bucket = new.bucket
AND NOT EXISTS (SELECT 1 FROM redacted_value AS kept WHERE kept.redaction = :redaction AND kept.value = new.key)
ORDER BY planned.number
"""
# The events as they are now: one that was replaced, removed or moved since the plan was made is not meant any more.
_MOVES = """
SELECT event.start, event.id, event.duration, event.value, new.json IS NULL, (
    SELECT min(same.key) FROM main.value AS same
    WHERE same.hash = new.hash AND same.bucket = new.bucket AND same.json = new.json
)
FROM plan.move AS planned CROSS JOIN plan.change AS new CROSS JOIN main.event AS event
WHERE planned.number BETWEEN :first AND :last AND new.key = planned.value
AND event.bucket = :bucket AND event.start = planned.start AND event.id = planned.id AND event.value = planned.value
"""
_ADD_TEXTS = """
INSERT INTO main.value(bucket, hash, json)
SELECT DISTINCT new.bucket, new.hash, new.json FROM plan.move AS planned CROSS JOIN plan.change AS new
WHERE planned.number BETWEEN :first AND :last AND new.key = planned.value AND new.json IS NOT NULL
AND NOT EXISTS (
    SELECT 1 FROM main.value AS same
    WHERE same.hash = new.hash AND same.bucket = new.bucket AND same.json = new.json
)
"""
_KEEP_EVENT = """
INSERT OR IGNORE INTO redacted_event(redaction, bucket, start, id, duration, value, target) VALUES(?, ?, ?, ?, ?, ?, ?)
"""
_KEEP_TARGET = """
INSERT OR IGNORE INTO redacted_value(redaction, value, bucket, hash, json, next_id) VALUES(?, ?, ?, 0, NULL, 0)
"""
_MOVE = "UPDATE event SET value = ? WHERE bucket = ? AND start = ? AND id = ?"
_REMOVE = "DELETE FROM event WHERE bucket = ? AND start = ? AND id = ?"

# The originals of one bucket and month, from the first on, and the event that each has become.
_FIRST_KEPT = "SELECT bucket, start FROM redacted_event WHERE redaction = ? ORDER BY bucket, start LIMIT 1"
_KEPT = """
SELECT kept.start, kept.id, kept.duration, kept.value, kept.target, event.bucket, event.start, event.value
FROM redacted_event AS kept LEFT JOIN event ON event.id = kept.id
WHERE kept.redaction = :redaction AND kept.bucket = :bucket AND kept.start < :high
ORDER BY kept.start, kept.id LIMIT :rows
"""
_PUT_BACK = "INSERT INTO event(bucket, start, id, duration, value) VALUES(?, ?, ?, ?, ?)"
_FORGET_EVENT = "DELETE FROM redacted_event WHERE redaction = ? AND bucket = ? AND start = ? AND id = ?"

_SCHEMA: Final = "plan"


class Moved(Struct, frozen=True):
    """How many events one slice moved to another value, and how many it removed."""

    events: int = 0
    removed: int = 0


class _Planned(Struct, frozen=True, array_like=True):
    start: int
    id: int
    duration: int
    value: int
    is_drop: bool
    target: int | None


class _Kept(Struct, frozen=True, array_like=True):
    start: int
    id: int
    duration: int
    value: int
    target: int | None
    current_bucket: int | None
    current_start: int | None
    current_value: int | None

    def is_as_it_was_left(self, bucket: int) -> bool:
        """Whether the event still has the value that it was given."""
        return self.target is not None and (self.current_bucket, self.current_value) == (bucket, self.target)


def change_texts(changes: SqliteTransaction, *, redaction: int, first: int, last: int) -> list[int]:
    """Give values their new texts, keeping the old ones; those that could not be changed where they are."""
    db = changes.db
    place = {"redaction": redaction, "first": first, "last": last}
    db.execute(_KEEP_TEXTS, {**place, "next_id": changes.take_event_ids(0)})
    texts = msgspec.convert(db.execute(_TEXTS, place).fetchall(), list[tuple[int, str, int, int]])
    db.executemany(_CHANGE_TEXT, texts)
    for bucket in {bucket for *_, bucket in texts}:
        bucket_id = _bucket_id(db, bucket)
        if bucket_id is not None:
            changes.touch_values(bucket_id)
    return [key for (key,) in msgspec.convert(db.execute(_LATE, place).fetchall(), list[tuple[int]])]


def keep_moved(changes: SqliteTransaction, *, redaction: int, first: int, last: int) -> None:
    """Remember values whose events are moved: when the redaction is final, nobody may need them any more."""
    changes.db.execute(_KEEP_MOVED, {"redaction": redaction, "first": first, "last": last})


def move_events(changes: SqliteTransaction, part: Part, *, redaction: int | None, first: int, last: int) -> Moved:
    """Give events their new values, or remove them; with a redaction's number, keep what they were."""
    db = changes.db
    bucket_id = _bucket_id(db, part.bucket)
    if bucket_id is None:
        return Moved()
    place = {"bucket": part.bucket, "first": first, "last": last}
    if redaction is None:
        db.execute(_ADD_TEXTS, place)  # original texts are seldom there
    planned = _planned(db, place)
    if any(event.target is None and not event.is_drop for event in planned):
        db.execute(_ADD_TEXTS, place)
        planned = _planned(db, place)
    planned = [event for event in planned if event.target != event.value]
    if redaction is not None:
        rows = [(redaction, part.bucket, e.start, e.id, e.duration, e.value, e.target) for e in planned]
        db.executemany(_KEEP_EVENT, rows)
        targets = {event.target for event in planned if event.target is not None}
        db.executemany(_KEEP_TARGET, [(redaction, target, part.bucket) for target in targets])
    moved = [(event.target, part.bucket, event.start, event.id) for event in planned if not event.is_drop]
    removed = [(part.bucket, event.start, event.id) for event in planned if event.is_drop]
    db.executemany(_MOVE, moved)
    db.executemany(_REMOVE, removed)
    if planned:
        changes.touch_part(bucket_id, start=start_of_month(part.month), removed=len(removed))
    return Moved(len(moved), len(removed))


def put_back(changes: SqliteTransaction, *, redaction: int, rows: int) -> int:
    """Give events back what they were, and put removed ones back; how many were handled, 0 at the end.

    An event that has been changed by others since is left as it is.
    """
    db = changes.db
    found = db.execute(_FIRST_KEPT, (redaction,)).fetchone()
    if found is None:
        return 0
    bucket, start = msgspec.convert(found, tuple[int, int])
    high = start_of_month(month_of(start + ORIGIN) + 1) - ORIGIN
    place = {"redaction": redaction, "bucket": bucket, "high": high, "rows": rows}
    kept = msgspec.convert(db.execute(_KEPT, place).fetchall(), list[_Kept])
    bucket_id = _bucket_id(db, bucket)
    if bucket_id is not None:
        _move_back(changes, bucket_id, bucket, kept)
        _insert_again(changes, bucket_id, bucket, kept)
    db.executemany(_FORGET_EVENT, [(redaction, bucket, event.start, event.id) for event in kept])
    return len(kept)


def _move_back(changes: SqliteTransaction, bucket_id: str, bucket: int, kept: list[_Kept]) -> None:
    moved = [
        (event.value, bucket, event.current_start, event.id)
        for event in kept
        if event.current_start is not None and event.is_as_it_was_left(bucket)
    ]
    changes.db.executemany(_MOVE, moved)
    for month in {month_of(start + ORIGIN) for _, _, start, _ in moved}:
        changes.touch_part(bucket_id, start=start_of_month(month))


def _insert_again(changes: SqliteTransaction, bucket_id: str, bucket: int, kept: list[_Kept]) -> None:
    removed = [event for event in kept if event.target is None and event.current_start is None]
    if not removed:
        return
    rows = [(bucket, event.start, event.id, event.duration, event.value) for event in removed]
    changes.db.executemany(_PUT_BACK, rows)
    first: Microseconds = min(event.start for event in removed)
    changes.cover_part(
        bucket_id,
        events=len(removed),
        start=first + ORIGIN,
        max_duration=max(event.duration for event in removed),
        max_end=max(event.start + event.duration for event in removed) + ORIGIN,
    )


def attaching(path: Path) -> BetweenCommits:
    """What attaches a plan to the writing connection, before a slice."""
    return partial(_attach, path=path)


def detach(db: apsw.Connection) -> None:
    if _SCHEMA in db.db_names():
        db.execute("DETACH plan")


def _attach(db: apsw.Connection, path: Path) -> None:
    path = path.resolve()  # as SQLite calls it
    if db.db_filename(_SCHEMA) != str(path):
        detach(db)
        # Immutable: nobody writes it any more, and so no lock is taken on it at every commit.
        db.execute("ATTACH ? AS plan", (f"{path.as_uri()}?mode=ro&immutable=1",))


def _planned(db: apsw.Connection, place: dict[str, int]) -> list[_Planned]:
    return msgspec.convert(db.execute(_MOVES, place).fetchall(), list[_Planned], strict=False)


def _bucket_id(db: apsw.Connection, key: int) -> str | None:
    found = db.execute(_BUCKET_ID, (key,)).get
    return found if isinstance(found, str) else None


# The slices that clear away what a redaction kept: texts are overwritten where they lie, and only then rows removed.
#
# The writing connection overwrites what it frees (`secure_delete`). Rows that hold texts are emptied, never removed
# while others beside them hold some: removing rows rearranges pages, and leaves copies of their neighbours in the
# gaps.


NO_HASH: Final = 0  # of a value that is not to be found by its text

# Along the numbers, from where the last slice ended: the plus keeps SQLite from beginning with the index each time.
_MOVED = """
SELECT number, value, bucket FROM redacted_value
WHERE number > ? AND +redaction = ? AND json IS NULL ORDER BY number LIMIT ?
"""
_KEPT_EVENTS = "SELECT number FROM redacted_value WHERE number > ? AND +redaction = ? ORDER BY number LIMIT ?"
_FIRST_EVENTS = "SELECT redaction, bucket, start, id FROM redacted_event WHERE redaction = ? LIMIT ?"
_IS_OPEN = "SELECT EXISTS (SELECT 1 FROM redaction WHERE state IN ('applying', 'applied', 'undoing') OR has_rest)"
_SWEEP = "DELETE FROM redacted_value WHERE number IN (SELECT number FROM redacted_value ORDER BY number LIMIT ?)"


def hide_values(changes: SqliteTransaction, *, redaction: int, after: int, rows: int) -> int | None:
    """Keep values whose events were moved from being found by new events; where to go on, None at the end.

    Then who has them can be looked up in peace.
    """
    moved = _moved(changes.db, redaction, after, rows)
    changes.db.executemany("UPDATE value SET hash = ? WHERE key = ? AND bucket = ?", [(NO_HASH, *v) for _, *v in moved])
    changes.forget_values()
    return moved[-1][0] if moved else None


def empty_values(
    changes: SqliteTransaction, *, redaction: int, used: AbstractSet[int], after: int, rows: int
) -> int | None:
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


def scrub_originals(changes: SqliteTransaction, *, redaction: int, after: int, rows: int) -> int | None:
    """Forget original texts; where to go on, None at the end."""
    kept = msgspec.convert(changes.db.execute(_KEPT_EVENTS, (after, redaction, rows)).fetchall(), list[tuple[int]])
    changes.db.executemany("UPDATE redacted_value SET json = NULL WHERE number = ? AND json IS NOT NULL", kept)
    return kept[-1][0] if kept else None


def forget_events(changes: SqliteTransaction, *, redaction: int, rows: int) -> bool:
    """Forget what events were; whether there were any."""
    found = changes.db.execute(_FIRST_EVENTS, (redaction, rows)).fetchall()
    changes.db.executemany(_FORGET_EVENT, found)
    return bool(found)


def sweep(changes: SqliteTransaction, *, rows: int) -> bool:
    """Remove emptied rows, once none of them holds a text; whether there were any."""
    db = changes.db
    if db.execute(_IS_OPEN).get:
        return False
    db.execute("DELETE FROM replaced_event")  # those are few
    db.execute(_SWEEP, (rows,))
    return db.changes() > 0


def give_pages_back(changes: SqliteTransaction, *, pages: int) -> bool:
    """Cut free pages off the file, whatever they held before; whether there are more."""
    db = changes.db
    db.execute(f"PRAGMA incremental_vacuum({pages})").fetchall()
    return int(db.pragma("freelist_count")) > 0


def _moved(db: apsw.Connection, redaction: int, after: int, rows: int) -> list[tuple[int, int, int]]:
    return msgspec.convert(db.execute(_MOVED, (after, redaction, rows)).fetchall(), list[tuple[int, int, int]])
