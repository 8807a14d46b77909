"""Events: something that was true for a while; their JSON, and their ETag."""

import re
from hashlib import blake2b
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta, Struct

from dayline.model.bucket import Bucket
from dayline.model.data import EMPTY, UNLIMITED, CanonicalJson, canonical_data, check_data_size, decode_body
from dayline.model.errors import DaylineError, Invalid
from dayline.model.time import Microseconds, Timestamp, check_range, parse_timestamp, timestamp_bytes

# What a double holds exactly: JavaScript clients read ids as doubles, and the sequence continues above the largest one.
MAX_EVENT_ID: Final = 2**53 - 1
EventId = Annotated[int, Meta(ge=1, le=MAX_EVENT_ID)]
GivenEventId = Annotated[int, Meta(ge=1, le=2**52)]  # leaves as many again for the sequence
Seconds = Annotated[float, Meta(description="seconds, with microsecond precision")]


class Event(Struct, frozen=True, kw_only=True, gc=False):
    """Something that was true from `start` for `duration`. `id` is 0 until it is stored."""

    start: Microseconds
    duration: Microseconds = 0
    data: CanonicalJson = EMPTY
    id: int = 0

    @property
    def end(self) -> Microseconds:
        return self.start + self.duration


class HeartbeatBody(Struct):
    """A heartbeat request. `id` is ignored: a heartbeat never names the event it extends."""

    timestamp: Timestamp
    duration: Seconds = 0.0
    data: Annotated[msgspec.Raw, Meta(extra_json_schema={"type": "object", "default": {}})] = msgspec.field(
        default_factory=lambda: msgspec.Raw(EMPTY)
    )


class EventBody(HeartbeatBody):
    """An event to insert; with an `id` it replaces the event with that id."""

    id: GivenEventId | None = None


class EventView(Struct, frozen=True, kw_only=True):
    """An event as clients see it: exactly these keys, because an additional one breaks the Python client."""

    id: Annotated[EventId | None, Meta(description="null for an event dropped by a privacy rule")]
    timestamp: Timestamp
    duration: Seconds
    data: dict[str, Any]


# 292 years: no longer event starts and ends within our range. Also keeps the product below exact.
MAX_DURATION_S: Final = 9_214_646_400.0


def decode_heartbeat(body: bytes, *, max_data_bytes: int = UNLIMITED) -> Event:
    """Decode the body of a heartbeat. Raises Malformed, Invalid or TooLarge."""
    return event_of(decode_body(body, HeartbeatBody), max_data_bytes)


def decode_events(body: bytes, *, max_data_bytes: int = UNLIMITED) -> list[Event] | Event:
    """Decode the body of an insert: a list, or one bare event, as third-party watchers send it."""
    if body.lstrip()[:1] == b"{":
        return _stored_event(decode_body(body, EventBody), max_data_bytes)
    events: list[Event] = []
    bodies: list[EventBody] = decode_body(body, list[EventBody])
    for index, item in enumerate(bodies):
        try:
            events.append(_stored_event(item, max_data_bytes))
        except DaylineError as error:
            path = f"[{index}].{error.field}" if error.field else f"[{index}]"
            raise type(error)(f"event {index}: {error.message}", hint=error.hint, field=path) from error
    return events


def event_of(body: HeartbeatBody, max_data_bytes: int = UNLIMITED) -> Event:
    """Validate a decoded body and return an event without an id. Raises Malformed, Invalid or TooLarge."""
    start, duration = extent_of(body)
    data = canonical_data(body.data)
    if len(data) > max_data_bytes:  # checked here, because every heartbeat passes
        check_data_size(data, max_data_bytes)
    return Event(start=start, duration=duration, data=data)


def extent_of(body: HeartbeatBody) -> tuple[Microseconds, Microseconds]:
    """Start and duration of a decoded body. Raises Invalid."""
    try:
        start = parse_timestamp(body.timestamp)
    except ValueError as error:
        raise Invalid(f"timestamp: {error}", field="timestamp") from error
    check_range(start, field="timestamp")
    if not body.duration:
        return start, 0
    duration = duration_of(body.duration)
    check_range(start + duration, field="duration")
    return start, duration


def duration_of(seconds: float) -> Microseconds:
    """Seconds as microseconds, rounded to the nearest. Raises Invalid if it is out of range."""
    if not -MAX_DURATION_S <= seconds <= MAX_DURATION_S:
        raise Invalid(f"duration: {seconds!r} seconds is too long", field="duration")
    return round(seconds * 1_000_000)


def encode_event(event: Event) -> bytes:
    """The event as JSON, in the form of EventView."""
    return b'{"id":%d,"timestamp":"%b","duration":%a,"data":%b}' % (
        event.id,
        timestamp_bytes(event.start),
        event.duration / 1_000_000,
        event.data,
    )


def encode_unstored(event: Event) -> bytes:
    """Like `encode_event`, for an event dropped by a privacy rule: as it was sent, without an id."""
    return b'{"id":null,"timestamp":"%b","duration":%a,"data":%b}' % (
        timestamp_bytes(event.start),
        event.duration / 1_000_000,
        event.data,
    )


def _stored_event(body: EventBody, max_data_bytes: int) -> Event:
    event = event_of(body, max_data_bytes)
    return event if body.id is None else msgspec.structs.replace(event, id=body.id)


# The ETag of an event: the version that a client has read.
#
#     start . duration . data . bucket [+]      "1772700000000000.5000000.0f3a….9b21…+"
#
# `+` marks the last event of its bucket, which heartbeats may extend at any time. A client that has read it and
# changes it later does not mean its duration: an extension since then is no conflict.


_TAG: Final = re.compile(
    r"(?P<start>-?\d{1,19})\.(?P<duration>-?\d{1,19})\.(?P<data>[0-9a-f]{16})\.[0-9a-f]{8}(?P<last>\+?)"
)


class StoredEvent(Struct, frozen=True, kw_only=True):
    """A stored event; `is_last`: heartbeats extend it."""

    event: Event
    is_last: bool


class EventVersion(Struct, frozen=True, kw_only=True):
    """The version of an event that a tag identifies."""

    start: Microseconds
    duration: Microseconds
    data: str
    was_last: bool

    def differences(self, event: Event) -> list[str]:
        """The names of the fields that have changed; empty if the event is the same."""
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
    """Decode a tag; None if it is not an event's."""
    match = _TAG.fullmatch(tag)
    if match is None:
        return None
    return EventVersion(
        start=int(match["start"]), duration=int(match["duration"]), data=match["data"], was_last=bool(match["last"])
    )


def _digest(text: bytes, size: int) -> str:
    return blake2b(text, digest_size=size).hexdigest()
