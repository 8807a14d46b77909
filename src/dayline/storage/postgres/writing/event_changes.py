"""Events that are inserted, replaced and deleted, however many at a time, in a handful of statements."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from dayline.model.errors import EventElsewhere
from dayline.model.event import Event
from dayline.model.timestamps import Microseconds
from dayline.model.trash import ActKind
from dayline.storage.base import Inserted
from dayline.storage.postgres.rows import acts
from dayline.storage.postgres.rows.acts import EventNote
from dayline.storage.postgres.writing.turn import EventRow, Found, Turn
from dayline.storage.redaction.redaction import OPEN

# One by one, in whatever bucket: a planner that takes a bucket, or somebody's events, for few would go through all of
# them, and there is one index that has the ids.
BY_ID: Final = """
SELECT found.* FROM unnest(%(ids)s::bigint[]) AS wanted(id)
CROSS JOIN LATERAL (
    SELECT bucket, start, id, duration, value FROM event
    WHERE tenant = %(tenant)s AND id BETWEEN wanted.id AND wanted.id ORDER BY id LIMIT 1
) AS found
"""
# Events that are given other data while a redaction can be undone: to undo it is not to take that back.
_NOTE_REPLACED: Final = f"""
INSERT INTO replaced_event(tenant, id, redaction)
SELECT %(tenant)s, replaced, newest FROM (
    SELECT max(key) AS newest FROM redaction WHERE tenant = %(tenant)s AND state IN {OPEN}
) AS redaction CROSS JOIN unnest(%(ids)s::bigint[]) AS replaced WHERE newest IS NOT NULL
ON CONFLICT (tenant, id) DO UPDATE SET redaction = excluded.redaction
"""


def insert(
    turn: Turn,
    bucket_id: str,
    events: Sequence[Event],
    *,
    now: Microseconds,
    kind: ActKind = "replace_events",
    is_kept: bool = False,
) -> Inserted:
    """Append or replace. Where an event is replaced, all that is done here is kept, to be undone together.

    `is_kept` says that it is kept also where all of it is new. Raises BucketNotFound or EventElsewhere.
    """
    state = turn.find(bucket_id)
    numbers = turn.value_numbers((state, event.data) for event in events)
    ids = _ids_of(turn, events)
    stored = [
        Event(id=event_id, start=event.start, duration=event.duration, data=event.data)
        for event_id, event in zip(ids, events, strict=True)
    ]
    old = _replaced(turn, state, events)
    # Of several with one id the last one stays.
    new = {
        event.id: EventRow(state.key, event.start, event.id, event.duration, numbers[state.key, event.data])
        for event in stored
    }
    act: int | None = None
    if old or is_kept:
        kind = kind if old else "insert_events"
        turn.tell(state.bucket.id, "changed")
        act = acts.begin(turn, kind, now=now, bucket=state.bucket.id, bucket_key=state.key, events=len(new))
        acts.note_events(turn, act, [EventNote(old.get(event_id), row) for event_id, row in new.items()])
    _note_replaced(turn, events, old, new)
    if old:
        turn.remove(state, list(old.values()))
    for row in new.values():
        turn.put(row, is_new=True)
    turn.touch(state.key)
    return Inserted(events=stored, undo=act)


def delete_event(turn: Turn, bucket_id: str, event_id: int, *, now: Microseconds) -> int | None:
    """Remove an event; what undoes it, None where there was none. Raises BucketNotFound."""
    state = turn.find(bucket_id)
    row = rows_by_id(turn, state.key, [event_id]).get(event_id)
    if row is None:
        return None
    act = acts.begin(turn, "delete_events", now=now, bucket=state.bucket.id, bucket_key=state.key, events=1)
    acts.note_events(turn, act, [EventNote(row, None)])
    turn.remove(state, [row])
    turn.tell(state.bucket.id, "changed")
    return act


def rows_by_id(turn: Turn, key: int, event_ids: Iterable[int]) -> dict[int, EventRow]:
    """The events of a bucket that there are of these."""
    turn.write_rows()
    rows = turn.db.execute(BY_ID, {"tenant": turn.tenant, "ids": list(event_ids)}).fetchall()
    return {row[2]: EventRow(*row) for row in rows if row[0] == key}


def _ids_of(turn: Turn, events: Sequence[Event]) -> list[int]:
    """The id of each: its own, above which the counter goes on, or the next one."""
    if not events:
        return []
    if not any(event.id for event in events):
        first = turn.take_event_ids(len(events))
        return list(range(first, first + len(events)))
    # Under the lock of the counter: nobody else can give an id to an event of another bucket until the commit.
    next_id = turn.take_event_ids(0)
    ids: list[int] = []
    for event in events:
        ids.append(event.id or next_id)
        next_id = max(next_id, ids[-1] + 1)
    turn.keep_ids_above(next_id - 1)
    return ids


def _replaced(turn: Turn, state: Found, events: Sequence[Event]) -> dict[int, EventRow]:
    """What is there already of the events that come with an id. Raises EventElsewhere."""
    given = dict.fromkeys(event.id for event in events if event.id)
    if not given:
        return {}
    found = {
        row[2]: EventRow(*row) for row in turn.db.execute(BY_ID, {"tenant": turn.tenant, "ids": list(given)}).fetchall()
    }
    for event_id in given:
        if event_id in found and found[event_id].bucket != state.key:
            raise EventElsewhere(event_id, state.bucket.id)
    return found


def _note_replaced(
    turn: Turn, events: Sequence[Event], old: Mapping[int, EventRow], new: Mapping[int, EventRow]
) -> None:
    """Note which events come with an id and other data than they had, if any."""
    given = {event.id for event in events if event.id}
    ids = [each for each in given if each not in old or old[each].value != new[each].value]
    if ids:
        turn.db.execute(_NOTE_REPLACED.encode(), {"tenant": turn.tenant, "ids": ids})
