"""The tables of redactions inside a write transaction."""

from collections.abc import Collection, Sequence
from typing import Final

import msgspec

from dayline.model.errors import StoreBusy
from dayline.model.privacy.redaction import RedactionOrder, State
from dayline.model.time import Microseconds
from dayline.storage.engine.rows import EventRow
from dayline.storage.engine.tenant import Fence
from dayline.storage.postgres.connection import Connection
from dayline.storage.postgres.rows.arrays import as_array
from dayline.storage.postgres.writing.dictionary import NAMED_VALUES, TAKEN_HASHES
from dayline.storage.postgres.writing.transaction import PostgresTransaction
from dayline.storage.redaction.lifecycle import REDACTION_FIELDS, record_of
from dayline.storage.redaction.records import Part, Planned, RedactionRecord
from dayline.storage.redaction.rows import REDACTIONS, RedactionRows, StoredText

_SELECT: Final = f"""
SELECT {REDACTION_FIELDS}, (
    SELECT operation.key FROM operation
    WHERE operation.tenant = %(tenant)s AND kind = 'redaction' AND operation.state <> 'undone'
    AND (detail::json ->> 'redaction')::bigint = redaction.key
) AS undo FROM redaction WHERE tenant = %(tenant)s ORDER BY key
"""
_ADD: Final = """
INSERT INTO redaction(tenant, key, made, state, rules, buckets, plan, changed_values, changed_events, dropped_events)
SELECT %(tenant)s, coalesce(max(key), 0) + 1, %(now)s, 'applying', %(rules)s, %(buckets)s, %(plan)s, %(values)s, 0, 0
FROM redaction WHERE tenant = %(tenant)s RETURNING key
"""
_LOCK_PLAN: Final = "SELECT 1 FROM redaction_plan WHERE tenant = %s AND number = %s FOR UPDATE"
CHANGED_BUCKETS: Final = """
SELECT key FROM bucket WHERE tenant = %s AND EXISTS (
    SELECT 1 FROM redacted_value AS old WHERE old.tenant = bucket.tenant AND old.bucket = bucket.key AND redaction = %s
) ORDER BY key
"""

_OF_REDACTION: Final = "tenant = %(tenant)s AND bucket = %(bucket)s AND redaction = %(redaction)s"
_STORE_TEXTS: Final = f"""
INSERT INTO redacted_value(tenant, bucket, redaction, value, hash, json)
SELECT %(tenant)s, %(bucket)s, %(redaction)s, named.key, named.hash, named.json FROM {NAMED_VALUES}
ON CONFLICT DO NOTHING RETURNING value
"""
_STORED_TEXTS: Final = f"""
SELECT value, bucket, value, hash, json FROM redacted_value WHERE {_OF_REDACTION} ORDER BY value LIMIT %(limit)s
"""
_FORGET_TEXTS: Final = f"DELETE FROM redacted_value WHERE {_OF_REDACTION} AND value <= %(last)s"
_STORE_EVENTS: Final = """
INSERT INTO redacted_event(tenant, bucket, redaction, start, id, duration, value)
SELECT %(tenant)s, %(bucket)s, %(redaction)s, * FROM unnest(
    %(starts)s::bigint[], %(ids)s::bigint[], %(durations)s::bigint[], %(values)s::bigint[]
) ON CONFLICT (tenant, bucket, redaction, start, id) DO UPDATE SET duration = excluded.duration, value = excluded.value
"""
_STORED_EVENTS: Final = f"""
SELECT bucket, start, id, duration, value FROM redacted_event WHERE {_OF_REDACTION} ORDER BY start, id LIMIT %(limit)s
"""
_FORGET_EVENTS: Final = f"""
DELETE FROM redacted_event WHERE {_OF_REDACTION} AND (start, id) <= (%(start)s, %(id)s)
"""
# The rows of one bucket, found along the index, whatever the planner knows of the table.
_FORGET_PLAN: Final = """
DELETE FROM redaction_change WHERE ctid = ANY(ARRAY(
    SELECT changed.ctid FROM bucket CROSS JOIN LATERAL (
        SELECT ctid FROM redaction_change
        WHERE tenant = %(tenant)s AND bucket = bucket.key AND plan = %(plan)s ORDER BY value LIMIT %(limit)s
    ) AS changed WHERE bucket.tenant = %(tenant)s LIMIT %(limit)s
))
"""


