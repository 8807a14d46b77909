"""Events that are looked at one by one, changed, split, and deleted by what they have in common."""

from typing import Annotated, Final

import msgspec
from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from dayline.model.bucket import Bucket
from dayline.model.data import CanonicalJson, canonical_data
from dayline.model.errors import Invalid
from dayline.model.event import Event, EventId, Seconds, duration_of
from dayline.model.event_tag import StoredEvent
from dayline.model.timestamps import (
    SECOND,
    Microseconds,
    Timestamp,
    check_range,
    checked_moment,
    format_timestamp,
)
from dayline.model.trash import UndoId
from dayline.model.wire import decode_body

JsonObject = Annotated[Raw, Meta(extra_json_schema={"type": "object"})]


class EventPatch(Struct, frozen=True, kw_only=True):
    """What becomes of an event; what is left out stays. `data` is given as a whole.

    With `timestamp` alone the event moves and keeps its length; `end` gives it another one, as `duration` does.
    """

    timestamp: Timestamp | UnsetType = UNSET
    duration: Annotated[float, Meta(ge=0, description="seconds")] | UnsetType = UNSET
    end: Timestamp | UnsetType = UNSET
    data: JsonObject | UnsetType = UNSET


class EventChange(Struct, frozen=True, kw_only=True):
    """A patch that was read and checked. None stays as it is."""

    start: Microseconds | None = None
    duration: Microseconds | None = None
    end: Microseconds | None = None
    data: CanonicalJson | None = None


class SplitRequest(Struct, frozen=True, kw_only=True):
    """Where to split an event: a time after its beginning and before its end."""

    at: Timestamp


class EventDetail(Struct, frozen=True, kw_only=True):
    """An event with its whole length, and where it comes from.

    `is_last` says that it is the bucket's last one, which the next heartbeat may make longer.
    """

    id: EventId
    timestamp: Timestamp
    end: Timestamp
    duration: Seconds
    data: JsonObject
    bucket: str
    device: Annotated[str, Meta(description="the host name of the bucket")]
    type: Annotated[str, Meta(description="the type of the bucket")]
    is_last: bool


class ChangedEvent(Struct, frozen=True, kw_only=True):
    """The event as it is now. `undo` is null where it was so already."""

    event: EventDetail
    undo: UndoId | None


class SplitEvent(Struct, frozen=True, kw_only=True):
    """Both parts: the first has the id that the event had."""

    events: list[EventDetail]
    undo: UndoId


class RemovedEvent(Struct, frozen=True, kw_only=True):
    """The event as it was."""

    event: EventDetail
    undo: UndoId


_patch: Final = msgspec.json.Decoder(EventPatch)
_split: Final = msgspec.json.Decoder(SplitRequest)
_FIELDS: Final = "timestamp, duration, end, data"


def decode_change(body: bytes) -> EventChange:
    """Read the body of a patch. Raises Malformed or Invalid."""
    patch = decode_body(body, _patch)
    if patch == EventPatch():
        raise Invalid("there is nothing to change", hint=f"give one of {_FIELDS}")
    if patch.duration is not UNSET and patch.end is not UNSET:
        raise Invalid("give duration or end, not both", field="end")
    return EventChange(
        start=None if patch.timestamp is UNSET else checked_moment(patch.timestamp, field="timestamp"),
        duration=None if patch.duration is UNSET else duration_of(patch.duration),
        end=None if patch.end is UNSET else checked_moment(patch.end, field="end"),
        data=None if patch.data is UNSET else canonical_data(patch.data),
    )


def decode_split(body: bytes) -> Microseconds:
    """Read the body of a split: where. Raises Malformed or Invalid."""
    return checked_moment(decode_body(body, _split).at, field="at")


def changed(event: Event, change: EventChange) -> Event:
    """The event with what the change gives it. Raises Invalid where it would end before it begins, or out of range."""
    start = event.start if change.start is None else change.start
    duration = event.duration if change.duration is None else change.duration
    if change.end is not None:
        duration = change.end - start
        if duration < 0:
            raise Invalid(
                f"the event would end at {format_timestamp(change.end)}, before it begins: {format_timestamp(start)}",
                field="end",
            )
    check_range(start + duration, field="duration")
    return Event(id=event.id, start=start, duration=duration, data=event.data if change.data is None else change.data)


def split_in_two(event: Event, at: Microseconds) -> tuple[Event, Event]:
    """Both parts; the first keeps the id, the second has none yet. Raises Invalid unless `at` lies inside."""
    if not event.start < at < event.end:
        raise Invalid(
            f"{format_timestamp(at)} does not lie inside event {event.id}, "
            f"which is from {format_timestamp(event.start)} to {format_timestamp(event.end)}",
            hint="give a time after its beginning and before its end",
            field="at",
        )
    first = Event(id=event.id, start=event.start, duration=at - event.start, data=event.data)
    return first, Event(start=at, duration=event.end - at, data=event.data)


def detail_of(stored: StoredEvent, bucket: Bucket) -> EventDetail:
    """The event as clients see it."""
    event = stored.event
    return EventDetail(
        id=event.id,
        timestamp=format_timestamp(event.start),
        end=format_timestamp(event.end),
        duration=event.duration / SECOND,
        data=Raw(event.data),
        bucket=bucket.id,
        device=bucket.hostname,
        type=bucket.type,
        is_last=stored.is_last,
    )
