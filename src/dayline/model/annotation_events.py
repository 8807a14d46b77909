"""Annotations as they are stored: events of a bucket of their own, so that whatever holds for events holds for them."""

from typing import Any

import msgspec
from msgspec import Struct

from dayline.model.annotation_bodies import Label, Note, checked
from dayline.model.annotations import ANNOTATIONS_BUCKET, ANNOTATIONS_TYPE, Annotation, AnnotationKind
from dayline.model.bucket import Bucket
from dayline.model.categories import Path
from dayline.model.data import canonical_json
from dayline.model.errors import Invalid
from dayline.model.event import Event
from dayline.model.timestamps import Microseconds


class _Said(Struct, frozen=True, kw_only=True):
    """The data of such an event. Others may have written it, with more in it."""

    kind: AnnotationKind
    device: str | None = None
    label: Label = ""
    category: Path | None = None
    note: Note = ""
    is_on: bool = True


_said = msgspec.json.Decoder(_Said)


def annotations_bucket(now: Microseconds) -> Bucket:
    """The bucket that is made with the first annotation. It belongs to no device."""
    return Bucket(
        id=ANNOTATIONS_BUCKET, type=ANNOTATIONS_TYPE, client="dayline", hostname="unknown", created=now, data={}
    )


def annotation_of(event: Event) -> Annotation | None:
    """The annotation that an event is; None where it is none that could be used, whoever wrote it."""
    try:
        said = msgspec.structs.asdict(_said.decode(event.data))
        said["category"] = said["category"] or None  # an empty path leads nowhere
        return checked(Annotation(id=event.id, start=event.start, end=event.end, **said))
    except (msgspec.MsgspecError, Invalid):
        return None


def event_of_annotation(annotation: Annotation, former: Event | None = None) -> Event:
    """The event that an annotation is stored as. What else was in the data of the former event stays there."""
    data: dict[str, Any] = {} if former is None else msgspec.json.decode(former.data, type=dict[str, Any])
    for name in _Said.__struct_fields__:
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
