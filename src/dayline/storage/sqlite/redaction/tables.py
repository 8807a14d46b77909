"""The tables of redactions inside a write transaction.

Original texts are overwritten in place, and rows are deleted only once no row holds one (`sweep`): deleting a row
rearranges its page and leaves copies of its neighbors in the gaps. So does a row that grows: a value with a longer
text is emptied first, and gets the text when no value of the plan has its original any more. The writing connection
overwrites what it frees (`secure_delete`).
"""

from collections.abc import Sequence

import apsw
import msgspec

from dayline.model.privacy.redaction import RedactionOrder
from dayline.model.time import Microseconds
from dayline.storage.engine.rows import EventRow
from dayline.storage.engine.tenant import Fence
from dayline.storage.redaction.lifecycle import REDACTION_FIELDS, record_of
from dayline.storage.redaction.records import Part, Planned, RedactionRecord
from dayline.storage.redaction.rows import RedactionRows, StoredText
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
VALUES(?, 'applying', 0, ?, ?, ?, ?, 0, 0)
"""
_STORE_TEXTS = """
INSERT INTO redacted_value(redaction, value, bucket, hash, json)
SELECT :redaction, old.key, old.bucket, old.hash, old.json
FROM json_each(:values) AS wanted CROSS JOIN main.value AS old
WHERE old.key = wanted.value AND old.bucket = :bucket ON CONFLICT DO NOTHING RETURNING value
"""
# In the order of the rows: the plus keeps SQLite from reading the index from its start in every step.
_STORED_TEXTS = """
SELECT number, bucket, value, hash, json FROM redacted_value
WHERE number > ? AND +redaction = ? AND json IS NOT NULL ORDER BY number LIMIT ?
"""
_FORGET_TEXT = "UPDATE redacted_value SET json = NULL WHERE number = ?"
_STORE_EVENT = (
    "INSERT OR REPLACE INTO redacted_event(redaction, bucket, start, id, duration, value) VALUES(?, ?, ?, ?, ?, ?)"
)
_STORED_EVENTS = """
SELECT bucket, start, id, duration, value FROM redacted_event WHERE redaction = ? ORDER BY bucket, start, id LIMIT ?
"""
_FORGET_EVENT = "DELETE FROM redacted_event WHERE redaction = ? AND bucket = ? AND start = ? AND id = ?"
_SWEEP = "DELETE FROM redacted_value WHERE number IN (SELECT number FROM redacted_value ORDER BY number LIMIT ?)"


class SqliteRedactionRows(RedactionRows):
    """A part is the whole file: values have their keys in common."""

    def __init__(self, transaction: SqliteTransaction, fence: Fence) -> None:
        super().__init__(transaction, fence)
        self._db = transaction.db

    def records(self) -> list[RedactionRecord]:
        return read_records(self._db)

    def add(self, order: RedactionOrder, planned: Planned, *, now: Microseconds) -> int:
        values = planned.preview.changed_values
        self._db.execute(_ADD, (now, _json(order.book), _json(order.buckets), planned.plan, values))
        return self._db.last_insert_rowid()

    def changed_buckets(self, key: int) -> list[int]:
        rows = self._db.execute("SELECT DISTINCT bucket FROM redacted_value WHERE redaction = ?", (key,)).fetchall()
        return [bucket for (bucket,) in msgspec.convert(rows, list[tuple[int]])]

    def store_texts(self, part: Part, bucket: int, values: Sequence[int]) -> set[int]:
        terms = {"redaction": part.redaction, "values": _json(values), "bucket": bucket}
        rows = self._db.execute(_STORE_TEXTS, terms).fetchall()
        return {value for (value,) in msgspec.convert(rows, list[tuple[int]])}

    def stored_texts(self, part: Part, *, after: int, limit: int) -> list[StoredText]:
        rows = self._db.execute(_STORED_TEXTS, (after, part.redaction, limit)).fetchall()
        return msgspec.convert(rows, list[StoredText])

    def forget_texts(self, part: Part, stored: Sequence[StoredText]) -> None:
        self._db.executemany(_FORGET_TEXT, [(text.position,) for text in stored])

    def store_events(self, part: Part, events: Sequence[EventRow]) -> None:
        rows = [(row.bucket, row.start - ORIGIN, row.id, row.duration, row.value) for row in events]
        self._db.executemany(_STORE_EVENT, [(part.redaction, *row) for row in rows])

    def stored_events(self, part: Part, *, limit: int) -> list[EventRow]:
        rows = self._db.execute(_STORED_EVENTS, (part.redaction, limit)).fetchall()
        return [
            EventRow(bucket, start + ORIGIN, event_id, duration, value)
            for bucket, start, event_id, duration, value in msgspec.convert(rows, list[tuple[int, int, int, int, int]])
        ]

    def forget_events(self, part: Part, stored: Sequence[EventRow]) -> None:
        rows = [(part.redaction, each.bucket, each.start - ORIGIN, each.id) for each in stored]
        self._db.executemany(_FORGET_EVENT, rows)

    def sweep(self, *, limit: int) -> bool:
        if any(record.is_open or record.has_rest for record in self.records()):
            return False
        self._db.execute(_SWEEP, (limit,))
        return self._db.changes() > 0


def read_records(db: apsw.Connection) -> list[RedactionRecord]:
    """The oldest first."""
    return [record_of(row) for row in db.execute(f"SELECT {_FIELDS} FROM redaction ORDER BY key")]


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
