"""The tables of redactions inside a write transaction.

Every step locks its bucket first and then checks the lease. Completed rows are deleted from the plan.
"""

from collections.abc import Sequence
from typing import Final

import msgspec
from msgspec import Struct

from dayline.model.errors import StoreBusy
from dayline.model.privacy import Redaction, RedactionOrder, State
from dayline.model.time import Microseconds
from dayline.storage.engine import EventRow
from dayline.storage.postgres.connection import Connection, as_array
from dayline.storage.postgres.redaction.lease import check_lease
from dayline.storage.postgres.rows.buckets import BucketRecord
from dayline.storage.postgres.rows.undo_log import BY_ID
from dayline.storage.postgres.writing import dictionary
from dayline.storage.postgres.writing.dictionary import NAMED_VALUES, TAKEN_HASHES, give_texts
from dayline.storage.postgres.writing.transaction import PostgresTransaction
from dayline.storage.redaction.lifecycle import OPEN, REDACTION_FIELDS, no_redaction, redaction_of
from dayline.storage.redaction.seam import Counts, EventKey, Part, Planned

_SELECT: Final = f"""
SELECT {REDACTION_FIELDS}, (
    SELECT operation.key FROM operation
    WHERE operation.tenant = %(tenant)s AND kind = 'redaction' AND operation.state = 'done'
    AND (detail::json ->> 'redaction')::bigint = redaction.key
) AS undo FROM redaction WHERE tenant = %(tenant)s
"""
_ADD: Final = """
INSERT INTO redaction(tenant, key, made, state, rules, buckets, plan, changed_values, changed_events, dropped_events)
SELECT %(tenant)s, coalesce(max(key), 0) + 1, %(now)s, 'applying', %(rules)s, %(buckets)s, %(plan)s, %(values)s, 0, 0
FROM redaction WHERE tenant = %(tenant)s RETURNING key
"""
_LOCK_PLAN: Final = "SELECT 1 FROM redaction_plan WHERE tenant = %s AND number = %s FOR UPDATE"
_NEXT_OPEN: Final = f"SELECT min(key) FROM redaction WHERE tenant = %s AND key > %s AND state IN {OPEN}"
_PREVIOUS_OPEN: Final = f"SELECT max(key) FROM redaction WHERE tenant = %s AND key < %s AND state IN {OPEN}"
_IN_TRASH: Final = """
SELECT id FROM bucket WHERE tenant = %(tenant)s AND deleted IS NOT NULL AND EXISTS (
    SELECT 1 FROM redacted_value AS changed
    WHERE changed.tenant = %(tenant)s AND changed.bucket = bucket.key AND changed.redaction = %(key)s
) LIMIT 1
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
_TEXTS: Final = f"""
SELECT value, hash, json, events FROM redaction_change
WHERE {_OF_PLAN} AND NOT is_moved AND value > %(after)s ORDER BY value LIMIT %(limit)s
"""
# With both ends of the span, so that no more than it is read, whatever the planner knows of the table.
_SPAN: Final = f"{_OF_PLAN} AND NOT is_moved AND value > %(after)s AND value <= %(last)s"
_LATE: Final = f"UPDATE redaction_change SET is_moved = true WHERE {_SPAN} AND value = ANY(%(late)s)"
_DONE: Final = f"DELETE FROM redaction_change WHERE {_SPAN}"
_KEEP_TEXTS: Final = f"""
INSERT INTO redacted_value(tenant, bucket, redaction, value, hash, json, next_id)
SELECT %(tenant)s, %(bucket)s, %(redaction)s, named.key, named.hash, named.json, %(next_id)s FROM {NAMED_VALUES}
ON CONFLICT DO NOTHING
"""
_MOVED: Final = f"""
SELECT value FROM redaction_change WHERE {_OF_PLAN} AND is_moved AND value > %(after)s ORDER BY value LIMIT %(limit)s
"""
_KEEP_MOVED: Final = f"""
INSERT INTO redacted_value(tenant, bucket, redaction, value, hash, json, next_id)
SELECT %(tenant)s, %(bucket)s, %(redaction)s, named.key, named.hash, NULL, 0 FROM {NAMED_VALUES}
ON CONFLICT DO NOTHING
"""
_LISTED: Final = "unnest(%(starts)s::bigint[], %(ids)s::bigint[]) AS listed(start, id)"
# Each is looked up separately, by the index that fits, whatever the planner knows of the tables.
_EVENT: Final = """
SELECT bucket, start, id, duration, value FROM event
WHERE tenant = %(tenant)s AND bucket = %(bucket)s AND start = listed.start AND id = listed.id LIMIT 1
"""
# The events as they are now, without those that were replaced or removed since they were searched, or moved before.
_MOVES: Final = f"""
SELECT event.start, event.id, event.duration, event.value, new.json
FROM {_LISTED} CROSS JOIN LATERAL ({_EVENT}) AS event
CROSS JOIN LATERAL (
    SELECT json FROM redaction_change WHERE {_OF_PLAN} AND is_moved AND value = event.value LIMIT 1
) AS new
LEFT JOIN LATERAL (
    SELECT true AS is_done FROM redacted_event
    WHERE {_OF_REDACTION} AND start = event.start AND id = event.id LIMIT 1
) AS kept ON true
WHERE kept.is_done IS NULL
"""
_KEEP_EVENTS: Final = """
INSERT INTO redacted_event(tenant, bucket, redaction, start, id, duration, value, target)
SELECT %(tenant)s, %(bucket)s, %(redaction)s, * FROM unnest(
    %(starts)s::bigint[], %(ids)s::bigint[], %(durations)s::bigint[], %(values)s::bigint[], %(targets)s::bigint[]
)
"""
_KEEP_TARGETS: Final = """
INSERT INTO redacted_value(tenant, bucket, redaction, value, hash, json, next_id)
SELECT %(tenant)s, %(bucket)s, %(redaction)s, target, 0, NULL, 0 FROM unnest(%(targets)s::bigint[]) AS target
ON CONFLICT DO NOTHING
"""

_KEPT: Final = f"""
SELECT start, id, duration, value, target FROM redacted_event
WHERE {_OF_REDACTION} AND (start, id) > (%(start)s, %(id)s) ORDER BY start, id LIMIT %(limit)s
"""
_FORGET_KEPT: Final = f"DELETE FROM redacted_event WHERE {_OF_REDACTION} AND (start, id) <= (%(start)s, %(id)s)"
_CURRENT: Final = f"SELECT event.* FROM {_LISTED} CROSS JOIN LATERAL ({_EVENT}) AS event"
# Events that had a changed value when its text was changed, and were not given it by a client since.
_CHANGED: Final = f"""
SELECT event.start, event.id, event.duration, kept.json
FROM {_LISTED} CROSS JOIN LATERAL ({_EVENT}) AS event
CROSS JOIN LATERAL (
    SELECT json, next_id FROM redacted_value WHERE {_OF_REDACTION} AND value = event.value AND json IS NOT NULL LIMIT 1
) AS kept
LEFT JOIN LATERAL (
    SELECT redaction FROM replaced_event WHERE tenant = %(tenant)s AND id = event.id LIMIT 1
) AS other ON true
WHERE event.id < kept.next_id AND (other.redaction IS NULL OR other.redaction < %(redaction)s)
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
DELETE FROM redaction_change WHERE {_OF_PLAN} AND (is_moved, value) <= (
    SELECT is_moved, value FROM (
        (SELECT is_moved, value FROM redaction_change WHERE {_OF_PLAN}
         ORDER BY is_moved, value LIMIT 1 OFFSET %(limit)s)
        UNION ALL SELECT true, %(far)s
    ) AS edge ORDER BY is_moved, value LIMIT 1
)
"""
_SWEEP: Final = f"""
DELETE FROM replaced_event WHERE tenant = %(tenant)s AND NOT EXISTS (
    SELECT 1 FROM redaction WHERE redaction.tenant = %(tenant)s AND (state IN {OPEN} OR has_rest)
)
"""


class _Kept(Struct, frozen=True):
    """An event as it was, and the value that it was given; None if it was removed."""

    row: EventRow
    target: int | None

    def restored(self, now: EventRow | None) -> EventRow | None:
        """What undoing makes of it; None if a client has changed it since."""
        if self.target is None:
            return self.row if now is None else None
        if now is None or (now.bucket, now.value) != (self.row.bucket, self.target):
            return None
        return EventRow(now.bucket, now.start, now.id, now.duration, self.row.value)


class PostgresRedactionRows:
    """See RedactionRows. A part is one bucket."""

    def __init__(self, transaction: PostgresTransaction, lease: str) -> None:
        self.transaction = transaction
        self._db = transaction.db
        self._lease = lease

    def redaction(self, key: int) -> Redaction:
        self._check_lease()
        return redaction_at(self._db, self.transaction.tenant, key)

    def add(self, order: RedactionOrder, planned: Planned, *, now: Microseconds) -> int:
        self._check_lease()
        tenant, plan = self.transaction.tenant, int(planned.plan)
        if self._db.execute(_LOCK_PLAN, (tenant, plan)).fetchone() is None:
            raise StoreBusy("the plan was removed", hint="nothing was changed; send the request again")
        terms = {"tenant": tenant, "now": now, "plan": plan, "values": planned.preview.changed_values}
        row = self._db.execute(_ADD, {**terms, "rules": _json(order.book), "buckets": _json(order.buckets)}).fetchone()
        assert row is not None
        return int(row[0])

    def next_open(self, key: int) -> int | None:
        return self._number(_NEXT_OPEN, key)

    def previous_open(self, key: int) -> int | None:
        return self._number(_PREVIOUS_OPEN, key)

    def changed_bucket_in_trash(self, key: int) -> str | None:
        row = self._db.execute(_IN_TRASH, {"tenant": self.transaction.tenant, "key": key}).fetchone()
        return None if row is None else str(row[0])

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
        planned = self._db.execute(_TEXTS, {**terms, "after": after, "limit": limit}).fetchall()
        if not planned:
            return None
        hashes = as_array(hash_ for _, hash_, _, _ in planned)
        taken = {hash_ for (hash_,) in self._db.execute(TAKEN_HASHES, {**terms, "hashes": hashes}).fetchall()}
        fresh = {hash_: (value, json, events) for value, hash_, json, events in planned if hash_ not in taken}
        done = [value for value, _, _ in fresh.values()]
        late = list({value for value, _, _, _ in planned} - set(done))
        if state is not None and done:
            self._count(part, events=sum(events for _, _, events in fresh.values()))
            next_id = self.transaction.take_event_ids(0)
            self._db.execute(_KEEP_TEXTS, {**terms, "values": done, "next_id": next_id})
            give_texts(self.transaction, state, {value: json.encode() for value, json, _ in fresh.values()})
        span = {**terms, "after": after, "last": planned[-1][0]}
        self._db.execute(_LATE, {**span, "late": late})
        self._db.execute(_DONE, span)
        return int(planned[-1][0])

    def note_moved(self, part: Part, *, after: int, limit: int) -> int | None:
        self._check_lease()
        terms = self._terms(part)
        values = [value for (value,) in self._db.execute(_MOVED, {**terms, "after": after, "limit": limit}).fetchall()]
        self._db.execute(_KEEP_MOVED, {**terms, "values": values})
        return values[-1] if values else None

    def move_events(self, part: Part, events: Sequence[EventKey]) -> None:
        state = self._lock(part)
        if state is None:
            return
        found = self._db.execute(_MOVES, {**self._terms(part), **_listed(events)}).fetchall()
        texts = {json: json.encode() for *_, json in found if json is not None}
        numbers = self.transaction.value_numbers((state, text) for text in texts.values())
        moving = [
            (EventRow(state.key, *row), None if json is None else numbers[state.key, texts[json]])
            for *row, json in found
        ]
        moving = [(row, target) for row, target in moving if target != row.value]
        if moving:
            self._keep(part, moving)
            self._move(state, moving)
            dropped = sum(target is None for _, target in moving)
            self._count(part, events=len(moving) - dropped, dropped=dropped)

    def restore_events(self, part: Part, *, after: EventKey, limit: int) -> EventKey | None:
        state = self._lock(part)
        terms, (_, start, event_id) = self._terms(part), after
        found = self._db.execute(_KEPT, {**terms, "start": start, "id": event_id, "limit": limit}).fetchall()
        if not found:
            return None
        bucket = part.bucket or 0
        kept = [_Kept(EventRow(bucket, *row[:4]), row[4]) for row in found]
        last = kept[-1].row
        self._db.execute(_FORGET_KEPT, {**terms, "start": last.start, "id": last.id})
        if state is not None:
            current = self._current(part, kept)
            restored = [(each, each.restored(current.get(each.row.id))) for each in kept]
            for each, row in restored:
                if row is not None:
                    self.transaction.put(row, is_new=each.target is None)
            if any(row is not None for _, row in restored):
                self.transaction.notify(state.bucket.id, "changed")
        return bucket, last.start, last.id

    def restore_texts(self, part: Part, events: Sequence[EventKey]) -> None:
        state = self._lock(part)
        if state is None:
            return
        found = self._db.execute(_CHANGED, {**self._terms(part), **_listed(events)}).fetchall()
        texts = {json: json.encode() for *_, json in found}
        numbers = self.transaction.value_numbers((state, text) for text in texts.values())
        for start, event_id, duration, json in found:
            value = numbers[state.key, texts[json]]
            self.transaction.put(EventRow(state.key, start, event_id, duration, value), is_new=False)
        if found:
            self.transaction.notify(state.bucket.id, "changed")

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

    def hide_values(self, part: Part, values: Sequence[int]) -> None:
        state = self._lock_any(part)
        if state is not None:
            dictionary.hide(self.transaction, state, values)

    def remove_values(self, part: Part, values: Sequence[int]) -> None:
        state = self._lock_any(part)
        if state is not None:
            dictionary.remove(self.transaction, state, values)

    def show_values(self, part: Part, values: Sequence[int]) -> None:
        state = self._lock_any(part)
        if state is not None:
            dictionary.show(self.transaction, state, values)

    def sweep(self, *, limit: int) -> bool:
        """Delete all at once: those rows are few."""
        self._check_lease()
        self._db.execute(_SWEEP.encode(), {"tenant": self.transaction.tenant})
        return False

    def _check_lease(self) -> None:
        check_lease(self.transaction, self._lease)

    def _lock(self, part: Part) -> BucketRecord | None:
        """The bucket of a part, unless it is in the trash."""
        state = self._lock_any(part)
        return None if state is None or state.is_deleted else state

    def _lock_any(self, part: Part) -> BucketRecord | None:
        state = self.transaction.lock_any(part.bucket or 0)
        self._check_lease()
        return state

    def _terms(self, part: Part) -> dict[str, object]:
        plan = int(part.plan) if part.plan else None
        tenant = self.transaction.tenant
        return {"tenant": tenant, "redaction": part.redaction, "plan": plan, "bucket": part.bucket}

    def _count(self, part: Part, *, events: int, dropped: int = 0) -> None:
        self._db.execute(_COUNT, (events, dropped, self.transaction.tenant, part.redaction))

    def _keep(self, part: Part, moving: Sequence[tuple[EventRow, int | None]]) -> None:
        terms = self._terms(part)
        columns = {
            "starts": as_array(row.start for row, _ in moving),
            "ids": as_array(row.id for row, _ in moving),
            "durations": as_array(row.duration for row, _ in moving),
            "values": as_array(row.value for row, _ in moving),
            "targets": as_array(target for _, target in moving),
        }
        self._db.execute(_KEEP_EVENTS, {**terms, **columns})
        targets = as_array({target for _, target in moving if target is not None})
        self._db.execute(_KEEP_TARGETS, {**terms, "targets": targets})

    def _move(self, state: BucketRecord, moving: Sequence[tuple[EventRow, int | None]]) -> None:
        removed = [row for row, target in moving if target is None]
        if removed:
            self.transaction.remove_events(state, removed)
        for row, target in moving:
            if target is not None:
                self.transaction.put(EventRow(row.bucket, row.start, row.id, row.duration, target), is_new=False)
        self.transaction.notify(state.bucket.id, "changed")

    def _current(self, part: Part, kept: Sequence[_Kept]) -> dict[int, EventRow]:
        """What events are now. The id of a removed one may have been given to an event of any bucket since."""
        listed = [(row.bucket, row.start, row.id) for row in (each.row for each in kept if each.target is not None)]
        found = self._db.execute(_CURRENT, {**self._terms(part), **_listed(listed)}).fetchall()
        current = {row[2]: EventRow(*row) for row in found}
        missing = [each.row.id for each in kept if each.row.id not in current]
        if missing:
            self.transaction.take_event_ids(0)  # no other transaction takes ids until the commit
            found = self._db.execute(BY_ID, {"tenant": self.transaction.tenant, "ids": missing}).fetchall()
            current |= {row[2]: EventRow(*row) for row in found}
        return current

    def _forget(self, statement: str, part: Part, limit: int) -> bool:
        self._check_lease()
        terms = {**self._terms(part), "limit": limit, "far": _FAR}
        return self._db.execute(statement.encode(), terms).rowcount > 0

    def _number(self, statement: str, key: int) -> int | None:
        row = self._db.execute(statement.encode(), (self.transaction.tenant, key)).fetchone()
        return None if row is None or row[0] is None else int(row[0])


def all_redactions(db: Connection, tenant: str) -> list[Redaction]:
    """The newest first."""
    rows = db.execute(f"{_SELECT} ORDER BY key DESC".encode(), {"tenant": tenant}).fetchall()
    return [redaction_of(row) for row in rows]


def redaction_at(db: Connection, tenant: str, key: int) -> Redaction:
    """Raises NotFound."""
    row = db.execute(f"{_SELECT} AND key = %(key)s".encode(), {"tenant": tenant, "key": key}).fetchone()
    if row is None:
        raise no_redaction(key)
    return redaction_of(row)


def _listed(events: Sequence[EventKey]) -> dict[str, str]:
    return {
        "starts": as_array(start for _, start, _ in events),
        "ids": as_array(event_id for _, _, event_id in events),
    }


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
