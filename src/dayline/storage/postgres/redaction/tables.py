"""The tables of redactions inside a write transaction.

Every step locks its bucket first and then checks the lease. Completed rows are deleted from the plan.
"""

from collections.abc import Sequence
from typing import Final

import msgspec

from dayline.model.data import EMPTY
from dayline.model.errors import StoreBusy
from dayline.model.privacy.redaction import RedactionOrder, State
from dayline.model.time import Microseconds
from dayline.storage.engine import EventRow
from dayline.storage.postgres.connection import Connection
from dayline.storage.postgres.redaction.lease import check_lease
from dayline.storage.postgres.rows.arrays import as_array
from dayline.storage.postgres.rows.buckets import BucketRecord
from dayline.storage.postgres.rows.undo_log import BY_ID
from dayline.storage.postgres.writing.dictionary import NAMED_VALUES, TAKEN_HASHES, change_texts
from dayline.storage.postgres.writing.transaction import PostgresTransaction
from dayline.storage.redaction.lifecycle import REDACTION_FIELDS, record_of
from dayline.storage.redaction.seam import Counts, EventKey, Part, Planned, RedactionRecord

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
_SET_STATE: Final = """
UPDATE redaction SET state = %(state)s, has_rest = %(has_rest)s,
plan = CASE WHEN %(state)s IN ('applying', 'undoing') THEN plan END
WHERE tenant = %(tenant)s AND key = %(key)s
"""
_SET_COUNTS: Final = """
UPDATE redaction SET changed_values = %s, changed_events = %s, dropped_events = %s WHERE tenant = %s AND key = %s
"""
_COUNT: Final = """
UPDATE redaction SET changed_events = changed_events + %s, dropped_events = dropped_events + %s
WHERE tenant = %s AND key = %s
"""

_OF_PLAN: Final = "tenant = %(tenant)s AND bucket = %(bucket)s AND plan = %(plan)s"
_OF_REDACTION: Final = "tenant = %(tenant)s AND bucket = %(bucket)s AND redaction = %(redaction)s"
_PLANNED: Final = f"""
SELECT value, json, events FROM redaction_change
WHERE {_OF_PLAN} AND value > %(after)s ORDER BY value LIMIT %(limit)s
"""
# With both ends of the span, so that no more than it is read, whatever the planner knows of the table. Values whose
# events are dropped stay in the plan until that is done.
_DONE: Final = f"""
DELETE FROM redaction_change WHERE {_OF_PLAN} AND value > %(after)s AND value <= %(last)s AND json IS NOT NULL
"""
_KEEP_TEXTS: Final = f"""
INSERT INTO redacted_value(tenant, bucket, redaction, value, hash, json)
SELECT %(tenant)s, %(bucket)s, %(redaction)s, named.key, named.hash, named.json FROM {NAMED_VALUES}
ON CONFLICT DO NOTHING RETURNING value
"""
# The events as they are now, without those that were replaced or removed since they were searched. Each is looked up
# separately, by the index that fits, whatever the planner knows of the tables.
_DROPPING: Final = f"""
SELECT event.* FROM unnest(%(starts)s::bigint[], %(ids)s::bigint[]) AS listed(start, id) CROSS JOIN LATERAL (
    SELECT bucket, start, id, duration, value FROM event
    WHERE tenant = %(tenant)s AND bucket = %(bucket)s AND start = listed.start AND id = listed.id LIMIT 1
) AS event
CROSS JOIN LATERAL (
    SELECT FROM redaction_change WHERE {_OF_PLAN} AND value = event.value AND json IS NULL LIMIT 1
) AS new
"""
_KEEP_EVENTS: Final = """
INSERT INTO redacted_event(tenant, bucket, redaction, start, id, duration, value)
SELECT %(tenant)s, %(bucket)s, %(redaction)s, * FROM unnest(
    %(starts)s::bigint[], %(ids)s::bigint[], %(durations)s::bigint[], %(values)s::bigint[]
) ON CONFLICT (tenant, bucket, redaction, start, id) DO UPDATE SET duration = excluded.duration, value = excluded.value
"""

_KEPT_VALUES: Final = f"""
SELECT hash, json, value FROM redacted_value WHERE {_OF_REDACTION} ORDER BY value LIMIT %(limit)s
"""
_FORGET_KEPT_VALUES: Final = f"DELETE FROM redacted_value WHERE {_OF_REDACTION} AND value <= %(last)s"
_KEPT_EVENTS: Final = f"""
SELECT bucket, start, id, duration, value FROM redacted_event WHERE {_OF_REDACTION} ORDER BY start, id LIMIT %(limit)s
"""
_FORGET_KEPT_EVENTS: Final = f"""
DELETE FROM redacted_event WHERE {_OF_REDACTION} AND (start, id) <= (%(start)s, %(id)s)
"""

