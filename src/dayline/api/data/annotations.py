"""`/api/1/annotations`: notes on time ranges, as a layer over the recorded events."""

from typing import Annotated, Final, get_args

import msgspec
from msgspec import Meta

from dayline.api.http.call import Call, check_match, tag_of
from dayline.api.http.parameters import choice, cursor_of, cursor_text
from dayline.api.http.route import Answer, Body, Parameter, Route
from dayline.api.insight.task import annotations_between, answer_tagged
from dayline.model.edits.annotation import (
    ANNOTATIONS_BUCKET,
    Annotation,
    AnnotationChange,
    AnnotationKind,
    AnnotationPage,
    AnnotationView,
    ChangedAnnotation,
    NewAnnotation,
    RemovedAnnotation,
    annotation_of,
    annotations_bucket,
    changed_annotation,
    decode_new_annotation,
    event_of_annotation,
    view_of_annotation,
)
from dayline.model.errors import BucketNotFound, EventNotFound, NotFound
from dayline.model.event import MAX_EVENT_ID, Event, StoredEvent
from dayline.model.time import Timestamp
from dayline.runtime.threads import in_thread
from dayline.storage.history.contract import EditedEvents, EventEdit, EventPosition

_KINDS: Final[tuple[AnnotationKind, ...]] = get_args(AnnotationKind)


async def list_annotations(call: Call) -> None:
    """The annotations that overlap the time from `start` to `end`, the latest first, whether on or off.

    Events in their bucket that are not valid annotations are left out.
    """
    page = await in_thread(_page_of, call, call.page_limit())
    answer_tagged(call, msgspec.json.encode(page))


async def create_annotation(call: Call) -> None:
    """Recorded events do not change. The annotation counts in summaries and reports; you can turn it off or undo it.

    It is stored as an event of the bucket `dayline-annotations`, which is created with the first one.
    """
    annotation = decode_new_annotation(await call.json_body())
    bucket = annotations_bucket(call.server.clock())
    added = await call.store.edits.add(bucket, event_of_annotation(annotation))
    call.response.status = 201
    _answer_changed(call, added)


async def get_annotation(call: Call) -> None:
    """Send its ETag as `If-Match` when you change it."""
    try:
        event = await in_thread(call.store.event, ANNOTATIONS_BUCKET, _annotation_id(call))
    except (BucketNotFound, EventNotFound):
        raise _not_found(call) from None
    answer_tagged(call, msgspec.json.encode(_view(call, event)))


async def change_annotation(call: Call) -> None:
    """Changes only the given fields. With `If-Match`, only if the annotation still has that ETag."""
    change = await call.decoded(AnnotationChange)

    def edit(stored: StoredEvent) -> Event:
        annotation = _matching(call, stored.event)
        return event_of_annotation(changed_annotation(annotation, change), stored.event)

    _answer_changed(call, await _edit(call, edit))


async def delete_annotation(call: Call) -> None:
    """Moves it to the trash. To keep it without effect, set `is_on` to false. `If-Match` works as in a change."""

    def edit(stored: StoredEvent) -> None:
        _matching(call, stored.event)

    edited = await _edit(call, edit)
    assert edited.undo is not None  # there was one to remove
    call.answer_value(RemovedAnnotation(id=_annotation_id(call), undo=edited.undo))


async def _edit(call: Call, edit: EventEdit) -> EditedEvents:
    try:
        return await call.store.edits.edit(ANNOTATIONS_BUCKET, _annotation_id(call), edit)
    except (BucketNotFound, EventNotFound):
        raise _not_found(call) from None


def _matching(call: Call, event: Event) -> Annotation:
    """The annotation as it is now. Raises NotFound, or Stale if `If-Match` names another version."""
    check_match(call, _view(call, event), name=f"annotation {event.id}")
    annotation = annotation_of(event)
    assert annotation is not None
    return annotation


