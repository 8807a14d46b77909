"""The slices of a redaction, each in one transaction: finding, changing, restoring and clearing."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from msgspec import Struct

from dayline.model.time import Microseconds, start_of_month
from dayline.storage.engine import EventRow
from dayline.storage.postgres.connection import Readers, as_array
from dayline.storage.postgres.redaction import rows
from dayline.storage.postgres.redaction.ownership import hold
from dayline.storage.postgres.rows.buckets import BucketRecord
from dayline.storage.postgres.rows.undo_log import BY_ID
from dayline.storage.postgres.writing import dictionary
from dayline.storage.postgres.writing.dictionary import NAMED_VALUES, TAKEN_HASHES, give_texts
from dayline.storage.postgres.writing.transaction import PostgresTransaction
from dayline.storage.redaction.lifecycle import OPEN

SLICE_ROWS: Final = 500  # a heartbeat of the bucket waits for one slice at most

Place = tuple[int, int]  # an event's start and id


class Part(Struct, frozen=True, kw_only=True):
    """One bucket of a redaction, who goes on with it, and its plan; none where it is not being applied."""

    redaction: int
    owner: str
    bucket: int
    plan: int | None = None

    def place(self, turn: PostgresTransaction) -> dict[str, object]:
        """The same, as SQL has to know it."""
        return {"tenant": turn.tenant, "redaction": self.redaction, "plan": self.plan, "bucket": self.bucket}

    def hold(self, turn: PostgresTransaction) -> None:
        """Raise StoreBusy where another server has taken over. The bucket is locked by then."""
        hold(turn, self.owner)


# The slices of applying a redaction, each in one transaction: texts are changed where they are, events are moved.
#
# A slice leaves no trace in the plan of what it has done, or leaves alone what was done before: so each can be made
# again, from wherever it was left. The bucket is locked before anything else, then the owner is looked at.


_OF_PLAN: Final = "tenant = %(tenant)s AND bucket = %(bucket)s AND plan = %(plan)s"
_OF_REDACTION: Final = "tenant = %(tenant)s AND bucket = %(bucket)s AND redaction = %(redaction)s"
_TEXTS: Final = f"""
SELECT value, hash, json, events FROM redaction_change
WHERE {_OF_PLAN} AND NOT is_moved AND value > %(after)s ORDER BY value LIMIT %(rows)s
"""
# The span is said besides, so that it is read and no more, whatever the planner knows of the table.
_SPAN: Final = f"{_OF_PLAN} AND NOT is_moved AND value > %(after)s AND value <= %(last)s"
_LATE: Final = f"UPDATE redaction_change SET is_moved = true WHERE {_SPAN} AND value = ANY(%(late)s)"
_DONE: Final = f"DELETE FROM redaction_change WHERE {_SPAN}"
_KEEP_TEXTS: Final = f"""
INSERT INTO redacted_value(tenant, bucket, redaction, value, hash, json, next_id)
SELECT %(tenant)s, %(bucket)s, %(redaction)s, named.key, named.hash, named.json, %(next_id)s FROM {NAMED_VALUES}
ON CONFLICT DO NOTHING
"""
_STAYING: Final = f"""
SELECT value FROM redaction_change WHERE {_OF_PLAN} AND is_moved AND value > %(after)s ORDER BY value LIMIT %(rows)s
"""
_KEEP_MOVED: Final = f"""
INSERT INTO redacted_value(tenant, bucket, redaction, value, hash, json, next_id)
SELECT %(tenant)s, %(bucket)s, %(redaction)s, named.key, named.hash, NULL, 0 FROM {NAMED_VALUES}
ON CONFLICT DO NOTHING
"""
# Each looked up by itself, by the index that fits, whatever is known of the tables. The events as they are now: one
# that was replaced or removed since they were looked for, or moved before, is not meant any more.
_MOVES: Final = """
SELECT event.start, event.id, event.duration, event.value, new.json
FROM unnest(%(starts)s::bigint[], %(ids)s::bigint[]) AS place(start, id)
CROSS JOIN LATERAL (
    SELECT start, id, duration, value FROM event
    WHERE tenant = %(tenant)s AND bucket = %(bucket)s AND start = place.start AND id = place.id LIMIT 1
) AS event
CROSS JOIN LATERAL (
    SELECT json FROM redaction_change
    WHERE tenant = %(tenant)s AND bucket = %(bucket)s AND plan = %(plan)s AND is_moved AND value = event.value LIMIT 1
) AS new
LEFT JOIN LATERAL (
    SELECT true AS is_done FROM redacted_event
    WHERE tenant = %(tenant)s AND bucket = %(bucket)s AND redaction = %(redaction)s
    AND start = event.start AND id = event.id LIMIT 1
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


def change_texts(turn: PostgresTransaction, *, part: Part, after: int) -> int | None:
    """Give values their new texts, keeping the old ones; where to go on, None at the end.

    A text that has appeared since the plan was made cannot be made a second time: the events of those are moved.
    """
    state = turn.bucket_by_key(part.bucket)
    part.hold(turn)
    place = part.place(turn)
    planned = turn.db.execute(_TEXTS, {**place, "after": after, "rows": SLICE_ROWS}).fetchall()
    if not planned:
        return None
    hashes = as_array(hash_ for _, hash_, _, _ in planned)
    taken = {hash_ for (hash_,) in turn.db.execute(TAKEN_HASHES, {**place, "hashes": hashes}).fetchall()}
    fresh = {hash_: (value, json, events) for value, hash_, json, events in planned if hash_ not in taken}
    done = [value for value, _, _ in fresh.values()]
    late = list({value for value, _, _, _ in planned} - set(done))
    if state is not None and done:
        rows.count(turn, part.redaction, events=sum(events for _, _, events in fresh.values()))
        next_id = turn.take_event_ids(0)
        turn.db.execute(_KEEP_TEXTS, {**place, "values": done, "next_id": next_id})
        give_texts(turn, state, {value: json.encode() for value, json, _ in fresh.values()})
    span = {**place, "after": after, "last": planned[-1][0]}
    turn.db.execute(_LATE, {**span, "late": late})
    turn.db.execute(_DONE, span)
    return int(planned[-1][0])


def keep_moved(turn: PostgresTransaction, *, part: Part, after: int) -> int | None:
    """Remember values whose events are moved: when the redaction is final, nobody may need them any more."""
    part.hold(turn)
    place = part.place(turn)
    found = turn.db.execute(_STAYING, {**place, "after": after, "rows": SLICE_ROWS}).fetchall()
    values = [value for (value,) in found]
    turn.db.execute(_KEEP_MOVED, {**place, "values": values})
    return values[-1] if values else None


def move_events(turn: PostgresTransaction, *, part: Part, events: Sequence[Place]) -> None:
    """Give events their new values, or remove them, and keep what they were."""
    state = turn.bucket_by_key(part.bucket)
    part.hold(turn)
    if state is None:
        return
    places = {"starts": as_array(start for start, _ in events), "ids": as_array(event_id for _, event_id in events)}
    found = turn.db.execute(_MOVES, {**part.place(turn), **places}).fetchall()
    texts = {json: json.encode() for *_, json in found if json is not None}
    numbers = turn.value_numbers((state, text) for text in texts.values())
    moving = [
        (
            EventRow(part.bucket, start, event_id, duration, value),
            None if json is None else numbers[state.key, texts[json]],
        )
        for start, event_id, duration, value, json in found
    ]
    moving = [(row, target) for row, target in moving if target != row.value]
    if moving:
        _keep(turn, part, moving)
        _move(turn, state, moving)
        dropped = sum(target is None for _, target in moving)
        rows.count(turn, part.redaction, events=len(moving) - dropped, dropped=dropped)


def _keep(turn: PostgresTransaction, part: Part, moving: Sequence[tuple[EventRow, int | None]]) -> None:
    place = part.place(turn)
    columns = {
        "starts": as_array(row.start for row, _ in moving),
        "ids": as_array(row.id for row, _ in moving),
        "durations": as_array(row.duration for row, _ in moving),
        "values": as_array(row.value for row, _ in moving),
        "targets": as_array(target for _, target in moving),
    }
    turn.db.execute(_KEEP_EVENTS, {**place, **columns})
    targets = as_array({target for _, target in moving if target is not None})
    turn.db.execute(_KEEP_TARGETS, {**place, "targets": targets})


def _move(turn: PostgresTransaction, state: BucketRecord, moving: Sequence[tuple[EventRow, int | None]]) -> None:
    removed = [row for row, target in moving if target is None]
    if removed:
        turn.remove_events(state, removed)
    for row, target in moving:
        if target is not None:
            turn.put(EventRow(row.bucket, row.start, row.id, row.duration, target), is_new=False)
    turn.notify(state.bucket.id, "changed")


# The slices that clear away what a redaction kept, each in one transaction, once it cannot be undone any more.


_FAR: Final = 2**62  # beyond every key and every time

# By ranges of the keys: what is to go is found by going along the index, whatever the planner knows of the tables.
_FORGET_EVENTS: Final = f"""
DELETE FROM redacted_event WHERE {_OF_REDACTION} AND start <= (SELECT coalesce((
    SELECT start FROM redacted_event WHERE {_OF_REDACTION} ORDER BY start LIMIT 1 OFFSET %(rows)s
), %(far)s))
"""
_FORGET_VALUES: Final = f"""
DELETE FROM redacted_value WHERE {_OF_REDACTION} AND value <= (SELECT coalesce((
    SELECT value FROM redacted_value WHERE {_OF_REDACTION} ORDER BY value LIMIT 1 OFFSET %(rows)s
), %(far)s))
"""
_FORGET_REPLACED: Final = f"""
DELETE FROM replaced_event WHERE tenant = %(tenant)s AND NOT EXISTS (
    SELECT 1 FROM redaction WHERE redaction.tenant = %(tenant)s AND (state IN {OPEN} OR has_rest)
)
"""
_FORGET_PLAN: Final = f"""
DELETE FROM redaction_change WHERE {_OF_PLAN} AND (is_moved, value) <= (
    SELECT is_moved, value FROM (
        (SELECT is_moved, value FROM redaction_change WHERE {_OF_PLAN} ORDER BY is_moved, value LIMIT 1 OFFSET %(rows)s)
        UNION ALL SELECT true, %(far)s
    ) AS edge ORDER BY is_moved, value LIMIT 1
)
"""


def forget_events(turn: PostgresTransaction, *, part: Part) -> bool:
    """Forget what events were; whether there may be more."""
    return _forget(turn, part, _FORGET_EVENTS)


def forget_values(turn: PostgresTransaction, *, part: Part) -> bool:
    """Forget original texts, and which values changed; whether there may be more."""
    return _forget(turn, part, _FORGET_VALUES)


def forget_plan(turn: PostgresTransaction, *, part: Part) -> bool:
    """Forget what was to be done, or is done by now; whether there may be more."""
    return _forget(turn, part, _FORGET_PLAN)


def end_plan(turn: PostgresTransaction, *, owner: str, plan: int) -> None:
    """Forget a plan of which nothing is left."""
    hold(turn, owner)
    turn.db.execute("DELETE FROM redaction_plan WHERE tenant = %s AND number = %s", (turn.tenant, plan))


def hide_values(turn: PostgresTransaction, *, part: Part, values: Sequence[int]) -> None:
    """Keep values from being given to new events, so that who has them can be looked up in peace."""
    state = turn.lock_any(part.bucket)
    part.hold(turn)
    if state is not None:
        dictionary.hide(turn, state, values)


def remove_values(turn: PostgresTransaction, *, part: Part, values: Sequence[int]) -> None:
    """Remove hidden values that nobody has."""
    state = turn.lock_any(part.bucket)
    part.hold(turn)
    if state is not None:
        dictionary.remove(turn, state, values)


def show_values(turn: PostgresTransaction, *, part: Part, values: Sequence[int]) -> None:
    """Let values be found again that somebody has."""
    state = turn.lock_any(part.bucket)
    part.hold(turn)
    if state is not None:
        dictionary.show(turn, state, values)


def sweep(turn: PostgresTransaction, *, owner: str) -> None:
    """Forget what is noted for redactions that can be undone, when there are none; those rows are few."""
    hold(turn, owner)
    turn.db.execute(_FORGET_REPLACED.encode(), {"tenant": turn.tenant})


def _forget(turn: PostgresTransaction, part: Part, statement: str) -> bool:
    part.hold(turn)
    return turn.db.execute(statement.encode(), {**part.place(turn), "rows": SLICE_ROWS, "far": _FAR}).rowcount > 0


# The slices of undoing a redaction, each in one transaction: events get back what they were, and where they were.
#
# What was changed by others since, or came since, stays as it is. The bucket is locked before anything else.


_KEPT: Final = f"""
SELECT start, id, duration, value, target FROM redacted_event
WHERE {_OF_REDACTION} AND (start, id) > (%(start)s, %(id)s) ORDER BY start, id LIMIT %(rows)s
"""
_FORGET: Final = f"DELETE FROM redacted_event WHERE {_OF_REDACTION} AND (start, id) <= (%(start)s, %(id)s)"
# Each looked up by itself, where it was.
_IN_PLACE: Final = """
SELECT found.* FROM unnest(%(starts)s::bigint[], %(ids)s::bigint[]) AS place(start, id) CROSS JOIN LATERAL (
    SELECT bucket, start, id, duration, value FROM event
    WHERE tenant = %(tenant)s AND bucket = %(bucket)s AND start = place.start AND id = place.id LIMIT 1
) AS found
"""
# Those that have a value whose text was changed, as far as they had it by then and were not given it by others since.
_CHANGED: Final = f"""
SELECT event.start, event.id, event.duration, kept.json
FROM unnest(%(starts)s::bigint[], %(ids)s::bigint[]) AS place(start, id)
CROSS JOIN LATERAL (
    SELECT start, id, duration, value FROM event
    WHERE tenant = %(tenant)s AND bucket = %(bucket)s AND start = place.start AND id = place.id LIMIT 1
) AS event
CROSS JOIN LATERAL (
    SELECT json, next_id FROM redacted_value WHERE {_OF_REDACTION} AND value = event.value AND json IS NOT NULL LIMIT 1
) AS kept
LEFT JOIN LATERAL (
    SELECT redaction FROM replaced_event WHERE tenant = %(tenant)s AND id = event.id LIMIT 1
) AS other ON true
WHERE event.id < kept.next_id AND (other.redaction IS NULL OR other.redaction < %(redaction)s)
"""


class _Kept(Struct, frozen=True):
    """An event as it was, and the value it was given; None where it was removed."""

    row: EventRow
    target: int | None

    def put_back(self, turn: PostgresTransaction, now: EventRow | None) -> bool:
        """Put it back as far as it is as it was left; whether it was."""
        if self.target is None and now is None:
            turn.put(self.row, is_new=True)
            return True
        if self.target is None or now is None or (now.bucket, now.value) != (self.row.bucket, self.target):
            return False
        turn.put(EventRow(now.bucket, now.start, now.id, now.duration, self.row.value), is_new=False)
        return True


def put_back(turn: PostgresTransaction, *, part: Part, after: Place) -> Place | None:
    """Give events back what they were, and put removed ones back; where to go on, None at the end."""
    state = turn.bucket_by_key(part.bucket)
    part.hold(turn)
    place = part.place(turn)
    found = turn.db.execute(_KEPT, {**place, "start": after[0], "id": after[1], "rows": SLICE_ROWS}).fetchall()
    kept = [_Kept(EventRow(part.bucket, *row[:4]), row[4]) for row in found]
    if not kept:
        return None
    last = kept[-1].row
    turn.db.execute(_FORGET, {**place, "start": last.start, "id": last.id})
    if state is not None:
        current = _current(turn, part.bucket, kept)
        if any([each.put_back(turn, current.get(each.row.id)) for each in kept]):
            turn.notify(state.bucket.id, "changed")
    return last.start, last.id


def _current(turn: PostgresTransaction, bucket: int, kept: Sequence[_Kept]) -> dict[int, EventRow]:
    """What has become of events. An id that was removed may have been given to any bucket since."""
    rows = [each.row for each in kept if each.target is not None]
    place = {"tenant": turn.tenant, "bucket": bucket, "starts": [row.start for row in rows]}
    found = turn.db.execute(_IN_PLACE, {**place, "ids": [row.id for row in rows]}).fetchall()
    current = {row[2]: EventRow(*row) for row in found}
    missing = [each.row.id for each in kept if each.row.id not in current]
    if missing:
        turn.take_event_ids(0)  # nobody gives them away until the commit
        found = turn.db.execute(BY_ID, {"tenant": turn.tenant, "ids": missing}).fetchall()
        current |= {row[2]: EventRow(*row) for row in found}
    return current


def give_texts_back(turn: PostgresTransaction, *, part: Part, events: Sequence[Place]) -> None:
    """Move events whose texts were changed to values that have the original ones."""
    state = turn.bucket_by_key(part.bucket)
    part.hold(turn)
    if state is None:
        return
    places = {"starts": as_array(start for start, _ in events), "ids": as_array(event_id for _, event_id in events)}
    found = turn.db.execute(_CHANGED, {**part.place(turn), **places}).fetchall()
    texts = {json: json.encode() for *_, json in found}
    numbers = turn.value_numbers((state, text) for text in texts.values())
    for start, event_id, duration, json in found:
        value = numbers[state.key, texts[json]]
        turn.put(EventRow(part.bucket, start, event_id, duration, value), is_new=False)
    if found:
        turn.notify(state.bucket.id, "changed")


# Looks for what a redaction concerns: buckets, values and events, read in short transactions beside the writer.


_EVENTS_AT_ONCE: Final = 10_000
_BEFORE_ALL: Final = -(2**62)

_PLANNED_BUCKETS: Final = """
SELECT key FROM bucket WHERE tenant = %s AND EXISTS (
    SELECT 1 FROM redaction_change AS new WHERE new.tenant = bucket.tenant AND new.bucket = bucket.key AND plan = %s
) ORDER BY key
"""
_CHANGED_BUCKETS: Final = """
SELECT key FROM bucket WHERE tenant = %s AND EXISTS (
    SELECT 1 FROM redacted_value AS old WHERE old.tenant = bucket.tenant AND old.bucket = bucket.key AND redaction = %s
) ORDER BY key
"""
_NEXT_ID: Final = "SELECT next_id FROM redaction_plan WHERE tenant = %s AND number = %s"
_MOVING: Final = "SELECT value FROM redaction_change WHERE tenant = %s AND bucket = %s AND plan = %s AND is_moved"
_KEPT_BUCKETS: Final = "FROM redacted_value WHERE tenant = %s AND bucket = %s AND redaction = %s"
_CHANGED_TEXTS: Final = f"SELECT value, next_id {_KEPT_BUCKETS} AND json IS NOT NULL"
_MOVED: Final = f"SELECT value {_KEPT_BUCKETS} AND json IS NULL AND hash <> 0"
_NEEDED: Final = f"""
SELECT value FROM redacted_value WHERE tenant = %(tenant)s AND bucket = %(bucket)s AND redaction = ANY(ARRAY(
    SELECT key FROM redaction WHERE tenant = %(tenant)s AND state IN {OPEN} AND key <> %(redaction)s
))
"""
_MONTHS: Final = "SELECT month FROM month WHERE tenant = %s AND bucket = %s AND events > 0 ORDER BY month"
# The values are planned with: PostgreSQL makes a table of them that it looks each event up in.
_EVENTS: Final = """
SELECT start, id FROM event
WHERE tenant = %s AND bucket = %s AND (start, id) > (%s, %s) AND start < %s AND id < %s AND value = ANY(%s::bigint[])
ORDER BY start, id LIMIT %s
"""
_USED: Final = """
SELECT DISTINCT value FROM event
WHERE tenant = %s AND bucket = %s AND start >= %s AND start < %s AND value = ANY(%s::bigint[])
"""


class RedactionSearch:
    """The searches in one tenant's rows. Every method is for a thread."""

    def __init__(self, readers: Readers, tenant: str) -> None:
        self._readers = readers
        self._tenant = tenant

    def planned_buckets(self, plan: int) -> list[int]:
        """Those of which something is left in a plan."""
        return self._numbers(_PLANNED_BUCKETS, plan)

    def changed_buckets(self, redaction: int) -> list[int]:
        """Those of which something is kept to undo a redaction."""
        return self._numbers(_CHANGED_BUCKETS, redaction)

    def moving(self, part: Part) -> list[int]:
        """ValueDictionary whose events are to be moved or dropped."""
        return self._numbers(_MOVING, part.bucket, part.plan)

    def next_id(self, plan: int | None) -> int:
        """Events from this id on came after a plan."""
        return max(self._numbers(_NEXT_ID, plan), default=0)

    def changed_texts(self, part: Part) -> tuple[list[int], int]:
        """ValueDictionary whose texts were changed where they are; and the id from which on all events came later."""
        found = self._read(_CHANGED_TEXTS, (self._tenant, part.bucket, part.redaction))
        return [value for value, _ in found], max((next_id for _, next_id in found), default=0)

    def moved(self, part: Part) -> set[int]:
        """ValueDictionary whose events were moved or dropped."""
        return set(self._numbers(_MOVED, part.bucket, part.redaction))

    def used(self, part: Part, values: Sequence[int]) -> set[int]:
        """Which of these are still needed: by events, or to undo another redaction."""
        found = {
            value
            for (value,) in self._read(
                _NEEDED, {"tenant": self._tenant, "bucket": part.bucket, "redaction": part.redaction}
            )
        }
        found &= set(values)
        asked = as_array(values)
        for first, end in self._months(part.bucket):
            found.update(self._numbers(_USED, part.bucket, first, end, asked))
        return found

    def events(self, bucket: int, values: Sequence[int], *, below: int) -> Iterator[list[Place]]:
        """Events that have one of these values, and an id below this one, page by page."""
        asked = as_array(values)
        for first, end in self._months(bucket):
            after = (first, _BEFORE_ALL)
            while found := self._read(_EVENTS, (self._tenant, bucket, *after, end, below, asked, _EVENTS_AT_ONCE)):
                yield [(start, event_id) for start, event_id in found]
                after = found[-1][0], found[-1][1]

    def _months(self, bucket: int) -> list[tuple[Microseconds, Microseconds]]:
        months = self._numbers(_MONTHS, bucket)
        return [(start_of_month(month), start_of_month(month + 1)) for month in months]

    def _numbers(self, statement: str, *values: object) -> list[int]:
        return [number for (number,) in self._read(statement, (self._tenant, *values))]

    def _read(self, statement: str, values: Any) -> list[tuple[int, ...]]:
        with self._readers.transaction(self._tenant) as db:
            return db.execute(statement.encode(), values, prepare=False).fetchall()
