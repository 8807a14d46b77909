"""The calls about annotations."""

from typing import Annotated

from msgspec import Meta

from dayline.api import annotations
from dayline.api.route import Answer, Body, Parameter, Route
from dayline.model.annotation_bodies import (
    AnnotationChange,
    AnnotationPage,
    AnnotationView,
    ChangedAnnotation,
    NewAnnotation,
    RemovedAnnotation,
)
from dayline.model.annotations import AnnotationKind
from dayline.model.errors import NotFound
from dayline.model.timestamps import Timestamp

_ONE = "/api/1/annotations/{annotation_id}"
_LIST = (
    Parameter(name="start", type=Timestamp, description="only those that end after this time"),
    Parameter(name="end", type=Timestamp, description="only those that begin before this time"),
    Parameter(name="device", type=str, description="only those about this host name, or about all"),
    Parameter(name="kind", type=AnnotationKind, description="only those of this kind"),
    Parameter(name="cursor", type=str, description="where the list before has ended, as it has told"),
    Parameter(name="limit", type=Annotated[int, Meta(ge=1)], description="at most so many; 100 where it is left out"),
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
        method="GET", path="/api/1/annotations", handler=annotations.list_annotations, tag="insight", scope="read",
        is_tagged=True, summary="List what is said about spans of time", parameters=_LIST,
        answer=Answer(type=AnnotationPage, description="some of them, and where to go on"),
    ),
    Route(
        method="POST", path="/api/1/annotations", handler=annotations.create_annotation, tag="insight", scope="full",
        summary="Say something about a span of time", body=Body(type=NewAnnotation, example=_STAND_UP),
        answer=Answer(type=ChangedAnnotation, description="the annotation, and what undoes it", status=201),
        errors=(NotFound,),
    ),
    Route(
        method="GET", path=_ONE, handler=annotations.get_annotation, tag="insight", scope="read", is_tagged=True,
        summary="Get an annotation", answer=Answer(type=AnnotationView, description="the annotation"),
        errors=(NotFound,),
    ),
    Route(
        method="PATCH", path=_ONE, handler=annotations.change_annotation, tag="insight", scope="full",
        is_destructive=True, is_conditional=True, summary="Change an annotation, or switch it off",
        body=Body(type=AnnotationChange, example={"is_on": False}),
        answer=Answer(type=ChangedAnnotation, description="the annotation as it is now, and what undoes the change"),
        errors=(NotFound,),
    ),
    Route(
        method="DELETE", path=_ONE, handler=annotations.delete_annotation, tag="insight", scope="full",
        is_destructive=True, is_conditional=True, summary="Delete an annotation",
        answer=Answer(type=RemovedAnnotation, description="what brings it back"), errors=(NotFound,),
    ),
)  # fmt: skip
