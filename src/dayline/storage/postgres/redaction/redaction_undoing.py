"""The slices of undoing a redaction, each in one transaction: events get back what they were, and where they were.

What was changed by others since, or came since, stays as it is. The bucket is locked before anything else.
"""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from dayline.storage.postgres.connections.arrays import as_array
from dayline.storage.postgres.redaction.redaction_part import SLICE_ROWS, Part, Place
from dayline.storage.postgres.writing.bucket_changes import lock_key
from dayline.storage.postgres.writing.event_changes import BY_ID
from dayline.storage.postgres.writing.turn import EventRow, Turn

_PLACE: Final = "tenant = %(tenant)s AND bucket = %(bucket)s AND redaction = %(redaction)s"
_KEPT: Final = f"""
SELECT start, id, duration, value, target FROM redacted_event
WHERE {_PLACE} AND (start, id) > (%(start)s, %(id)s) ORDER BY start, id LIMIT %(rows)s
"""
_FORGET: Final = f"DELETE FROM redacted_event WHERE {_PLACE} AND (start, id) <= (%(start)s, %(id)s)"
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
    SELECT json, next_id FROM redacted_value WHERE {_PLACE} AND value = event.value AND json IS NOT NULL LIMIT 1
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

    def put_back(self, turn: Turn, now: EventRow | None) -> bool:
        """Put it back as far as it is as it was left; whether it was."""
        if self.target is None and now is None:
            turn.put(self.row, is_new=True)
            return True
        if self.target is None or now is None or (now.bucket, now.value) != (self.row.bucket, self.target):
            return False
        turn.put(EventRow(now.bucket, now.start, now.id, now.duration, self.row.value), is_new=False)
        return True


def put_back(turn: Turn, *, part: Part, after: Place) -> Place | None:
    """Give events back what they were, and put removed ones back; where to go on, None at the end."""
    state = lock_key(turn, part.bucket)
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
            turn.tell(state.bucket.id, "changed")
    return last.start, last.id


def _current(turn: Turn, bucket: int, kept: Sequence[_Kept]) -> dict[int, EventRow]:
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


def give_texts_back(turn: Turn, *, part: Part, events: Sequence[Place]) -> None:
    """Move events whose texts were changed to values that have the original ones."""
    state = lock_key(turn, part.bucket)
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
        turn.tell(state.bucket.id, "changed")
