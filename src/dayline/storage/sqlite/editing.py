"""Changes of one event by somebody who has looked at it: what is decided and what is done are one transaction."""

import msgspec

from dayline.model.bucket import Bucket
from dayline.model.errors import EventNotFound
from dayline.model.event import Event
from dayline.model.timestamps import Microseconds
from dayline.storage.base import EditedEvent, EventEdit, Inserted
from dayline.storage.sqlite.changes import Changes
from dayline.storage.sqlite.schema import ORIGIN


def add_event(changes: Changes, bucket: Bucket, event: Event, *, now: Microseconds) -> Inserted:
    """Append an event, and make its bucket where there is none. The bucket stays when the event is undone."""
    if not changes.has_bucket(bucket.id):
        changes.create_bucket(bucket)
    return changes.insert(bucket.id, [event], now=now, is_kept=True)


def edit_event(changes: Changes, bucket_id: str, event_id: int, edit: EventEdit, *, now: Microseconds) -> EditedEvent:
    """Replace an event by what becomes of it, or remove it."""
    edited = edit(_event(changes, bucket_id, event_id))
    if edited is None:
        removal = changes.delete_event(bucket_id, event_id, now=now)
        assert removal is not None  # it was there a moment ago, and this is one transaction
        return EditedEvent(event=None, undo=removal)
    inserted = changes.insert(bucket_id, [msgspec.structs.replace(edited, id=event_id)], now=now)
    assert inserted.undo is not None
    return EditedEvent(event=inserted.events[0], undo=inserted.undo)


def _event(changes: Changes, bucket_id: str, event_id: int) -> Event:
    place = changes.place_of(changes.catalogue.find(bucket_id), event_id)
    if place is None:
        raise EventNotFound(bucket_id, event_id)
    start, duration, value = place
    text = changes.db.execute("SELECT json FROM value WHERE key = ?", (value,)).get
    return Event(id=event_id, start=start + ORIGIN, duration=duration, data=str(text).encode())
