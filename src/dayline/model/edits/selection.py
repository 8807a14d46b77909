"""Selections of events: by bucket, range, ids and data."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta, Struct

from dayline.model.data import decode_body
from dayline.model.edits.events import JsonObject
from dayline.model.edits.shown_text import TruncatedTexts, shown_data
from dayline.model.errors import Invalid, Malformed
from dayline.model.event import Event, EventId, EventView, Seconds
from dayline.model.time import SECOND, Microseconds, Timestamp, clamp, format_timestamp, parse_timestamp
from dayline.model.upkeep.undo import UndoId

MAX_IDS: Final = 10_000
FilterOp: TypeAlias = Literal["is", "has"]
Edge: TypeAlias = Literal["begin", "touch", "cut"]


class DataFilter(Struct, frozen=True, kw_only=True):
    """A field of the data that equals a text, or contains it, ignoring case."""

    field: Annotated[str, Meta(min_length=1, max_length=200, examples=["title"])]
    op: FilterOp = "is"
    value: Annotated[str, Meta(max_length=10_000)]

    def fits(self, data: Mapping[str, Any]) -> bool:
        if self.field not in data:
            return False
        text = _text(data[self.field])
        return text == self.value if self.op == "is" else self.value.casefold() in text.casefold()


class EventSelector(Struct, frozen=True, kw_only=True):
    """The events to delete: those that match all given conditions. With `dry_run` nothing is deleted.

    `start` and `end` are a half-open range. `edge` decides which events are in it: `begin`, those that start there;
    `touch`, those that overlap it. Both delete whole events. `cut` deletes only the time inside the range: it shortens
    events that overlap an edge, and splits one that overlaps both.
    """

    bucket: str
    start: Timestamp | None = None
    end: Timestamp | None = None
    edge: Edge = "begin"
    ids: Annotated[list[EventId], Meta(max_length=MAX_IDS)] | None = None
    data: list[DataFilter] = []
    dry_run: bool = False


class Selection(Struct, frozen=True, kw_only=True):
    """A validated selector."""

    bucket: str
    start: Microseconds | None = None
    end: Microseconds | None = None
    is_touching: bool = False
    is_cutting: bool = False  # then also touching
    ids: tuple[int, ...] | None = None
    filters: tuple[DataFilter, ...] = ()

    def fits(self, data: bytes | str) -> bool:
        """Whether data, as JSON text, matches the filters."""
        if not self.filters:
            return True
        members: dict[str, Any] = msgspec.json.decode(data)
        return all(one.fits(members) for one in self.filters)

    def kept_parts(self, start: Microseconds, duration: Microseconds) -> tuple[Microseconds, Microseconds]:
        """How much of a selected event is kept before the range, and after it."""
        if not self.is_cutting:
            return 0, 0
        before = 0 if self.start is None else self.start - start
        after = 0 if self.end is None else start + duration - self.end
        return max(0, before), max(0, after)


class DeletedEvents(Struct, frozen=True, kw_only=True):
    """The deleted events, or with `dry_run` those that would be. `samples` are the longest of them.

    `seconds` is the time that is deleted. `cut` is the number of events that are shortened or split; `events` includes
    them.

    `skipped` counts events that were changed by another client during the deletion, and were kept. `undo` restores all
    of them; it is null if there were none.
    """

    bucket: str
    dry_run: bool
    events: int
    seconds: Seconds
    samples: list[EventView]
    skipped: int
    undo: UndoId | None
    cut: int = 0


class ListedEvent(Struct, frozen=True, kw_only=True):
    """An event with its whole duration."""

    id: EventId
    timestamp: Timestamp
    end: Timestamp
    duration: Seconds
    data: JsonObject
    truncated: TruncatedTexts


class EventPage(Struct, frozen=True, kw_only=True):
    """A page of events. `cursor` leads to the next page; null if there are no more."""

    events: list[ListedEvent]
    cursor: str | None


def decode_selector(body: bytes) -> tuple[Selection, bool]:
    """Decode a selector, and whether it is a dry run. Raises Malformed or Invalid."""
    selector = decode_body(body, EventSelector)
    selection = Selection(
        bucket=selector.bucket,
        start=_moment(selector.start, "start"),
        end=_moment(selector.end, "end"),
        is_touching=selector.edge != "begin",
        is_cutting=selector.edge == "cut",
        ids=None if selector.ids is None else tuple(sorted(set(selector.ids))),
        filters=tuple(selector.data),
    )
    if selection.is_cutting:
        _check_cut(selection)
    if selection == Selection(bucket=selector.bucket, is_touching=selection.is_touching):
        raise Invalid(
            "the selection is empty, which would delete all events",
            hint="send start, end, ids or data; delete a whole bucket with DELETE /api/0/buckets/<id>",
        )
    return selection, selector.dry_run


def _check_cut(selection: Selection) -> None:
    if selection.start is None and selection.end is None:
        raise Invalid("edge=cut needs a range", hint="send start, end, or both", field="edge")
    if selection.start is not None and selection.end is not None and selection.end <= selection.start:
        raise Invalid(
            f"end must be after start (got {format_timestamp(selection.start)} to {format_timestamp(selection.end)})",
            field="end",
        )


def decode_filters(texts: Sequence[str]) -> tuple[DataFilter, ...]:
    """Decode filters of the form `field:op:value` from a URL. Raises Malformed."""
    return tuple(map(_filter, texts))


def listed(event: Event) -> ListedEvent:
    """The event as a page shows it."""
    data, truncated = shown_data(event.data)
    return ListedEvent(
        id=event.id,
        timestamp=format_timestamp(event.start),
        end=format_timestamp(event.end),
        duration=event.duration / SECOND,
        data=msgspec.Raw(data),
        truncated=truncated,
    )


def _filter(text: str) -> DataFilter:
    field, _, rest = text.partition(":")
    op, colon, value = rest.partition(":")
    if not field or not colon or op not in ("is", "has"):
        raise Malformed(
            f"invalid filter {text[:60]!r}: use field:op:value",
            hint="for example title:has:invoice or app:is:Firefox",
            field="filter",
        )
    return DataFilter(field=field, op="is" if op == "is" else "has", value=value)


def _text(value: object) -> str:
    """Text unchanged, everything else as JSON."""
    return value if isinstance(value, str) else msgspec.json.encode(value, order="sorted").decode()


def _moment(text: str | None, field: str) -> Microseconds | None:
    if text is None:
        return None
    try:
        return clamp(parse_timestamp(text))
    except ValueError as error:
        raise Invalid(f"{field}: {error}", field=field) from error
