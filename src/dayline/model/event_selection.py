"""Which events are meant: by bucket, range, ids and what their data say."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta, Struct

from dayline.model.errors import Invalid, Malformed
from dayline.model.event import Event, EventId, EventView, Seconds
from dayline.model.event_edits import JsonObject
from dayline.model.timestamps import SECOND, Microseconds, Timestamp, clamp, format_timestamp, parse_timestamp
from dayline.model.trash import UndoId
from dayline.model.wire import decode_body

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
