"""The tag of an event: which version of it somebody has read.

    start . duration . data . bucket [+]      "1772700000000000.5000000.0f3a….9b21…+"

`+` marks the last event of its bucket, which heartbeats may make longer at any moment. Whoever has read it so and
changes it later does not mean its length: that it has grown since is no reason to refuse.
"""

import re
from hashlib import blake2b
from typing import Final

from msgspec import Struct

from dayline.model.bucket import Bucket
from dayline.model.event import Event
from dayline.model.timestamps import Microseconds

_TAG: Final = re.compile(
    r"(?P<start>-?\d{1,19})\.(?P<duration>-?\d{1,19})\.(?P<data>[0-9a-f]{16})\.[0-9a-f]{8}(?P<last>\+?)"
)


class StoredEvent(Struct, frozen=True, kw_only=True):
    """An event as it is stored; `is_last` where it is the one of its bucket that heartbeats extend."""

    event: Event
    is_last: bool


class EventVersion(Struct, frozen=True, kw_only=True):
    """What a tag says about the event that it was given with."""

    start: Microseconds
    duration: Microseconds
    data: str
    was_last: bool

    def differences(self, event: Event) -> list[str]:
        """What is not as it was, in the names of the fields; nothing where the event is still the same."""
        has_grown = self.was_last and event.duration >= self.duration
        same = {
            "timestamp": event.start == self.start,
            "duration": event.duration == self.duration or has_grown,
            "data": _digest(event.data, 8) == self.data,
        }
        return [field for field, is_same in same.items() if not is_same]


def event_tag(stored: StoredEvent, bucket: Bucket) -> str:
    """The tag, without quotes."""
    event = stored.event
    fields = f"{bucket.id}\0{bucket.type}\0{bucket.hostname}".encode()
    last = "+" if stored.is_last else ""
    return f"{event.start}.{event.duration}.{_digest(event.data, 8)}.{_digest(fields, 4)}{last}"


def read_event_tag(tag: str) -> EventVersion | None:
    """What a tag says; None where it is none of an event."""
    found = _TAG.fullmatch(tag)
    if found is None:
        return None
    return EventVersion(
        start=int(found["start"]), duration=int(found["duration"]), data=found["data"], was_last=bool(found["last"])
    )


def _digest(text: bytes, size: int) -> str:
    return blake2b(text, digest_size=size).hexdigest()