def _answer_changed(call: Call, edited: EditedEvents) -> None:
    view = _view(call, edited.events[0].event)
    call.response.set_header("ETag", tag_of(view))
    call.answer_value(ChangedAnnotation(**msgspec.structs.asdict(view), undo=edited.undo))


def _view(call: Call, event: Event) -> AnnotationView:
    """Raises NotFound if the event is not a valid annotation."""
    annotation = annotation_of(event)
    if annotation is None:
        raise _not_found(call)
    return view_of_annotation(annotation)


def _page_of(call: Call, limit: int) -> AnnotationPage:
    start, end, cursor = call.time("start"), call.time("end"), cursor_of(call)
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
            return _page(given, cursor=cursor_text(EventPosition(given[-1].start, given[-1].id)))
        given.append(annotation)
    return _page(given, cursor=None)


def _page(annotations: list[Annotation], *, cursor: str | None) -> AnnotationPage:
    return AnnotationPage(annotations=[view_of_annotation(each) for each in annotations], cursor=cursor)


def _comes_after(annotation: Annotation, cursor: EventPosition) -> bool:
    """Whether it comes later in the list: starts earlier, or at the same time with a higher id."""
    return (-annotation.start, annotation.id) > (-cursor.start, cursor.id)


def _annotation_id(call: Call) -> int:
    number = call.path_number("annotation_id")
    if number is None or not 0 < number <= MAX_EVENT_ID:
        raise _not_found(call)
    return number


def _not_found(call: Call) -> NotFound:
    text = call.params["annotation_id"][:40]
    return NotFound(f"there is no annotation {text!r}", hint="GET /api/1/annotations lists the annotations")


_ONE = "/api/1/annotations/{annotation_id}"
_LIST = (
    Parameter(name="start", type=Timestamp, description="only annotations that end after this time"),
    Parameter(name="end", type=Timestamp, description="only annotations that begin before this time"),
    Parameter(name="device", type=str, description="only annotations of this host name, or of all devices"),
    Parameter(name="kind", type=AnnotationKind, description="only annotations of this kind"),
    Parameter(name="cursor", type=str, description="the `cursor` of the previous page"),
    Parameter(name="limit", type=Annotated[int, Meta(ge=1)], description="max annotations; default: 100"),
)
_STAND_UP = {
    "kind": "entry",
    "start": "2026-02-03T09:00:00Z",
    "end": "2026-02-03T09:15:00Z",
    "label": "Stand-up",
    "category": ["Work", "Meetings"],
}

CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/1/annotations", handler=list_annotations, tag="annotations", scope="read",
        is_tagged=True, summary="List annotations", parameters=_LIST,
        answer=Answer(type=AnnotationPage, description="a page of annotations"),
    ),
    Route(
        method="POST", path="/api/1/annotations", handler=create_annotation, tag="annotations", scope="full",
        summary="Create an annotation", body=Body(type=NewAnnotation, example=_STAND_UP),
        answer=Answer(type=ChangedAnnotation, description="the annotation, and the undo entry", status=201),
        errors=(NotFound,),
    ),
    Route(
        method="GET", path=_ONE, handler=get_annotation, tag="annotations", scope="read", is_tagged=True,
        summary="Get an annotation", answer=Answer(type=AnnotationView, description="the annotation"),
        errors=(NotFound,),
    ),
    Route(
        method="PATCH", path=_ONE, handler=change_annotation, tag="annotations", scope="full",
        is_destructive=True, is_conditional=True, summary="Change an annotation or turn it off",
        body=Body(type=AnnotationChange, example={"is_on": False}),
        answer=Answer(type=ChangedAnnotation, description="the changed annotation, and the undo entry"),
        errors=(NotFound,),
    ),
    Route(
        method="DELETE", path=_ONE, handler=delete_annotation, tag="annotations", scope="full",
        is_destructive=True, is_conditional=True, summary="Delete an annotation",
        answer=Answer(type=RemovedAnnotation, description="the undo entry"), errors=(NotFound,),
    ),
)  # fmt: skip
