"""Thinning, where the rows are: what may be merged, and one slice of it, in one transaction."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final

import msgspec

from dayline.model.timestamps import DAY, Microseconds, start_of_month
from dayline.storage.postgres.connections.arrays import as_array
from dayline.storage.postgres.connections.connection import Connection
from dayline.storage.postgres.rows import acts, slices
from dayline.storage.postgres.rows.acts import EventNote
from dayline.storage.postgres.writing.turn import EventRow, Found, Turn
from dayline.storage.retention.thinning import HOUR, OldEvent, Span, merged

# Events with values that a redaction has changed, or has moved events to, stay apart until it is final: to undo it,
# those that it changed have to be told from the others.
_REDACTED: Final = "SELECT value FROM redacted_value WHERE tenant = %(tenant)s AND bucket = %(bucket)s"
_OLD: Final = f"""
event WHERE tenant = %(tenant)s AND bucket = %(bucket)s AND start >= %(first)s AND start < %(after)s
AND duration >= 0 AND value NOT IN ({_REDACTED})
"""
_MONTHS: Final = "SELECT month FROM month WHERE tenant = %s AND bucket = %s AND events > 1 ORDER BY month"
_DAYS: Final = f"""
SELECT DISTINCT start / {DAY} FROM (
    SELECT min(start) AS start FROM {_OLD} GROUP BY start / {HOUR}, value HAVING count(*) > 1
) AS hour ORDER BY 1
"""
_FEWER: Final = f"""
SELECT coalesce(sum(events - 1), 0)::bigint FROM (
    SELECT count(*) AS events FROM {_OLD} GROUP BY start / {HOUR}, value
) AS hour
"""
_EVENTS: Final = f"SELECT id, start, duration, value FROM {_OLD} ORDER BY start, id"
# Looked up one by one, with the key: see import_slices.
_AS_SEEN: Final = f"""
SELECT seen.id FROM unnest(%(ids)s::bigint[], %(starts)s::bigint[], %(durations)s::bigint[], %(values)s::bigint[])
    AS seen(id, start, duration, value),
LATERAL (
    SELECT FROM event
    WHERE tenant = %(tenant)s AND bucket = %(bucket)s AND start = seen.start AND id = seen.id
    AND duration = seen.duration AND value = seen.value LIMIT 1
) AS still
WHERE seen.value NOT IN ({_REDACTED})
"""


def months_to_thin(db: Connection, tenant: str, bucket: int, cutoff: Microseconds) -> list[Span]:
    """The months that may hold something to thin."""
    months = [month for (month,) in db.execute(_MONTHS, (tenant, bucket)).fetchall()]
    spans = [(start_of_month(month), min(start_of_month(month + 1), cutoff)) for month in months]
    return [(first, after) for first, after in spans if first < after]


def days_to_thin(db: Connection, tenant: str, bucket: int, span: Span) -> list[Span]:
    """The days of a span in which events are to be merged."""
    first, after = span
    starts = [day * DAY for (day,) in db.execute(_DAYS.encode(), _place(tenant, bucket, span)).fetchall()]
    return [(max(first, start), min(after, start + DAY)) for start in starts]


def removed_by_thinning(db: Connection, tenant: str, bucket: int, span: Span) -> int:
    """How many events fewer a span would have."""
    row = db.execute(_FEWER.encode(), _place(tenant, bucket, span)).fetchone()
    assert row is not None
    return int(row[0])


def old_events(db: Connection, tenant: str, bucket: int, span: Span) -> list[OldEvent]:
    """The events of a span that may be merged."""
    return msgspec.convert(db.execute(_EVENTS.encode(), _place(tenant, bucket, span)).fetchall(), list[OldEvent])


def merge_slice(turn: Turn, state: Found, act: int, parts: Sequence[Sequence[OldEvent]]) -> int:
    """Merge events as far as they are as they were seen; how many there are fewer. The act is being made."""
    bucket = state.key
    seen = _as_seen(turn, bucket, list(chain.from_iterable(parts)))
    whole = [part for part in parts if all(event.id in seen for event in part)]
    if not whole:
        return 0
    acts.note_events(turn, act, list(_notes(bucket, whole)))
    removed = [_row(bucket, event) for part in whole for event in part]
    turn.remove(state, removed)
    for part in whole:
        turn.put(_row(bucket, merged(part)), is_new=True)
    turn.tell(state.bucket.id, "changed")
    slices.note_slice(turn, act, events=len(removed))
    return len(removed) - len(whole)


def _as_seen(turn: Turn, bucket: int, events: Sequence[OldEvent]) -> set[int]:
    """Which of the events are as they were seen, by their ids."""
    columns = {
        "ids": as_array(event.id for event in events),
        "starts": as_array(event.start for event in events),
        "durations": as_array(event.duration for event in events),
        "values": as_array(event.value for event in events),
    }
    rows = turn.db.execute(_AS_SEEN.encode(), {**columns, "tenant": turn.tenant, "bucket": bucket}, prepare=False)
    return {event_id for (event_id,) in rows.fetchall()}


def _notes(bucket: int, parts: Sequence[Sequence[OldEvent]]) -> Iterator[EventNote]:
    for part in parts:
        whole = merged(part)
        for event in part:
            yield EventNote(_row(bucket, event), _row(bucket, whole) if event.id == whole.id else None)


def _row(bucket: int, event: OldEvent) -> EventRow:
    return EventRow(bucket, event.start, event.id, event.duration, event.value)


def _place(tenant: str, bucket: int, span: Span) -> dict[str, object]:
    return {"tenant": tenant, "bucket": bucket, "first": span[0], "after": span[1]}
