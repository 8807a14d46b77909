"""Annotations: stored, on the wire, and as events."""

from typing import Annotated, Any, Final, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from dayline.model.bucket import Bucket
from dayline.model.category import Path
from dayline.model.data import canonical_json, decode_body
from dayline.model.errors import Invalid
from dayline.model.event import Event, EventId
from dayline.model.time import Microseconds, Timestamp, checked_moment, format_timestamp
from dayline.model.upkeep.undo import UndoId

# label: a name and nothing else. category: the time belongs to this category, whatever the rules say. exclude: the time
# does not count. entry: time that no watcher recorded (a meeting, a drive), which takes precedence over recorded
# events.
AnnotationKind: TypeAlias = Literal["label", "category", "exclude", "entry"]

ANNOTATIONS_BUCKET: Final = "dayline-annotations"
ANNOTATIONS_TYPE: Final = "dayline.annotation"

Kind = Annotated[
    AnnotationKind,
    Meta(
        description="`label` only names the span; `category` assigns its time to the "
        "category, whatever the rules say; `exclude` leaves it out; `entry` is time that no watcher recorded"
    ),
]
Device = Annotated[str, Meta(min_length=1, max_length=255, description="host name of the device it is about")]
Label = Annotated[str, Meta(max_length=1000, examples=["Stand-up"])]
Note = Annotated[str, Meta(max_length=10_000, description="free text")]
CategoryPath = Annotated[
    tuple[Annotated[str, Meta(min_length=1, max_length=200)], ...],
    Meta(min_length=1, max_length=20, description="names from the root", examples=[["Work", "Meetings"]]),
]
Begin = Annotated[Timestamp, Meta(description="start")]
End = Annotated[Timestamp, Meta(description="end, exclusive")]


class Annotation(Struct, frozen=True, kw_only=True):
    """One annotation. `device` is a host name; None means any device."""

    id: int
    kind: AnnotationKind
    start: Microseconds
    end: Microseconds
    device: str | None = None
    label: Annotated[str, Meta(max_length=1000)] = ""
    category: Path | None = None
    note: Annotated[str, Meta(max_length=10_000)] = ""
    is_on: bool = True


class NewAnnotation(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A new annotation. `category` is required for the kind `category` and optional for `entry`."""

    kind: Kind
    start: Begin
    end: End
    device: Device | None = None
    label: Label = ""
    category: CategoryPath | None = None
    note: Note = ""
    is_on: bool = True


class AnnotationChange(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The fields to change. `null` clears the device or the category."""

    kind: Kind | UnsetType = UNSET
    start: Begin | UnsetType = UNSET
    end: End | UnsetType = UNSET
    device: Device | UnsetType | None = UNSET
    label: Label | UnsetType = UNSET
    category: CategoryPath | UnsetType | None = UNSET
    note: Note | UnsetType = UNSET
    is_on: bool | UnsetType = UNSET


class AnnotationView(Struct, frozen=True, kw_only=True):
    """An annotation as clients see it. A disabled one stays, without effect."""

    id: EventId
    kind: Kind
    start: Begin
    end: End
    device: str | None
    label: str
    category: Path | None
    note: str
    is_on: bool


class ChangedAnnotation(AnnotationView, frozen=True, kw_only=True):
    """An annotation after a change, and its undo number; null if nothing changed."""

    undo: UndoId | None


class RemovedAnnotation(Struct, frozen=True, kw_only=True):
    """A deleted annotation, and its undo number."""

    id: EventId
    undo: UndoId


class AnnotationPage(Struct, frozen=True, kw_only=True):
    """A page of annotations, latest start first. `cursor` leads to earlier ones; null if there are none."""

    annotations: list[AnnotationView]
    cursor: str | None


def decode_new_annotation(body: bytes) -> Annotation:
    """Decode a new annotation, without an id. Raises Malformed or Invalid."""
    return checked(_applied({"id": 0}, decode_body(body, NewAnnotation)))


def changed_annotation(annotation: Annotation, change: AnnotationChange) -> Annotation:
    """Apply a change to an annotation. Raises Invalid."""
    return checked(_applied(msgspec.structs.asdict(annotation), change))


def view_of_annotation(annotation: Annotation) -> AnnotationView:
    """The annotation as clients see it."""
    fields = msgspec.structs.asdict(annotation)
    fields["start"], fields["end"] = format_timestamp(annotation.start), format_timestamp(annotation.end)
    return AnnotationView(**fields)


def checked(annotation: Annotation) -> Annotation:
    """Validate an annotation. Raises Invalid."""
    if annotation.end <= annotation.start:
        raise Invalid("`end` must be after `start`", field="end")
    if annotation.kind == "category" and annotation.category is None:
        raise Invalid("`category` is required", hint='["Work", "Code"]', field="category")
    if annotation.kind in ("label", "exclude") and annotation.category is not None:
        raise Invalid(
            f"an annotation of kind {annotation.kind} cannot have a `category`",
            hint="use the kind category",
            field="category",
        )
    if annotation.kind == "label" and not annotation.label:
        raise Invalid("`label` is empty", field="label")
    return annotation


def _applied(fields: dict[str, object], given: NewAnnotation | AnnotationChange) -> Annotation:
    for name in given.__struct_fields__:
        value: object = getattr(given, name)
        if value is not UNSET:
            fields[name] = (
                checked_moment(value, field=name) if isinstance(value, str) and name in ("start", "end") else value
            )
    return msgspec.convert(fields, Annotation)


class _StoredAnnotation(Struct, frozen=True, kw_only=True):
    """The data of such an event. Other programs may have written it, with additional fields."""

    kind: AnnotationKind
    device: str | None = None
    label: Label = ""
    category: Path | None = None
    note: Note = ""
    is_on: bool = True


_stored = msgspec.json.Decoder(_StoredAnnotation)


def annotations_bucket(now: Microseconds) -> Bucket:
    """The bucket that is created with the first annotation. It belongs to no device."""
    return Bucket(
        id=ANNOTATIONS_BUCKET, type=ANNOTATIONS_TYPE, client="dayline", hostname="unknown", created=now, data={}
    )


def annotation_of(event: Event) -> Annotation | None:
    """The annotation stored in an event; None if it is not a valid one."""
    try:
        fields = msgspec.structs.asdict(_stored.decode(event.data))
        fields["category"] = fields["category"] or None  # an empty path is no category
        return checked(Annotation(id=event.id, start=event.start, end=event.end, **fields))
    except (msgspec.MsgspecError, Invalid):
        return None


def event_of_annotation(annotation: Annotation, former: Event | None = None) -> Event:
    """The event that stores an annotation. Unknown fields in the data of the former event are kept."""
    data: dict[str, Any] = {} if former is None else msgspec.json.decode(former.data, type=dict[str, Any])
    for name in _StoredAnnotation.__struct_fields__:
        value = getattr(annotation, name)
        if value is None:
            data.pop(name, None)
        else:
            data[name] = value
    return Event(
        id=annotation.id,
        start=annotation.start,
        duration=annotation.end - annotation.start,
        data=canonical_json(data),
    )
