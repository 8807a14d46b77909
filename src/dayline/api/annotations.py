"""`/api/1/annotations`: what a person says about spans of time, as a layer over what was recorded."""

from typing import Final, get_args

import msgspec

from dayline.api.annotation_layer import annotations_between
from dayline.api.call import Call, in_thread
from dayline.api.common_parameters import choice
from dayline.api.cursors import cursor_of, cursor_text
from dayline.api.insight import answer_tagged
from dayline.api.preconditions import check_match, tag_of
from dayline.model.annotation_bodies import (
    AnnotationPage,
    AnnotationView,
    ChangedAnnotation,
    RemovedAnnotation,
    changed_annotation,
    decode_annotation_change,
    decode_new_annotation,
    view_of_annotation,
)
from dayline.model.annotation_events import annotation_of, annotations_bucket, event_of_annotation
from dayline.model.annotations import ANNOTATIONS_BUCKET, Annotation, AnnotationKind
from dayline.model.errors import BucketNotFound, EventNotFound, NotFound
from dayline.model.event import MAX_EVENT_ID, Event
from dayline.model.event_tag import StoredEvent
from dayline.storage.history.edits import EditedEvents, EventEdit, EventPlace

PAGE: Final = 100
_MOST: Final = 1000
_KINDS: Final[tuple[AnnotationKind, ...]] = get_args(AnnotationKind)


async def list_annotations(call: Call) -> None:
    """Those that touch the time from `start` to `end`, the one that begins last first, switched off or not.

    Whatever else is in their bucket, and is no annotation that could be used, is left out.
    """
    page = await in_thread(_page_of, call, min(call.number("limit") or PAGE, _MOST))
    answer_tagged(call, msgspec.json.encode(page))


async def create_annotation(call: Call) -> None:
    """Nothing that was recorded changes: it counts in summaries and reports, and can be switched off and undone.

    It is stored as an event of the bucket `dayline-annotations`, which is made with the first one.
    """
    annotation = decode_new_annotation(await call.json_body())
    bucket = annotations_bucket(call.services.clock())
    added = await call.store.edits.add(bucket, event_of_annotation(annotation))
    call.response.status = 201
    _answer_changed(call, added)


async def get_annotation(call: Call) -> None:
    """Its ETag is what `If-Match` takes."""
    try:
        event = await in_thread(call.store.event, ANNOTATIONS_BUCKET, _annotation_id(call))
    except (BucketNotFound, EventNotFound):
        raise _not_found(call) from None
    answer_tagged(call, msgspec.json.encode(_view(call, event)))


async def change_annotation(call: Call) -> None:
    """Changes the fields that are given, and leaves the others alone. With `If-Match`, only what has that ETag."""
    change = decode_annotation_change(await call.json_body())

    def edit(stored: StoredEvent) -> Event:
        annotation = _matching(call, stored.event)
        return event_of_annotation(changed_annotation(annotation, change), stored.event)

    _answer_changed(call, await _edited(call, edit))


async def delete_annotation(call: Call) -> None:
    """It goes into the trash. To keep it without its effect, set `is_on` to false. With `If-Match` as in a change."""

    def edit(stored: StoredEvent) -> None:
        _matching(call, stored.event)

    edited = await _edited(call, edit)
    assert edited.undo is not None  # there was one to remove
    call.answer_value(RemovedAnnotation(id=_annotation_id(call), undo=edited.undo))


async def _edited(call: Call, edit: EventEdit) -> EditedEvents:
    try:
        return await call.store.edits.edit(ANNOTATIONS_BUCKET, _annotation_id(call), edit)
    except (BucketNotFound, EventNotFound):
        raise _not_found(call) from None


def _matching(call: Call, event: Event) -> Annotation:
    """The annotation as it is now. Raises NotFound, or Stale where the client has seen another."""
    check_match(call, _view(call, event), name=f"annotation {event.id}")
    annotation = annotation_of(event)
    assert annotation is not None
    return annotation


def _answer_changed(call: Call, edited: EditedEvents) -> None:
    view = _view(call, edited.events[0].event)
    call.response.set_header("ETag", tag_of(view))
    call.answer_value(ChangedAnnotation(**msgspec.structs.asdict(view), undo=edited.undo))


def _view(call: Call, event: Event) -> AnnotationView:
    """Raises NotFound for what is not an annotation that could be used."""
    annotation = annotation_of(event)
    if annotation is None:
        raise _not_found(call)
    return view_of_annotation(annotation)


def _page_of(call: Call, limit: int) -> AnnotationPage:
    start, end, cursor = call.moment("start"), call.moment("end"), cursor_of(call)
    kind = choice(call, "kind", _KINDS, "label") if call.request.has_param("kind") else None
    device = call.request.get_param("device")
    if cursor is not None and (start is None or cursor.start >= start):
        end = cursor.start + 1 if end is None else min(end, cursor.start + 1)
    given: list[Annotation] = []
    for annotation in annotations_between(call.store, start, end):
        is_asked_for = kind in (None, annotation.kind) and (device is None or annotation.device in (None, device))
        if not is_asked_for or (cursor is not None and not _comes_after(annotation, cursor)):
            continue
        if len(given) == limit:
            return _page(given, cursor=cursor_text(EventPlace(given[-1].start, given[-1].id)))
        given.append(annotation)
    return _page(given, cursor=None)


def _page(annotations: list[Annotation], *, cursor: str | None) -> AnnotationPage:
    return AnnotationPage(annotations=[view_of_annotation(each) for each in annotations], cursor=cursor)


def _comes_after(annotation: Annotation, cursor: EventPlace) -> bool:
    """Whether it comes later in the list: begins earlier, or at the same moment with a higher id."""
    return (-annotation.start, annotation.id) > (-cursor.start, cursor.id)


def _annotation_id(call: Call) -> int:
    number = call.path_number("annotation_id")
    if number is None or not 0 < number <= MAX_EVENT_ID:
        raise _not_found(call)
    return number


def _not_found(call: Call) -> NotFound:
    text = call.params["annotation_id"][:40]
    return NotFound(f"there is no annotation {text!r}", hint="GET /api/1/annotations lists them")
