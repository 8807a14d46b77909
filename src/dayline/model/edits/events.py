"""Changes of single events: edited, split and deleted."""

from typing import Annotated, Final

from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from dayline.model.bucket import Bucket
from dayline.model.data import CanonicalJson, canonical_data, decode_body
from dayline.model.edits.shown_text import TruncatedTexts, shown_data
from dayline.model.errors import Invalid
from dayline.model.event import Event, EventId, Seconds, StoredEvent, duration_of
from dayline.model.time import SECOND, Microseconds, Timestamp, check_range, checked_moment, format_timestamp
from dayline.model.upkeep.undo import UndoId

JsonObject = Annotated[Raw, Meta(extra_json_schema={"type": "object"})]


class EventPatch(Struct, frozen=True, kw_only=True):
    """Changes of an event; omitted fields stay. `data` replaces all data.

    With `timestamp` alone the event moves and keeps its duration; `end` or `duration` changes it.
    """

    timestamp: Timestamp | UnsetType = UNSET
    duration: Annotated[float, Meta(ge=0, description="seconds")] | UnsetType = UNSET
    end: Timestamp | UnsetType = UNSET
    data: JsonObject | UnsetType = UNSET


class EventChange(Struct, frozen=True, kw_only=True):
    """A validated patch. None means unchanged."""

    start: Microseconds | None = None
    duration: Microseconds | None = None
    end: Microseconds | None = None
    data: CanonicalJson | None = None


class SplitRequest(Struct, frozen=True, kw_only=True):
    """Where to split an event: a time after its start and before its end."""

    at: Timestamp


class EventDetail(Struct, frozen=True, kw_only=True):
    """An event with its whole duration, and its source.

    `is_last`: it is the bucket's last event, which the next heartbeat may extend.
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
    truncated: TruncatedTexts


class ChangedEvent(Struct, frozen=True, kw_only=True):
    """The event after the change. `undo` is null if nothing changed."""

    event: EventDetail
    undo: UndoId | None


class SplitEvent(Struct, frozen=True, kw_only=True):
    """Both parts: the first keeps the event's id."""

    events: list[EventDetail]
    undo: UndoId


class RemovedEvent(Struct, frozen=True, kw_only=True):
    """The deleted event."""

    event: EventDetail
    undo: UndoId


_FIELDS: Final = "timestamp, duration, end, data"


def decode_change(body: bytes) -> EventChange:
    """Decode the body of a patch. Raises Malformed or Invalid."""
    patch = decode_body(body, EventPatch)
    if patch == EventPatch():
        raise Invalid("nothing to change", hint=f"send at least one of {_FIELDS}")
    if patch.duration is not UNSET and patch.end is not UNSET:
        raise Invalid("`duration` cannot be combined with `end`", field="end")
    return EventChange(
        start=None if patch.timestamp is UNSET else checked_moment(patch.timestamp, field="timestamp"),
        duration=None if patch.duration is UNSET else duration_of(patch.duration),
        end=None if patch.end is UNSET else checked_moment(patch.end, field="end"),
        data=None if patch.data is UNSET else canonical_data(patch.data),
    )


def decode_split(body: bytes) -> Microseconds:
    """Decode the time of a split. Raises Malformed or Invalid."""
    return checked_moment(decode_body(body, SplitRequest).at, field="at")


def changed(event: Event, change: EventChange) -> Event:
    """Apply a change to an event. Raises Invalid if it would end before it starts, or is out of range."""
    start = event.start if change.start is None else change.start
    duration = event.duration if change.duration is None else change.duration
    if change.end is not None:
        duration = change.end - start
        if duration < 0:
            raise Invalid(
                f"the event would end at {format_timestamp(change.end)}, before its start at {format_timestamp(start)}",
                field="end",
            )
    check_range(start + duration, field="duration")
    return Event(id=event.id, start=start, duration=duration, data=event.data if change.data is None else change.data)


def split_in_two(event: Event, at: Microseconds) -> tuple[Event, Event]:
    """Split an event; the first part keeps the id, the second has none yet. Raises Invalid unless `at` is inside."""
    if not event.start < at < event.end:
        raise Invalid(
            f"{format_timestamp(at)} is not inside event {event.id}, "
            f"which is from {format_timestamp(event.start)} to {format_timestamp(event.end)}",
            hint="use a time after its start and before its end",
            field="at",
        )
    first = Event(id=event.id, start=event.start, duration=at - event.start, data=event.data)
    return first, Event(start=at, duration=event.end - at, data=event.data)


def detail_of(stored: StoredEvent, bucket: Bucket) -> EventDetail:
    """The event as pages show it."""
    event = stored.event
    data, truncated = shown_data(event.data)
    return EventDetail(
        id=event.id,
        timestamp=format_timestamp(event.start),
        end=format_timestamp(event.end),
        duration=event.duration / SECOND,
        data=Raw(data),
        bucket=bucket.id,
        device=bucket.hostname,
        type=bucket.type,
        is_last=stored.is_last,
        truncated=truncated,
    )
