"""The tables of redactions inside a write transaction.

Original texts are overwritten in place, and rows are deleted only once no row holds one (`sweep`): deleting a row
rearranges its page and leaves copies of its neighbours in the gaps. The writing connection overwrites what it frees
(`secure_delete`).

The plan is a file that is attached as `plan`, see plan_worker.py.
"""

from collections.abc import Iterable, Sequence
from typing import Final

import apsw
import msgspec
from msgspec import Struct

from dayline.model.data import EMPTY
from dayline.model.privacy import Redaction, RedactionOrder, State
from dayline.model.time import Microseconds, month_of, start_of_month
from dayline.storage.columns.hashes import hash_of
from dayline.storage.redaction.lifecycle import OPEN, REDACTION_FIELDS, no_redaction, redaction_of
from dayline.storage.redaction.seam import Counts, EventKey, Part, Planned
from dayline.storage.sqlite.file.schema import ORIGIN
from dayline.storage.sqlite.writing.transaction import SqliteTransaction

NO_HASH: Final = 0  # of a hidden value: no text leads to it

_FIELDS = f"""
{REDACTION_FIELDS}, (
    SELECT operation.key FROM operation WHERE operation.kind = 'redaction' AND operation.state = 'done'
    AND json_extract(operation.detail, '$.redaction') = redaction.key
)
"""
_ADD = """
INSERT INTO redaction(made, state, has_rest, rules, buckets, plan, changed_values, changed_events, dropped_events)
VALUES(?, 'applying', 0, ?, ?, ?, 0, 0, 0)
"""
_NEXT_OPEN = f"SELECT min(key) FROM redaction WHERE key > ? AND state IN {OPEN}"
_PREVIOUS_OPEN = f"SELECT max(key) FROM redaction WHERE key < ? AND state IN {OPEN}"
_IN_TRASH = """
SELECT bucket.id FROM bucket JOIN redacted_value AS changed ON changed.bucket = bucket.key
WHERE changed.redaction = ? AND bucket.deleted IS NOT NULL LIMIT 1
"""
_SET_COUNTS = "UPDATE redaction SET changed_values = ?, changed_events = ?, dropped_events = ? WHERE key = ?"

# The next values of the plan: the one up to which a step goes.
_UPTO = "SELECT max(key) FROM (SELECT key FROM plan.change WHERE key > :after ORDER BY key LIMIT :limit)"
_PLANNED = """
FROM plan.change AS new CROSS JOIN main.value AS old
WHERE new.key > :after AND new.key <= :upto AND old.key = new.key AND old.bucket = new.bucket
AND NOT EXISTS (SELECT 1 FROM redacted_value AS kept WHERE kept.redaction = :redaction AND kept.value = new.key)
"""
_KEEP_TEXTS = f"""
INSERT INTO redacted_value(redaction, value, bucket, hash, json, next_id)
SELECT :redaction, old.key, old.bucket, old.hash, old.json, :next_id {_PLANNED} AND NOT new.is_moved
AND NOT EXISTS (
    SELECT 1 FROM main.value AS same
    WHERE same.hash = new.hash AND same.bucket = new.bucket AND same.json = new.json AND same.key <> new.key
)
ORDER BY new.key
"""
_NEW_TEXTS = """
SELECT new.hash, new.json, kept.value, kept.bucket FROM plan.change AS new CROSS JOIN redacted_value AS kept
WHERE new.key > :after AND new.key <= :upto
AND kept.redaction = :redaction AND kept.value = new.key AND kept.json IS NOT NULL
"""
_CHANGE_TEXT = "UPDATE value SET hash = ?, json = ? WHERE key = ? AND bucket = ?"
_KEEP_MOVED = f"""
INSERT INTO redacted_value(redaction, value, bucket, hash, json, next_id)
SELECT :redaction, old.key, old.bucket, old.hash, NULL, 0 {_PLANNED} ORDER BY new.key
"""
# The events as they are now, without those that were replaced or removed since they were searched, or moved before.
_MOVES = """
SELECT event.start, event.id, event.duration, event.value, new.json
FROM json_each(:events) AS listed CROSS JOIN main.event AS event CROSS JOIN plan.change AS new
WHERE event.bucket = :bucket AND event.start = listed.value ->> 1 AND event.id = listed.value ->> 2
AND new.key = event.value AND NOT EXISTS (
    SELECT 1 FROM redacted_value AS kept
    WHERE kept.redaction = :redaction AND kept.value = event.value AND kept.json IS NOT NULL
) AND NOT EXISTS (
    SELECT 1 FROM redacted_event AS done
    WHERE done.redaction = :redaction AND done.bucket = event.bucket AND done.start = event.start AND done.id = event.id
)
"""
_KEEP_EVENT = """
INSERT INTO redacted_event(redaction, bucket, start, id, duration, value, target) VALUES(?, ?, ?, ?, ?, ?, ?)
"""
_KEEP_TARGET = """
INSERT OR IGNORE INTO redacted_value(redaction, value, bucket, hash, json, next_id) VALUES(?, ?, ?, 0, NULL, 0)
"""
_MOVE = "UPDATE event SET value = ? WHERE bucket = ? AND start = ? AND id = ?"
_REMOVE = "DELETE FROM event WHERE bucket = ? AND start = ? AND id = ?"