_FAR: Final = 2**62  # above every key and every time
# By ranges of the keys, so that the rows are found along the index, whatever the planner knows of the tables.
_FORGET_EVENTS: Final = f"""
DELETE FROM redacted_event WHERE {_OF_REDACTION} AND start <= (SELECT coalesce((
    SELECT start FROM redacted_event WHERE {_OF_REDACTION} ORDER BY start LIMIT 1 OFFSET %(limit)s
), %(far)s))
"""
_FORGET_VALUES: Final = f"""
DELETE FROM redacted_value WHERE {_OF_REDACTION} AND value <= (SELECT coalesce((
    SELECT value FROM redacted_value WHERE {_OF_REDACTION} ORDER BY value LIMIT 1 OFFSET %(limit)s
), %(far)s))
"""
_FORGET_PLAN: Final = f"""
DELETE FROM redaction_change WHERE {_OF_PLAN} AND value <= (SELECT coalesce((
    SELECT value FROM redaction_change WHERE {_OF_PLAN} ORDER BY value LIMIT 1 OFFSET %(limit)s
), %(far)s))
"""


class PostgresRedactionRows:
    """See RedactionRows. A part is one bucket."""

    def __init__(self, transaction: PostgresTransaction, lease: str) -> None:
        self.transaction = transaction
        self._db = transaction.db
        self._lease = lease

    def records(self) -> list[RedactionRecord]:
        self._check_lease()
        return read_records(self._db, self.transaction.tenant)

    def add(self, order: RedactionOrder, planned: Planned, *, now: Microseconds) -> int:
        self._check_lease()
        tenant, plan = self.transaction.tenant, int(planned.plan)
        if self._db.execute(_LOCK_PLAN, (tenant, plan)).fetchone() is None:
            raise StoreBusy("the plan was removed", hint="nothing was changed; send the request again")
        terms = {"tenant": tenant, "now": now, "plan": plan, "values": planned.preview.changed_values}
        row = self._db.execute(_ADD, {**terms, "rules": _json(order.book), "buckets": _json(order.buckets)}).fetchone()
        assert row is not None
        return int(row[0])

    def changed_buckets(self, key: int) -> list[int]:
        rows = self._db.execute(CHANGED_BUCKETS, (self.transaction.tenant, key), prepare=False).fetchall()
        return [bucket for (bucket,) in rows]

    def set_state(self, key: int, state: State, *, has_rest: bool = False) -> None:
        self._check_lease()
        terms = {"tenant": self.transaction.tenant, "key": key, "state": state, "has_rest": has_rest}
        self._db.execute(_SET_STATE, terms)

    def set_counts(self, key: int, counts: Counts, *, operation: int | None) -> None:
        tenant, events = self.transaction.tenant, counts.events + counts.dropped
        self._db.execute(_SET_COUNTS, (counts.values, counts.events, counts.dropped, tenant, key))
        self._db.execute("UPDATE operation SET events = %s WHERE tenant = %s AND key = %s", (events, tenant, operation))

    def change_texts(self, part: Part, *, after: int, limit: int) -> int | None:
        state = self._lock(part)
        terms = self._terms(part)
        planned = self._db.execute(_PLANNED, {**terms, "after": after, "limit": limit}).fetchall()
        if state is None or not planned:
            return None
        values = as_array(value for value, _, _ in planned)
        kept = {value for (value,) in self._db.execute(_KEEP_TEXTS, {**terms, "values": values}).fetchall()}
        new = [(value, EMPTY.decode() if json is None else json) for value, json, _ in planned if value in kept]
        if new:
            change_texts(self.transaction, state, [(value, json, value) for value, json in new])
            changed = sum(events for value, json, events in planned if value in kept and json is not None)
            self._count(part, events=changed)
        last = planned[-1][0]
        self._db.execute(_DONE, {**terms, "after": after, "last": last})
        return int(last)

    def lengthen_texts(self, part: Part, *, after: int, limit: int) -> int | None:
        """Nothing is left to do: a text may be longer than the one before."""
        return None

    def drop_events(self, part: Part, events: Sequence[EventKey]) -> None:
        state = self._lock(part)
        if state is None:
            return
        terms = self._terms(part)
        found = [EventRow(*row) for row in self._db.execute(_DROPPING, {**terms, **_listed(events)}).fetchall()]
        if found:
            columns = {
                "starts": as_array(row.start for row in found),
                "ids": as_array(row.id for row in found),
                "durations": as_array(row.duration for row in found),
                "values": as_array(row.value for row in found),
            }
            self._db.execute(_KEEP_EVENTS, {**terms, **columns})
            self.transaction.remove_events(state, found)
            self._notify(state)
            self._count(part, dropped=len(found))

    def restore_texts(self, part: Part, *, after: int, limit: int) -> int | None:
        state = self._lock(part)
        terms = self._terms(part)
        kept = self._db.execute(_KEPT_VALUES, {**terms, "limit": limit}).fetchall()
        if not kept:
            return None
        if state is not None:
            hashes = as_array(hash_ for hash_, _, _ in kept)
            taken = {hash_ for (hash_,) in self._db.execute(TAKEN_HASHES, {**terms, "hashes": hashes}).fetchall()}
            first = {hash_: value for hash_, _, value in reversed(kept) if hash_ not in taken}
            texts = [(hash_ if first.get(hash_) == value else value, json, value) for hash_, json, value in kept]
            change_texts(self.transaction, state, texts)
        last = kept[-1][2]
        self._db.execute(_FORGET_KEPT_VALUES, {**terms, "last": last})
        return int(last)

    def restore_events(self, part: Part, *, limit: int) -> bool:
        state = self._lock(part)
        terms = self._terms(part)
        kept = [EventRow(*row) for row in self._db.execute(_KEPT_EVENTS, {**terms, "limit": limit}).fetchall()]
        if not kept:
            return False
        if state is not None:
            self.transaction.take_event_ids(0)  # no other transaction takes ids until the commit
            ids = {"tenant": self.transaction.tenant, "ids": as_array(row.id for row in kept)}
            taken = {row[2] for row in self._db.execute(BY_ID, ids).fetchall()}
            self.transaction.put_events(state, [row for row in kept if row.id not in taken])
            self._notify(state)
        self._db.execute(_FORGET_KEPT_EVENTS, {**terms, "start": kept[-1].start, "id": kept[-1].id})
        return True

    def forget_events(self, part: Part, *, limit: int) -> bool:
        return self._forget(_FORGET_EVENTS, part, limit)

    def forget_values(self, part: Part, *, after: int, limit: int) -> int | None:
        return after if self._forget(_FORGET_VALUES, part, limit) else None

    def forget_plan(self, part: Part, *, limit: int) -> bool:
        """Delete rows of a plan; returns whether there may be more."""
        return self._forget(_FORGET_PLAN, part, limit)

    def end_plan(self, plan: str) -> None:
        """Delete a plan of which all rows are deleted."""
        self._check_lease()
        terms = (self.transaction.tenant, int(plan))
        self._db.execute("DELETE FROM redaction_plan WHERE tenant = %s AND number = %s", terms)

    def sweep(self, *, limit: int) -> bool:
        """Nothing is left to delete."""
        return False

    def _check_lease(self) -> None:
        check_lease(self.transaction, self._lease)

    def _lock(self, part: Part) -> BucketRecord | None:
        """The bucket of a part, deleted or not; None if it was purged."""
        state = self.transaction.lock_any(part.bucket or 0)
        self._check_lease()
        return state

    def _notify(self, state: BucketRecord) -> None:
        if not state.is_deleted:
            self.transaction.notify(state.bucket.id, "changed")

    def _terms(self, part: Part) -> dict[str, object]:
        plan = int(part.plan) if part.plan else None
        tenant = self.transaction.tenant
        return {"tenant": tenant, "redaction": part.redaction, "plan": plan, "bucket": part.bucket}

    def _count(self, part: Part, *, events: int = 0, dropped: int = 0) -> None:
        self._db.execute(_COUNT, (events, dropped, self.transaction.tenant, part.redaction))

    def _forget(self, statement: str, part: Part, limit: int) -> bool:
        self._check_lease()
        terms = {**self._terms(part), "limit": limit, "far": _FAR}
        return self._db.execute(statement.encode(), terms).rowcount > 0


def read_records(db: Connection, tenant: str) -> list[RedactionRecord]:
    """The oldest first."""
    return [record_of(row) for row in db.execute(_SELECT.encode(), {"tenant": tenant}).fetchall()]


def _listed(events: Sequence[EventKey]) -> dict[str, str]:
    return {
        "starts": as_array(start for _, start, _ in events),
        "ids": as_array(event_id for _, _, event_id in events),
    }


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
