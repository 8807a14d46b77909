"""The whole API, a line a call: what is served, checked and documented is read from this table alone.

`CALLS` is the interface for programs, which the OpenAPI document describes; `ROUTES` has the pages and files besides.
"""

from typing import Annotated, Any

from msgspec import Meta

from dayline.api import buckets, events, heartbeats, info, pages, queries, settings, transfer
from dayline.api.browser import ApiBrowser
from dayline.api.documents import AnyJson, Export, Import, QueryAnswer, QueryCheck, QueryExplanation
from dayline.api.events import Deletion
from dayline.api.info import Info
from dayline.api.log_records import LogRecord
from dayline.api.openapi import Description
from dayline.api.queries import ProgramText, QueryLines, QueryRequest
from dayline.api.route import BUCKET_ID, Answer, Body, Parameter, Route
from dayline.model.bucket import BucketChange, BucketView, NewBucket
from dayline.model.errors import BucketExists, Conflict, NotFound
from dayline.model.event import EventBody, EventView, HeartbeatBody
from dayline.model.timestamps import Timestamp
from dayline.query.errors import QueryError
from dayline.query.signatures import Signature
from dayline.storage.base import ImportReport

Nothing = Annotated[dict[str, Any], Meta(extra_json_schema={"additionalProperties": False})]

_DONE = Answer(type=Nothing, description="done, and committed")
_START = Parameter(name="start", type=Timestamp, description="only events that end at this time or later")
_END = Parameter(name="end", type=Timestamp, description="only events that begin at this time or earlier")
_LIMIT = Parameter(name="limit", type=int, description="only the newest so many; negative means all")
_PULSETIME = Parameter(
    name="pulsetime",
    type=Annotated[float, Meta(examples=[5.0])],
    description="seconds: the longest gap to the last event that still extends it",
    is_required=True,
)
_BUCKET = "/api/0/buckets/{bucket_id}"
_NEW_BUCKET = {"client": "aw-watcher-window", "type": "currentwindow", "hostname": "laptop"}
_EVENT = {"timestamp": "2026-02-03T08:15:31.250Z", "duration": 12.5, "data": {"app": "Editor", "title": "notes.md"}}
_DOCUMENT = {"buckets": {BUCKET_ID: {**_NEW_BUCKET, "events": [_EVENT]}}}
_PERIODS = ["2026-02-03T04:00:00+01:00/2026-02-04T04:00:00+01:00"]
_PROGRAM = [f'events = flood(query_bucket("{BUCKET_ID}"));', "RETURN = sort_by_duration(events);"]
_QUERY = {"query": _PROGRAM, "timeperiods": _PERIODS}
_NAME = Parameter(name="name", type=str, description="what `NAME` holds in the program")

CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/0/info", handler=info.get_info, tag="server", is_for_extensions=True,
        summary="Tell what server this is", answer=Answer(type=Info, description="host, version, mode and device"),
    ),
    Route(
        method="GET", path="/api/0/log", handler=info.get_log, tag="server",
        summary="Read the latest log records", answer=Answer(type=list[LogRecord], description="newest first"),
    ),
    Route(
        method="GET", path="/api/0/buckets/", handler=buckets.list_buckets, tag="buckets",
        summary="List all buckets", answer=Answer(type=dict[str, BucketView], description="bucket id to bucket"),
    ),
    Route(
        method="GET", path=_BUCKET, handler=buckets.get_bucket, tag="buckets", is_for_extensions=True,
        summary="Get a bucket", answer=Answer(type=BucketView, description="the bucket"), errors=(NotFound,),
    ),
    Route(
        method="POST", path=_BUCKET, handler=buckets.create_bucket, tag="buckets", is_for_extensions=True,
        summary="Create a bucket", body=Body(type=NewBucket, example=_NEW_BUCKET), answer=_DONE,
        errors=(BucketExists,),
    ),
    Route(
        method="PUT", path=_BUCKET, handler=buckets.update_bucket, tag="buckets",
        summary="Change a bucket's fields", body=Body(type=BucketChange, example={"hostname": "desktop"}),
        answer=_DONE, errors=(NotFound,),
    ),
    Route(
        method="DELETE", path=_BUCKET, handler=buckets.delete_bucket, tag="buckets",
        summary="Delete a bucket and its events", answer=_DONE, errors=(NotFound,),
    ),
    Route(
        method="GET", path=f"{_BUCKET}/events", handler=events.get_events, tag="events",
        summary="Get events, newest first, clipped to the range", parameters=(_START, _END, _LIMIT),
        answer=Answer(type=list[EventView], description="the events"), errors=(NotFound,),
    ),
    Route(
        method="POST", path=f"{_BUCKET}/events", handler=events.insert_events, tag="events", is_for_extensions=True,
        summary="Insert events, or replace those whose id is given",
        body=Body(type=list[EventBody] | EventBody, example=[_EVENT]),
        answer=Answer(type=list[EventView] | EventView, description="the events as stored, with their ids"),
        errors=(NotFound, Conflict),
    ),
    Route(
        method="GET", path=f"{_BUCKET}/events/count", handler=events.count_events, tag="events",
        summary="Count events", parameters=(_START, _END),
        answer=Answer(type=Annotated[int, Meta(ge=0)], description="how many"), errors=(NotFound,),
    ),
    Route(
        method="GET", path=f"{_BUCKET}/events/{{event_id}}", handler=events.get_event, tag="events",
        summary="Get an event, unclipped", answer=Answer(type=EventView, description="the event"), errors=(NotFound,),
    ),
    Route(
        method="DELETE", path=f"{_BUCKET}/events/{{event_id}}", handler=events.delete_event, tag="events",
        summary="Delete an event", answer=Answer(type=Deletion, description="whether it existed"),
        errors=(NotFound,),
    ),
    Route(
        method="POST", path=f"{_BUCKET}/heartbeat", handler=heartbeats.send_heartbeat, tag="events",
        summary="Extend the last event, or begin a new one", parameters=(_PULSETIME,),
        body=Body(type=HeartbeatBody, example=_EVENT),
        answer=Answer(type=EventView, description="the event as stored"), errors=(NotFound,), is_for_extensions=True,
    ),
    Route(
        method="POST", path="/api/0/query/", handler=queries.run_query, tag="queries",
        summary="Run a query", parameters=(_NAME,), body=Body(type=QueryLines, example=_QUERY),
        answer=Answer(type=list[AnyJson], description="the results, one for each period"), errors=(QueryError,),
    ),
    Route(
        method="POST", path="/api/1/query", handler=queries.run_query_with_statistics, tag="queries",
        summary="Run a query, and tell what it took", body=Body(type=QueryRequest, example={**_QUERY, "timeout_s": 10}),
        answer=Answer(type=QueryAnswer, description="the results, and what they took"), errors=(QueryError,),
    ),
    Route(
        method="POST", path="/api/1/query/check", handler=queries.check_query, tag="queries",
        summary="Check a query without running it", body=Body(type=ProgramText, example={"query": _PROGRAM}),
        answer=Answer(type=QueryCheck, description="whether it can be run"),
    ),
    Route(
        method="POST", path="/api/1/query/explain", handler=queries.explain_query, tag="queries",
        summary="Explain what a query does", body=Body(type=QueryRequest, example=_QUERY),
        answer=Answer(type=QueryExplanation, description="statement by statement"), errors=(QueryError,),
    ),
    Route(
        method="GET", path="/api/1/query/functions", handler=queries.list_functions, tag="queries",
        summary="List the functions of the query language",
        answer=Answer(type=list[Signature], description="every function"),
    ),
    Route(
        method="GET", path=f"{_BUCKET}/export", handler=transfer.export_bucket, tag="transfer",
        summary="Export a bucket", answer=Answer(type=Export, description="an export document"), errors=(NotFound,),
    ),
    Route(
        method="GET", path="/api/0/export", handler=transfer.export_all, tag="transfer",
        summary="Export everything", answer=Answer(type=Export, description="an export document"),
    ),
    Route(
        method="POST", path="/api/0/import", handler=transfer.import_documents, tag="transfer",
        summary="Import an export document", body=Body(type=Import, example=_DOCUMENT, is_document=True),
        answer=Answer(type=ImportReport, description="what was imported"),
    ),
    Route(
        method="GET", path="/api/0/settings", handler=settings.list_settings, tag="settings",
        summary="Get all settings", answer=Answer(type=dict[str, AnyJson], description="key to value"),
    ),
    Route(
        method="POST", path="/api/0/settings", handler=settings.set_nothing, tag="settings",
        summary="Refuse a setting without a key", answer=None,
    ),
    Route(
        method="GET", path="/api/0/settings/{key}", handler=settings.get_setting, tag="settings",
        summary="Get a setting", answer=Answer(type=AnyJson, description="the value, null where it is not set"),
    ),
    Route(
        method="POST", path="/api/0/settings/{key}", handler=settings.set_setting, tag="settings",
        summary="Set a setting", body=Body(type=AnyJson, example=86400),
        answer=Answer(type=AnyJson, description="the value as stored", status=201),
    ),
    Route(
        method="DELETE", path="/api/0/settings/{key}", handler=settings.delete_setting, tag="settings",
        summary="Delete a setting, set or not", answer=_DONE,
    ),
    Route(
        method="GET", path="/pages/", handler=pages.list_pages, tag="pages",
        summary="List the pages of your own", answer=Answer(type=list[str], description="names, sorted"),
    ),
)  # fmt: skip

_description = Description(CALLS)
_browser = ApiBrowser(CALLS)
_HTML = Answer(type=str, description="the page", media="text/html")
_FILE = Answer(type=bytes, description="the file", media="*/*")
_OPENAPI = Answer(type=dict[str, Any], description="the OpenAPI document")

ROUTES: tuple[Route, ...] = (
    *CALLS,
    Route(
        method="GET", path="/api/openapi.json", handler=_description.get_openapi, tag="server",
        summary="Every call, described as OpenAPI 3.1", answer=_OPENAPI,
    ),
    Route(
        method="GET", path="/api/swagger.json", handler=_description.get_openapi, tag="server",
        summary="The same, where older clients look for it", answer=_OPENAPI,
    ),
    Route(
        method="GET", path="/api/", handler=_browser.get_browser, tag="pages",
        summary="The API browser", answer=_HTML,
    ),
    Route(
        method="GET", path="/api/static/{file*}", handler=pages.get_static, tag="pages",
        summary="The files of Dayline's own pages", answer=_FILE,
    ),
    Route(
        method="GET", path="/pages/{name}/{file*}", handler=pages.get_page_file, tag="pages",
        summary="A page of your own, and its files", answer=_FILE, errors=(NotFound,),
    ),
    Route(
        method="GET", path="/", handler=pages.get_home, tag="pages",
        summary="Dayline's own page, or the web UI in its place", answer=_HTML,
    ),
    Route(
        method="GET", path="/{file*}", handler=pages.get_web_file, tag="pages",
        summary="The files of the web UI in its place", answer=_FILE, errors=(NotFound,),
    ),
)  # fmt: skip
