"""The newest events of a bucket, read by the recording process itself: few, and at once. No numpy."""

from typing import Any

import msgspec
from msgspec import Struct

from dayline.model.bucket import Bucket
from dayline.model.errors import BucketNotFound
from dayline.model.event import EventView, duration_of
from dayline.model.timestamps import Microseconds, parse_timestamp
from dayline.storage.store import Store

_events = msgspec.json.Decoder(list[EventView])


class Recorded(Struct, frozen=True, kw_only=True):
    """An event. `end` is never before `start`."""

    start: Microseconds
    end: Microseconds
    data: dict[str, Any]

    def text(self, field: str) -> str | None:
        """A field of its data, where that is a text."""
        value = self.data.get(field)
        return value if isinstance(value, str) else None


def newest_events(
    store: Store, bucket_id: str, *, until: Microseconds, since: Microseconds | None = None, limit: int
) -> list[Recorded]:
    """The newest events that begin by a moment, newest first, cut to the time asked for. Read on a thread.

    What lies in the future is left out: a clock was wrong once, and it would be the newest event for years.
    """
    try:
        pages = store.events(bucket_id, start=since, end=until, limit=limit)
        views = [view for page in pages for view in _events.decode(b"[%b]" % page)]
    except BucketNotFound:  # it was deleted a moment ago
        return []
    return [_recorded(view) for view in views]


def last_of(store: Store, bucket: Bucket, *, until: Microseconds) -> Microseconds | None:
    """When a bucket had something last, by a moment; None where it had nothing yet. Read on a thread."""
    if bucket.end is None or bucket.end <= until:
        return bucket.end
    # Something lies in the future: what counts is what has begun.
    events = newest_events(store, bucket.id, until=until, limit=1)
    return events[0].end if events else None


def _recorded(view: EventView) -> Recorded:
    start = parse_timestamp(view.timestamp)
    return Recorded(start=start, end=start + max(0, duration_of(view.duration)), data=view.data)
