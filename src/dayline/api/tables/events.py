"""The calls about events and heartbeats."""

from typing import Annotated

from msgspec import Meta

from dayline.api import events, heartbeats
from dayline.api.events import Deletion
from dayline.api.route import Answer, Body, Parameter, Route
from dayline.api.tables.parts import BUCKET, EVENT
from dayline.model.errors import Conflict, NotFound
from dayline.model.event import EventBody, EventView, HeartbeatBody
from dayline.model.timestamps import Timestamp

_START = Parameter(name="start", type=Timestamp, description="only events that end at this time or later")
_END = Parameter(name="end", type=Timestamp, description="only events that begin at this time or earlier")
_LIMIT = Parameter(name="limit", type=int, description="only the newest so many; negative means all")
_PULSETIME = Parameter(
    name="pulsetime",
    type=Annotated[float, Meta(examples=[5.0])],
    description="seconds: the longest gap to the last event that still extends it",
    is_required=True,
)

CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path=f"{BUCKET}/events", handler=events.get_events, tag="events", scope="read",
        summary="Get events, newest first, clipped to the range", parameters=(_START, _END, _LIMIT),
        answer=Answer(type=list[EventView], description="the events"), errors=(NotFound,),
    ),
    Route(
        method="POST", path=f"{BUCKET}/events", handler=events.insert_events, tag="events", scope="append",
        summary="Insert events, or replace those whose id is given",
        body=Body(type=list[EventBody] | EventBody, example=[EVENT]),
        answer=Answer(type=list[EventView] | EventView, description="the events as stored, with their ids"),
        errors=(NotFound, Conflict),
    ),
    Route(
        method="GET", path=f"{BUCKET}/events/count", handler=events.count_events, tag="events", scope="read",
        summary="Count events", parameters=(_START, _END),
        answer=Answer(type=Annotated[int, Meta(ge=0)], description="how many"), errors=(NotFound,),
    ),
    Route(
        method="GET", path=f"{BUCKET}/events/{{event_id}}", handler=events.get_event, tag="events", scope="read",
        summary="Get an event, unclipped", answer=Answer(type=EventView, description="the event"), errors=(NotFound,),
    ),
    Route(
        method="DELETE", path=f"{BUCKET}/events/{{event_id}}", handler=events.delete_event, tag="events",
        scope="full", is_destructive=True,
        summary="Delete an event", answer=Answer(type=Deletion, description="whether it existed"),
        errors=(NotFound,),
    ),
    Route(
        method="POST", path=f"{BUCKET}/heartbeat", handler=heartbeats.send_heartbeat, tag="events", scope="append",
        summary="Extend the last event, or begin a new one", parameters=(_PULSETIME,),
        body=Body(type=HeartbeatBody, example=EVENT),
        answer=Answer(type=EventView, description="the event as stored"), errors=(NotFound,),
    ),
)  # fmt: skip
