"""The calls about single events, and about many at once."""

from typing import Annotated, Literal

from msgspec import Meta

from dayline.api import event_edits
from dayline.api.event_context import ASPECTS, EventInContext
from dayline.api.route import Answer, Body, Parameter, Route
from dayline.model.errors import Conflict, NotFound
from dayline.model.event_edits import ChangedEvent, EventPatch, RemovedEvent, SplitEvent, SplitRequest
from dayline.model.event_selection import DeletedEvents, EventPage, EventSelector
from dayline.model.timestamps import Timestamp

_EVENT = "/api/1/events/{bucket_id}/{event_id}"
_SELECTOR = {
    "bucket": "aw-watcher-window_desktop",
    "start": "2026-02-03T08:00:00Z",
    "end": "2026-02-03T09:00:00Z",
    "data": [{"field": "title", "op": "has", "value": "draft"}],
}
_LIST = (
    Parameter(
        name="start", type=Timestamp, description="only events that end after this time, or begin at it or later"
    ),
    Parameter(name="end", type=Timestamp, description="only events that begin before this time"),
    Parameter(
        name="filter",
        type=list[Annotated[str, Meta(examples=["title:has:invoice"])]],
        description="`field:op:value`, where `op` is `is` or `has`; given several times, all must hold",
    ),
    Parameter(name="order", type=Literal["newest", "oldest"], description="which come first; `newest` by itself"),
    Parameter(name="limit", type=Annotated[int, Meta(ge=1)], description="at most so many, up to 1,000; 100 by itself"),
    Parameter(name="cursor", type=str, description="goes on where the page that told it has ended"),
)

CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path=_EVENT, handler=event_edits.read_event, tag="events", scope="read", is_tagged=True,
        summary="Get an event with all about it", answer=Answer(type=EventInContext, description="the event"),
        parameters=(
            Parameter(
                name="include", type=str,
                description=f"what to tell besides, with commas between: {', '.join(ASPECTS)}",
            ),
        ),
        errors=(NotFound,),
    ),
    Route(
        method="PATCH", path=_EVENT, handler=event_edits.change_event, tag="events", scope="full",
        is_destructive=True, is_conditional=True, summary="Change an event",
        body=Body(type=EventPatch, example={"duration": 90.0}),
        answer=Answer(type=ChangedEvent, description="the event as it is now"), errors=(NotFound, Conflict),
    ),
    Route(
        method="DELETE", path=_EVENT, handler=event_edits.remove_event, tag="events", scope="full",
        is_destructive=True, is_conditional=True, summary="Put an event into the trash",
        answer=Answer(type=RemovedEvent, description="the event as it was"), errors=(NotFound, Conflict),
    ),
    Route(
        method="POST", path=f"{_EVENT}/split", handler=event_edits.split_event, tag="events", scope="full",
        is_destructive=True, is_conditional=True, summary="Split an event in two",
        body=Body(type=SplitRequest, example={"at": "2026-02-03T08:15:45Z"}),
        answer=Answer(type=SplitEvent, description="both parts"), errors=(NotFound, Conflict),
    ),
    Route(
        method="POST", path="/api/1/events/delete", handler=event_edits.delete_selected_events, tag="events",
        scope="full", summary="Delete events by range, ids or data", body=Body(type=EventSelector, example=_SELECTOR),
        answer=Answer(type=DeletedEvents, description="what was deleted, or would be"), errors=(NotFound, Conflict),
    ),
    Route(
        method="GET", path="/api/1/buckets/{bucket_id}/events", handler=event_edits.list_events, tag="events",
        scope="read", is_tagged=True, summary="List the events of a bucket, page by page", parameters=_LIST,
        answer=Answer(type=EventPage, description="some events, and the cursor for more"), errors=(NotFound,),
    ),
)  # fmt: skip