# The originals of one bucket and month, from the first on, and what each event is now.
_FIRST_KEPT = "SELECT bucket, start FROM redacted_event WHERE redaction = ? ORDER BY bucket, start LIMIT 1"
_KEPT = """
SELECT kept.start, kept.id, kept.duration, kept.value, kept.target, event.bucket, event.start, event.value
FROM redacted_event AS kept LEFT JOIN event ON event.id = kept.id
WHERE kept.redaction = :redaction AND kept.bucket = :bucket AND kept.start < :end
ORDER BY kept.start, kept.id LIMIT :limit
"""
_PUT_BACK = "INSERT INTO event(bucket, start, id, duration, value) VALUES(?, ?, ?, ?, ?)"
_FORGET_EVENT = "DELETE FROM redacted_event WHERE redaction = ? AND bucket = ? AND start = ? AND id = ?"
_CHANGED = """
SELECT event.start, event.id, kept.json
FROM json_each(:events) AS listed CROSS JOIN event CROSS JOIN redacted_value AS kept
WHERE event.bucket = :bucket AND event.start = listed.value ->> 1 AND event.id = listed.value ->> 2
AND kept.redaction = :redaction AND kept.value = event.value AND kept.json IS NOT NULL AND event.id < kept.next_id
AND NOT EXISTS (SELECT 1 FROM replaced_event AS other WHERE other.id = event.id AND other.redaction >= :redaction)
"""

# In the order of the rows: the plus keeps SQLite from reading the index from its start in every step.
_KEPT_VALUES = "SELECT number FROM redacted_value WHERE number > ? AND +redaction = ? ORDER BY number LIMIT ?"
_FIRST_EVENTS = "SELECT redaction, bucket, start, id FROM redacted_event WHERE redaction = ? LIMIT ?"
_HIDE = "UPDATE value SET hash = ? WHERE key = ?"
_EMPTY = "UPDATE value SET json = ? WHERE key = ? AND hash = ?"
_IS_NEEDED = f"SELECT EXISTS (SELECT 1 FROM redaction WHERE state IN {OPEN} OR has_rest)"
_SWEEP = "DELETE FROM redacted_value WHERE number IN (SELECT number FROM redacted_value ORDER BY number LIMIT ?)"


class _Moving(Struct, frozen=True, array_like=True):
    start: int
    id: int
    duration: int
    value: int
    json: str | None


class _Kept(Struct, frozen=True, array_like=True):
    start: int
    id: int
    duration: int
    value: int
    target: int | None
    current_bucket: int | None
    current_start: int | None
    current_value: int | None

    def is_unchanged(self, bucket: int) -> bool:
        """Whether the event still has the value that it was given."""
        return self.target is not None and (self.current_bucket, self.current_value) == (bucket, self.target)


