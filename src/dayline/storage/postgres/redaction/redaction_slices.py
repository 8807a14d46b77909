"""The slices of applying a redaction, each in one transaction: texts are changed where they are, events are moved.

A slice leaves no trace in the plan of what it has done, or leaves alone what was done before: so each can be made
again, from wherever it was left. The bucket is locked before anything else, then the owner is looked at.
"""

from collections.abc import Sequence
from typing import Final

from dayline.storage.postgres.connections.arrays import as_array
from dayline.storage.postgres.redaction import redaction_rows as rows
from dayline.storage.postgres.redaction.redaction_part import SLICE_ROWS, Part, Place
from dayline.storage.postgres.writing.bucket_changes import lock_key
from dayline.storage.postgres.writing.turn import EventRow, Found, Turn
from dayline.storage.postgres.writing.value_changes import NAMED_VALUES, TAKEN_HASHES, give_texts

_PLACE: Final = "tenant = %(tenant)s AND bucket = %(bucket)s AND plan = %(plan)s"
_TEXTS: Final = f"""
SELECT value, hash, json, events FROM redaction_change
WHERE {_PLACE} AND NOT is_moved AND value > %(after)s ORDER BY value LIMIT %(rows)s
"""
# The span is said besides, so that it is read and no more, whatever the planner knows of the table.
_SPAN: Final = f"{_PLACE} AND NOT is_moved AND value > %(after)s AND value <= %(last)s"
_LATE: Final = f"UPDATE redaction_change SET is_moved = true WHERE {_SPAN} AND value = ANY(%(late)s)"
_DONE: Final = f"DELETE FROM redaction_change WHERE {_SPAN}"
_KEEP_TEXTS: Final = f"""
INSERT INTO redacted_value(tenant, bucket, redaction, value, hash, json, next_id)
SELECT %(tenant)s, %(bucket)s, %(redaction)s, named.key, named.hash, named.json, %(next_id)s FROM {NAMED_VALUES}
ON CONFLICT DO NOTHING
"""
_STAYING: Final = f"""
SELECT value FROM redaction_change WHERE {_PLACE} AND is_moved AND value > %(after)s ORDER BY value LIMIT %(rows)s
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


def change_texts(turn: Turn, *, part: Part, after: int) -> int | None:
    """Give values their new texts, keeping the old ones; where to go on, None at the end.

    A text that has appeared since the plan was made cannot be made a second time: the events of those are moved.
    """
    state = lock_key(turn, part.bucket)
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


def keep_moved(turn: Turn, *, part: Part, after: int) -> int | None:
    """Remember values whose events are moved: when the redaction is final, nobody may need them any more."""
    part.hold(turn)
    place = part.place(turn)
    found = turn.db.execute(_STAYING, {**place, "after": after, "rows": SLICE_ROWS}).fetchall()
    values = [value for (value,) in found]
    turn.db.execute(_KEEP_MOVED, {**place, "values": values})
    return values[-1] if values else None


def move_events(turn: Turn, *, part: Part, events: Sequence[Place]) -> None:
    """Give events their new values, or remove them, and keep what they were."""
    state = lock_key(turn, part.bucket)
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


def _keep(turn: Turn, part: Part, moving: Sequence[tuple[EventRow, int | None]]) -> None:
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


def _move(turn: Turn, state: Found, moving: Sequence[tuple[EventRow, int | None]]) -> None:
    removed = [row for row, target in moving if target is None]
    if removed:
        turn.remove(state, removed)
    for row, target in moving:
        if target is not None:
            turn.put(EventRow(row.bucket, row.start, row.id, row.duration, target), is_new=False)
    turn.tell(state.bucket.id, "changed")
