"""The tables of redactions inside a write transaction.

Original texts are overwritten in place, and rows are deleted only once no row holds one (`sweep`): deleting a row
rearranges its page and leaves copies of its neighbors in the gaps. So does a row that grows: a value with a longer
text is emptied first, and gets the text when no value of the plan has its original any more. The writing connection
overwrites what it frees (`secure_delete`).

The plan is a file that is attached as `plan`, see plan_worker.py.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import apsw
import msgspec
from msgspec import Struct

from dayline.model.data import EMPTY
from dayline.model.privacy.redaction import RedactionOrder, State
from dayline.model.time import Microseconds, month_of, start_of_month
from dayline.storage.engine import EventRow
from dayline.storage.redaction.lifecycle import REDACTION_FIELDS, record_of
from dayline.storage.redaction.seam import Counts, EventKey, Part, Planned, RedactionRecord
from dayline.storage.sqlite.file.schema import ORIGIN
from dayline.storage.sqlite.writing.transaction import SqliteTransaction

_FIELDS = f"""
{REDACTION_FIELDS}, (
    SELECT operation.key FROM operation WHERE operation.kind = 'redaction' AND operation.state <> 'undone'
    AND json_extract(operation.detail, '$.redaction') = redaction.key
)
"""
_ADD = """
INSERT INTO redaction(made, state, has_rest, rules, buckets, plan, changed_values, changed_events, dropped_events)
VALUES(?, 'applying', 0, ?, ?, ?, 0, 0, 0)
"""
_SET_COUNTS = "UPDATE redaction SET changed_values = ?, changed_events = ?, dropped_events = ? WHERE key = ?"

# The next values of the plan: the one up to which a step goes.
_UPTO = "SELECT max(key) FROM (SELECT key FROM plan.change WHERE key > :after ORDER BY key LIMIT :limit)"
_KEEP_TEXTS = """
INSERT INTO redacted_value(redaction, value, bucket, hash, json)
SELECT :redaction, old.key, old.bucket, old.hash, old.json FROM plan.change AS new CROSS JOIN main.value AS old
WHERE new.key > :after AND new.key <= :upto AND old.key = new.key AND old.bucket = new.bucket
AND NOT EXISTS (SELECT 1 FROM redacted_value AS kept WHERE kept.redaction = :redaction AND kept.value = new.key)
ORDER BY new.key
"""
# The new texts of values whose originals are stored.
_NEW_TEXTS = f"""
SELECT kept.bucket, kept.value, iif(
    octet_length(new.json) <= octet_length(kept.json), new.json, '{EMPTY.decode()}'
) FROM plan.change AS new CROSS JOIN redacted_value AS kept
WHERE new.key > :after AND new.key <= :upto AND kept.redaction = :redaction AND kept.value = new.key
"""
_LONGER_TEXTS = """
SELECT kept.bucket, kept.value, new.json FROM plan.change AS new CROSS JOIN redacted_value AS kept
WHERE new.key > :after AND new.key <= :upto AND kept.redaction = :redaction AND kept.value = new.key
AND octet_length(new.json) > octet_length(kept.json)
"""
# The events as they are now, without those that were replaced or removed since they were searched.
_DROPPING = """
SELECT event.start, event.id, event.duration, event.value
FROM json_each(:events) AS listed CROSS JOIN main.event AS event CROSS JOIN plan.change AS new
WHERE event.bucket = :bucket AND event.start = listed.value ->> 1 AND event.id = listed.value ->> 2
AND new.key = event.value AND new.json IS NULL
"""
_KEEP_EVENT = (
    "INSERT OR REPLACE INTO redacted_event(redaction, bucket, start, id, duration, value) VALUES(?, ?, ?, ?, ?, ?)"
)

# In the order of the rows: the plus keeps SQLite from reading the index from its start in every step.
_KEPT_VALUES = """
SELECT number, bucket, value, hash, json FROM redacted_value
WHERE number > ? AND +redaction = ? AND json IS NOT NULL ORDER BY number LIMIT ?
"""
_IS_TAKEN = "SELECT 1 FROM value WHERE hash = ? AND bucket = ? AND json = ? LIMIT 1"
_FORGET_VALUE = "UPDATE redacted_value SET json = NULL WHERE number = ?"
# The dropped events of one bucket and month, from the first on, and whether their ids are used by others now.
_FIRST_KEPT = "SELECT bucket, start FROM redacted_event WHERE redaction = ? ORDER BY bucket, start LIMIT 1"
_KEPT_EVENTS = """
SELECT start, id, duration, value, EXISTS (SELECT 1 FROM event WHERE event.id = kept.id)
FROM redacted_event AS kept WHERE redaction = :redaction AND bucket = :bucket AND start < :end
ORDER BY start, id LIMIT :limit
"""
_FIRST_EVENTS = "SELECT redaction, bucket, start, id FROM redacted_event WHERE redaction = ? LIMIT ?"
_FORGET_EVENT = "DELETE FROM redacted_event WHERE redaction = ? AND bucket = ? AND start = ? AND id = ?"
_SWEEP = "DELETE FROM redacted_value WHERE number IN (SELECT number FROM redacted_value ORDER BY number LIMIT ?)"


class _KeptValue(Struct, frozen=True, array_like=True):
    number: int
    bucket: int
    value: int
    hash: int
    json: str


class _KeptEvent(Struct, frozen=True, array_like=True):
    start: int
    id: int
    duration: int
    value: int
    is_taken: bool


class SqliteRedactionRows:
    """See RedactionRows. A part is the whole file: values have their keys in common."""

    def __init__(self, transaction: SqliteTransaction) -> None:
        self.transaction = transaction
        self._db = transaction.db

    def records(self) -> list[RedactionRecord]:
        return read_records(self._db)

    def add(self, order: RedactionOrder, planned: Planned, *, now: Microseconds) -> int:
        self._db.execute(_ADD, (now, _json(order.book), _json(order.buckets), planned.plan))
        return self._db.last_insert_rowid()

    def changed_buckets(self, key: int) -> list[int]:
        rows = self._db.execute("SELECT DISTINCT bucket FROM redacted_value WHERE redaction = ?", (key,)).fetchall()
        return [bucket for (bucket,) in msgspec.convert(rows, list[tuple[int]])]

    def set_state(self, key: int, state: State, *, has_rest: bool = False) -> None:
        self._db.execute("UPDATE redaction SET state = ?, has_rest = ? WHERE key = ?", (state, has_rest, key))

    def set_counts(self, key: int, counts: Counts, *, operation: int | None) -> None:
        self._db.execute(_SET_COUNTS, (counts.values, counts.events, counts.dropped, key))
        self._db.execute("UPDATE operation SET events = ? WHERE key = ?", (counts.events + counts.dropped, operation))

    def change_texts(self, part: Part, *, after: int, limit: int) -> int | None:
        span = self._span(part, after, limit)
        if span["upto"] is not None:
            self._db.execute(_KEEP_TEXTS, span)
            self._give_texts(self._db.execute(_NEW_TEXTS, span))
        return span["upto"]

    def lengthen_texts(self, part: Part, *, after: int, limit: int) -> int | None:
        span = self._span(part, after, limit)
        if span["upto"] is not None:
            self._give_texts(self._db.execute(_LONGER_TEXTS, span))
        return span["upto"]

    def drop_events(self, part: Part, events: Sequence[EventKey]) -> None:
        bucket = events[0][0]
        state = self.transaction.find_any(bucket)
        if state is None:
            return
        found = self._db.execute(_DROPPING, {"bucket": bucket, "events": _json(events)}).fetchall()
        rows = msgspec.convert(found, list[tuple[int, int, int, int]])
        if rows:
            self._db.executemany(_KEEP_EVENT, [(part.redaction, bucket, *row) for row in rows])
            self.transaction.remove_events(state, [_event(bucket, *row) for row in rows])
            self.transaction.notify(state.bucket.id, "changed")

    def restore_texts(self, part: Part, *, after: int, limit: int) -> int | None:
        kept = self._kept_values(part, after, limit)
        texts: defaultdict[int, list[tuple[int, str, int]]] = defaultdict(list)
        for each in kept:
            is_taken = self._db.execute(_IS_TAKEN, (each.hash, each.bucket, each.json)).get is not None
            texts[each.bucket].append((each.value if is_taken else each.hash, each.json, each.value))
        self._change_texts(texts)
        return self._forget_values(kept)

    def restore_events(self, part: Part, *, limit: int) -> bool:
        first = self._db.execute(_FIRST_KEPT, (part.redaction,)).fetchone()
        if first is None:
            return False
        bucket, start = msgspec.convert(first, tuple[int, int])
        end = start_of_month(month_of(start + ORIGIN) + 1) - ORIGIN
        span = {"redaction": part.redaction, "bucket": bucket, "end": end, "limit": limit}
        kept = msgspec.convert(self._db.execute(_KEPT_EVENTS, span).fetchall(), list[_KeptEvent], strict=False)
        state = self.transaction.find_any(bucket)
        if state is not None:
            events = [_event(bucket, e.start, e.id, e.duration, e.value) for e in kept if not e.is_taken]
            self.transaction.put_events(state, events)
            self.transaction.notify(state.bucket.id, "changed")
        self._db.executemany(_FORGET_EVENT, [(part.redaction, bucket, event.start, event.id) for event in kept])
        return True

    def forget_events(self, part: Part, *, limit: int) -> bool:
        found = self._db.execute(_FIRST_EVENTS, (part.redaction, limit)).fetchall()
        self._db.executemany(_FORGET_EVENT, found)
        return bool(found)

    def forget_values(self, part: Part, *, after: int, limit: int) -> int | None:
        return self._forget_values(self._kept_values(part, after, limit))

    def sweep(self, *, limit: int) -> bool:
        if any(record.is_open or record.has_rest for record in self.records()):
            return False
        self._db.execute(_SWEEP, (limit,))
        return self._db.changes() > 0

    def _span(self, part: Part, after: int, limit: int) -> dict[str, int | None]:
        upto = self._db.execute(_UPTO, {"after": after, "limit": limit}).get
        return {"redaction": part.redaction, "after": after, "upto": upto if isinstance(upto, int) else None}

    def _give_texts(self, found: Iterable[object]) -> None:
        """Give values new texts; each is a bucket, a key and a text."""
        texts: defaultdict[int, list[tuple[int, str, int]]] = defaultdict(list)
        for bucket, value, json in msgspec.convert(list(found), list[tuple[int, int, str]]):
            texts[bucket].append((value, json, value))
        self._change_texts(texts)

    def _change_texts(self, texts: Mapping[int, Sequence[tuple[int, str, int]]]) -> None:
        for bucket, some in texts.items():
            self.transaction.change_texts(bucket, some)

    def _kept_values(self, part: Part, after: int, limit: int) -> list[_KeptValue]:
        found = self._db.execute(_KEPT_VALUES, (after, part.redaction, limit)).fetchall()
        return msgspec.convert(found, list[_KeptValue])

    def _forget_values(self, kept: Sequence[_KeptValue]) -> int | None:
        self._db.executemany(_FORGET_VALUE, [(each.number,) for each in kept])
        return kept[-1].number if kept else None


def read_records(db: apsw.Connection) -> list[RedactionRecord]:
    """The oldest first."""
    return [record_of(row) for row in db.execute(f"SELECT {_FIELDS} FROM redaction ORDER BY key")]


def _event(bucket: int, start: int, event_id: int, duration: int, value: int) -> EventRow:
    return EventRow(bucket, start + ORIGIN, event_id, duration, value)


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