class SqliteRedactionRows:
    """See RedactionRows. A part is the whole file: values have their keys in common."""

    def __init__(self, transaction: SqliteTransaction) -> None:
        self.transaction = transaction
        self._db = transaction.db

    def redaction(self, key: int) -> Redaction:
        return redaction_at(self._db, key)

    def add(self, order: RedactionOrder, planned: Planned, *, now: Microseconds) -> int:
        self._db.execute(_ADD, (now, _json(order.book), _json(order.buckets), planned.plan))
        return self._db.last_insert_rowid()

    def next_open(self, key: int) -> int | None:
        return self._number(_NEXT_OPEN, key)

    def previous_open(self, key: int) -> int | None:
        return self._number(_PREVIOUS_OPEN, key)

    def changed_bucket_in_trash(self, key: int) -> str | None:
        found = self._db.execute(_IN_TRASH, (key,)).get
        return found if isinstance(found, str) else None

    def set_state(self, key: int, state: State, *, has_rest: bool = False) -> None:
        self._db.execute("UPDATE redaction SET state = ?, has_rest = ? WHERE key = ?", (state, has_rest, key))

    def set_counts(self, key: int, counts: Counts, *, operation: int | None) -> None:
        self._db.execute(_SET_COUNTS, (counts.values, counts.events, counts.dropped, key))
        self._db.execute("UPDATE operation SET events = ? WHERE key = ?", (counts.events + counts.dropped, operation))

    def change_texts(self, part: Part, *, after: int, limit: int) -> int | None:
        span = self._span(part, after, limit)
        if span["upto"] is None:
            return None
        self._db.execute(_KEEP_TEXTS, {**span, "next_id": self.transaction.take_event_ids(0)})
        texts = msgspec.convert(self._db.execute(_NEW_TEXTS, span).fetchall(), list[tuple[int, str, int, int]])
        self._db.executemany(_CHANGE_TEXT, texts)
        for bucket in {bucket for *_, bucket in texts}:
            state = self.transaction.bucket_by_key(bucket)
            if state is not None:
                self.transaction.touch_values(state.bucket.id)
        return span["upto"]

    def note_moved(self, part: Part, *, after: int, limit: int) -> int | None:
        span = self._span(part, after, limit)
        if span["upto"] is not None:
            self._db.execute(_KEEP_MOVED, span)
        return span["upto"]

    def move_events(self, part: Part, events: Sequence[EventKey]) -> None:
        bucket = events[0][0]
        state = self.transaction.bucket_by_key(bucket)
        if state is None:
            return
        found = self._db.execute(_MOVES, {"redaction": part.redaction, "bucket": bucket, "events": _json(events)})
        moving = msgspec.convert(found.fetchall(), list[_Moving])
        targets = self._values(bucket, [event.json for event in moving if event.json is not None])
        changes = [(event, None if event.json is None else targets[event.json]) for event in moving]
        changes = [(event, target) for event, target in changes if target != event.value]
        kept = [(part.redaction, bucket, e.start, e.id, e.duration, e.value, target) for e, target in changes]
        self._db.executemany(_KEEP_EVENT, kept)
        given = {target for _, target in changes if target is not None}
        self._db.executemany(_KEEP_TARGET, [(part.redaction, target, bucket) for target in given])
        removed = [(bucket, event.start, event.id) for event, target in changes if target is None]
        self._db.executemany(_REMOVE, removed)
        moved = [(target, bucket, event.start, event.id) for event, target in changes if target is not None]
        self._db.executemany(_MOVE, moved)
        if changes:
            self.transaction.touch_part(state.bucket.id, start=events[0][1] + ORIGIN, removed=len(removed))

    def restore_events(self, part: Part, *, after: EventKey, limit: int) -> EventKey | None:
        first = self._db.execute(_FIRST_KEPT, (part.redaction,)).fetchone()
        if first is None:
            return None
        bucket, start = msgspec.convert(first, tuple[int, int])
        end = start_of_month(month_of(start + ORIGIN) + 1) - ORIGIN
        span = {"redaction": part.redaction, "bucket": bucket, "end": end, "limit": limit}
        kept = msgspec.convert(self._db.execute(_KEPT, span).fetchall(), list[_Kept])
        state = self.transaction.bucket_by_key(bucket)
        if state is not None:
            self._move_back(state.bucket.id, bucket, kept)
            self._insert_again(state.bucket.id, bucket, kept)
        self._db.executemany(_FORGET_EVENT, [(part.redaction, bucket, event.start, event.id) for event in kept])
        return bucket, kept[-1].start, kept[-1].id

    def restore_texts(self, part: Part, events: Sequence[EventKey]) -> None:
        bucket = events[0][0]
        state = self.transaction.bucket_by_key(bucket)
        if state is None:
            return
        found = self._db.execute(_CHANGED, {"redaction": part.redaction, "bucket": bucket, "events": _json(events)})
        changed = msgspec.convert(found.fetchall(), list[tuple[int, int, str]])
        values = self._values(bucket, [json for *_, json in changed])
        self._db.executemany(_MOVE, [(values[json], bucket, start, event_id) for start, event_id, json in changed])
        if changed:
            self.transaction.touch_part(state.bucket.id, start=events[0][1] + ORIGIN)

    def forget_events(self, part: Part, *, limit: int) -> bool:
        found = self._db.execute(_FIRST_EVENTS, (part.redaction, limit)).fetchall()
        self._db.executemany(_FORGET_EVENT, found)
        return bool(found)

    def forget_values(self, part: Part, *, after: int, limit: int) -> int | None:
        kept = self._db.execute(_KEPT_VALUES, (after, part.redaction, limit)).fetchall()
        numbers = msgspec.convert(kept, list[tuple[int]])
        self._db.executemany("UPDATE redacted_value SET json = NULL WHERE number = ? AND json IS NOT NULL", numbers)
        return numbers[-1][0] if numbers else None

    def hide_values(self, part: Part, values: Sequence[int]) -> None:
        self._db.executemany(_HIDE, [(NO_HASH, value) for value in values])
        self.transaction.values.forget()

    def remove_values(self, part: Part, values: Sequence[int]) -> None:
        self._db.executemany(_EMPTY, [(EMPTY.decode(), value, NO_HASH) for value in values])

    def show_values(self, part: Part, values: Sequence[int]) -> None:
        for value in values:
            text = self._db.execute("SELECT json FROM value WHERE key = ? AND hash = ?", (value, NO_HASH)).get
            if isinstance(text, str):
                self._db.execute(_HIDE, (hash_of(text.encode()), value))

    def sweep(self, *, limit: int) -> bool:
        if self._db.execute(_IS_NEEDED).get:
            return False
        self._db.execute("DELETE FROM replaced_event")  # those are few
        self._db.execute(_SWEEP, (limit,))
        return self._db.changes() > 0

    def _span(self, part: Part, after: int, limit: int) -> dict[str, int | None]:
        upto = self._db.execute(_UPTO, {"after": after, "limit": limit}).get
        return {"redaction": part.redaction, "after": after, "upto": upto if isinstance(upto, int) else None}

    def _values(self, bucket: int, texts: Iterable[str]) -> dict[str, int]:
        """The values with these texts; new ones are added."""
        return {text: self.transaction.values.number(bucket, text.encode()) for text in dict.fromkeys(texts)}

    def _move_back(self, bucket_id: str, bucket: int, kept: Sequence[_Kept]) -> None:
        moved = [
            (event.value, bucket, event.current_start, event.id)
            for event in kept
            if event.current_start is not None and event.is_unchanged(bucket)
        ]
        self._db.executemany(_MOVE, moved)
        for month in {month_of(start + ORIGIN) for _, _, start, _ in moved}:
            self.transaction.touch_part(bucket_id, start=start_of_month(month))

    def _insert_again(self, bucket_id: str, bucket: int, kept: Sequence[_Kept]) -> None:
        removed = [event for event in kept if event.target is None and event.current_start is None]
        if not removed:
            return
        self._db.executemany(_PUT_BACK, [(bucket, e.start, e.id, e.duration, e.value) for e in removed])
        self.transaction.cover_part(
            bucket_id,
            events=len(removed),
            start=min(event.start for event in removed) + ORIGIN,
            max_duration=max(event.duration for event in removed),
            max_end=max(event.start + event.duration for event in removed) + ORIGIN,
        )

    def _number(self, statement: str, key: int) -> int | None:
        found = self._db.execute(statement, (key,)).get
        return found if isinstance(found, int) else None


def all_redactions(db: apsw.Connection) -> list[Redaction]:
    """The newest first."""
    return [redaction_of(row) for row in db.execute(f"SELECT {_FIELDS} FROM redaction ORDER BY key DESC")]


def redaction_at(db: apsw.Connection, key: int) -> Redaction:
    """Raises NotFound."""
    row = db.execute(f"SELECT {_FIELDS} FROM redaction WHERE key = ?", (key,)).fetchone()
    if row is None:
        raise no_redaction(key)
    return redaction_of(row)


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
