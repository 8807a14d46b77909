"""Changes of events: edited, split, selected and deleted."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from dayline.model.bucket import Bucket
from dayline.model.data import CanonicalJson, canonical_data, decode_body
from dayline.model.errors import Invalid, Malformed
from dayline.model.event import Event, EventId, EventView, Seconds, StoredEvent, duration_of
from dayline.model.time import (
    SECOND,
    Microseconds,
    Timestamp,
    check_range,
    checked_moment,
    clamp,
    format_timestamp,
    parse_timestamp,
)
from dayline.model.upkeep import UndoId

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


# Which events are meant: by bucket, range, ids and what their data say.


MOST_IDS: Final = 10_000
FilterOp: TypeAlias = Literal["is", "has"]
Edge: TypeAlias = Literal["begin", "touch"]


class DataFilter(Struct, frozen=True, kw_only=True):
    """A field of the data that is some text, or has it somewhere, in whatever case."""

    field: Annotated[str, Meta(min_length=1, max_length=200, examples=["title"])]
    op: FilterOp = "is"
    value: Annotated[str, Meta(max_length=10_000)]

    def fits(self, data: Mapping[str, Any]) -> bool:
        if self.field not in data:
            return False
        text = _text(data[self.field])
        return text == self.value if self.op == "is" else self.value.casefold() in text.casefold()


class EventSelector(Struct, frozen=True, kw_only=True):
    """The events to delete: those that all that is given here is true of. With `dry_run` nothing is deleted.

    `start` and `end` are a half-open range. `edge` says which events are in it: those that begin there, or those that
    reach into it at all. In either case an event is deleted as a whole.
    """

    bucket: str
    start: Timestamp | None = None
    end: Timestamp | None = None
    edge: Edge = "begin"
    ids: Annotated[list[EventId], Meta(max_length=MOST_IDS)] | None = None
    data: list[DataFilter] = []
    dry_run: bool = False


class Selection(Struct, frozen=True, kw_only=True):
    """A selector that was read and checked."""

    bucket: str
    start: Microseconds | None = None
    end: Microseconds | None = None
    is_touching: bool = False
    ids: tuple[int, ...] | None = None
    filters: tuple[DataFilter, ...] = ()

    def fits(self, data: bytes | str) -> bool:
        """Whether data, as JSON text, are what the filters ask for."""
        if not self.filters:
            return True
        members: dict[str, Any] = msgspec.json.decode(data)
        return all(one.fits(members) for one in self.filters)


class DeletedEvents(Struct, frozen=True, kw_only=True):
    """What was deleted, or with `dry_run` would be. `samples` are the longest of them.

    `skipped` counts events that somebody else changed while this went on, and that were left alone. `undo` brings all
    of them back; it is null where there was nothing.
    """

    bucket: str
    dry_run: bool
    events: int
    seconds: Seconds
    samples: list[EventView]
    skipped: int
    undo: UndoId | None


class ListedEvent(Struct, frozen=True, kw_only=True):
    """An event with its whole length."""

    id: EventId
    timestamp: Timestamp
    end: Timestamp
    duration: Seconds
    data: JsonObject


class EventPage(Struct, frozen=True, kw_only=True):
    """Some events. `cursor` asks for those after them, and is null where there are no more."""

    events: list[ListedEvent]
    cursor: str | None


_selector: Final = msgspec.json.Decoder(EventSelector)


def decode_selector(body: bytes) -> tuple[Selection, bool]:
    """Read a selector, and whether it is a dry run. Raises Malformed or Invalid."""
    selector = decode_body(body, _selector)
    selection = Selection(
        bucket=selector.bucket,
        start=_moment(selector.start, "start"),
        end=_moment(selector.end, "end"),
        is_touching=selector.edge == "touch",
        ids=None if selector.ids is None else tuple(sorted(set(selector.ids))),
        filters=tuple(selector.data),
    )
    if selection == Selection(bucket=selector.bucket, is_touching=selection.is_touching):
        raise Invalid(
            "nothing says which events are meant: that would be all of them",
            hint="give start, end, ids or data; a whole bucket is deleted by DELETE /api/0/buckets/<id>",
        )
    return selection, selector.dry_run


def decode_filters(texts: Sequence[str]) -> tuple[DataFilter, ...]:
    """Read filters of the form `field:op:value` from a URL. Raises Malformed."""
    return tuple(map(_filter, texts))


def listed(event: Event) -> ListedEvent:
    """The event as a page shows it."""
    return ListedEvent(
        id=event.id,
        timestamp=format_timestamp(event.start),
        end=format_timestamp(event.end),
        duration=event.duration / SECOND,
        data=msgspec.Raw(event.data),
    )


def _filter(text: str) -> DataFilter:
    field, _, rest = text.partition(":")
    op, colon, value = rest.partition(":")
    if not field or not colon or op not in ("is", "has"):
        raise Malformed(
            f"filter: {text[:60]!r} is not of the form field:op:value",
            hint="for example title:has:invoice or app:is:Firefox",
            field="filter",
        )
    return DataFilter(field=field, op="is" if op == "is" else "has", value=value)


def _text(value: object) -> str:
    """Text as it is, and all else as its JSON."""
    return value if isinstance(value, str) else msgspec.json.encode(value, order="sorted").decode()


def _moment(text: str | None, field: str) -> Microseconds | None:
    if text is None:
        return None
    try:
        return clamp(parse_timestamp(text))
    except ValueError as error:
        raise Invalid(f"{field}: {error}", field=field) from error