class PostgresRedactionRows(RedactionRows):
    """A part is one bucket."""

    def __init__(self, transaction: PostgresTransaction, fence: Fence) -> None:
        super().__init__(transaction, fence)
        self._db = transaction.db
        self._tenant = transaction.tenant

    def records(self) -> list[RedactionRecord]:
        return read_records(self._db, self._tenant)

    def add(self, order: RedactionOrder, planned: Planned, *, now: Microseconds) -> int:
        plan = int(planned.plan)
        if self._db.execute(_LOCK_PLAN, (self._tenant, plan)).fetchone() is None:
            raise StoreBusy("the plan was removed", hint="nothing was changed; send the request again")
        terms = {"tenant": self._tenant, "now": now, "plan": plan, "values": planned.preview.changed_values}
        row = self._db.execute(_ADD, {**terms, "rules": _json(order.book), "buckets": _json(order.buckets)}).fetchone()
        assert row is not None
        return int(row[0])

    def set_state(self, key: int, state: State, *, has_rest: bool = False) -> None:
        super().set_state(key, state, has_rest=has_rest)
        if state not in ("applying", "undoing"):
            self.transaction.update(REDACTIONS, {"plan": None}, {"key": key})  # the plan can be removed

    def changed_buckets(self, key: int) -> list[int]:
        rows = self._db.execute(CHANGED_BUCKETS, (self._tenant, key), prepare=False).fetchall()
        return [bucket for (bucket,) in rows]

    def store_texts(self, part: Part, bucket: int, values: Sequence[int]) -> set[int]:
        rows = self._db.execute(_STORE_TEXTS, {**self._terms(part), "values": as_array(values)}).fetchall()
        return {value for (value,) in rows}

    def stored_texts(self, part: Part, *, after: int, limit: int) -> list[StoredText]:
        """Those before are deleted: `after` is not needed."""
        rows = self._db.execute(_STORED_TEXTS, {**self._terms(part), "limit": limit}).fetchall()
        return [StoredText(*row) for row in rows]

    def forget_texts(self, part: Part, stored: Sequence[StoredText]) -> None:
        self._db.execute(_FORGET_TEXTS, {**self._terms(part), "last": stored[-1].value})

    def taken_hashes(self, bucket: int, hashes: Collection[int]) -> set[int]:
        """One by one: the planner expects a new bucket to have hardly any values, and would scan all of them."""
        terms = {"tenant": self._tenant, "bucket": bucket, "hashes": as_array(hashes)}
        return {taken for (taken,) in self._db.execute(TAKEN_HASHES, terms).fetchall()}

    def store_events(self, part: Part, events: Sequence[EventRow]) -> None:
        columns = {
            "starts": as_array(event.start for event in events),
            "ids": as_array(event.id for event in events),
            "durations": as_array(event.duration for event in events),
            "values": as_array(event.value for event in events),
        }
        self._db.execute(_STORE_EVENTS, {**self._terms(part), **columns})

    def stored_events(self, part: Part, *, limit: int) -> list[EventRow]:
        rows = self._db.execute(_STORED_EVENTS, {**self._terms(part), "limit": limit}).fetchall()
        return [EventRow(*row) for row in rows]

    def forget_events(self, part: Part, stored: Sequence[EventRow]) -> None:
        self._db.execute(_FORGET_EVENTS, {**self._terms(part), "start": stored[-1].start, "id": stored[-1].id})

    def forget_plan(self, plan: int, *, limit: int) -> bool:
        """Delete rows of a plan, and finally the plan; returns whether there may be more."""
        self.check_lease()
        terms = {"tenant": self._tenant, "plan": plan, "limit": limit}
        if self._db.execute(_FORGET_PLAN, terms).rowcount:
            return True
        self._db.execute("DELETE FROM redaction_plan WHERE tenant = %s AND number = %s", (self._tenant, plan))
        return False

    def _terms(self, part: Part) -> dict[str, object]:
        return {"tenant": self._tenant, "bucket": part.bucket, "redaction": part.redaction}


def read_records(db: Connection, tenant: str) -> list[RedactionRecord]:
    """The oldest first."""
    return [record_of(row) for row in db.execute(_SELECT.encode(), {"tenant": tenant}).fetchall()]


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
