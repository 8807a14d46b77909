"""The whole API, a line a call: what is served, checked and documented is read from this table alone.

`CALLS` is the interface for programs, which the OpenAPI document describes; `ROUTES` has the pages and files besides.
"""

from typing import Annotated, Any

from msgspec import Meta

from dayline.api import (
    audit,
    backups,
    buckets,
    envelopes,
    events,
    heartbeats,
    info,
    keys,
    pages,
    privacy,
    queries,
    sessions,
    settings,
    transfer,
)
from dayline.api.audit import AuditPage
from dayline.api.browser import ApiBrowser
from dayline.api.documents import (
    AnyJson,
    Export,
    Import,
    QueryAnswer,
    QueryCheck,
    QueryExplanation,
    StatedRedaction,
    StatedRules,
)
from dayline.api.events import Deletion
from dayline.api.info import Info
from dayline.api.keys import KeyRotation, KeyView, MadeKey, NewKey
from dayline.api.log_records import LogRecord
from dayline.api.openapi import Description
from dayline.api.queries import ProgramText, QueryLines, QueryRequest
from dayline.api.route import BUCKET_ID, Answer, Body, Parameter, Route
from dayline.api.sessions import OtherSessions, SessionView, SignIn, SignInCode
from dayline.care.backup_view import BackupList, BackupView
from dayline.model.bucket import BucketChange, BucketView, NewBucket
from dayline.model.errors import BucketExists, Conflict, Gone, NotFound, TooMany, Unauthorised, Unavailable
from dayline.model.event import EventBody, EventView, HeartbeatBody
from dayline.model.privacy import PrivacyRule
from dayline.model.redaction import RedactionPreview, RedactionRequest
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
_KEY = "dayline_k3f5a2bq_…"
_NEW_KEY = {"name": "laptop-watcher", "scope": "append", "buckets": ["aw-watcher-*_laptop"]}
_RULE = {"field": "title", "pattern": "(?i)payroll", "action": "redact", "replacement": "REDACTED"}
_REDACTION = {"rules": [_RULE], "buckets": [BUCKET_ID]}
_REDACTION_PATH = "/api/1/privacy/redactions/{redaction_id}"
_AUDIT = (
    Parameter(name="cursor", type=Annotated[int, Meta(ge=1)], description="only lines begun before this one"),
    Parameter(
        name="limit", type=Annotated[int, Meta(ge=1)], description="at most so many lines; 100 where it is left out"
    ),
    Parameter(name="key", type=str, description="only calls with the key of this id"),
    Parameter(name="bucket", type=str, description="only calls about this bucket"),
    Parameter(name="refused", type=bool, description="only what was refused"),
    Parameter(name="since", type=Timestamp, description="only lines that reach this time"),
)

CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/0/info", handler=info.get_info, tag="server", scope=None, is_for_extensions=True,
        summary="Tell what server this is", answer=Answer(type=Info, description="host, version, mode and device"),
    ),
    Route(
        method="GET", path="/api/0/log", handler=info.get_log, tag="server", scope="full", is_server_wide=True,
        summary="Read the latest log records", answer=Answer(type=list[LogRecord], description="newest first"),
    ),
    Route(
        method="GET", path="/api/0/buckets/", handler=buckets.list_buckets, tag="buckets", scope="read",
        summary="List all buckets", answer=Answer(type=dict[str, BucketView], description="bucket id to bucket"),
    ),
    Route(
        method="GET", path=_BUCKET, handler=buckets.get_bucket, tag="buckets", scope="read", is_for_extensions=True,
        summary="Get a bucket", answer=Answer(type=BucketView, description="the bucket"), errors=(NotFound,),
    ),
    Route(
        method="POST", path=_BUCKET, handler=buckets.create_bucket, tag="buckets", scope="append",
        summary="Create a bucket", body=Body(type=NewBucket, example=_NEW_BUCKET), answer=_DONE,
        errors=(BucketExists,),
    ),
    Route(
        method="PUT", path=_BUCKET, handler=buckets.update_bucket, tag="buckets", scope="full",
        summary="Change a bucket's fields", body=Body(type=BucketChange, example={"hostname": "desktop"}),
        answer=_DONE, errors=(NotFound,),
    ),
    Route(
        method="DELETE", path=_BUCKET, handler=buckets.delete_bucket, tag="buckets", scope="full", is_destructive=True,
        summary="Delete a bucket and its events", answer=_DONE, errors=(NotFound,),
    ),
    Route(
        method="GET", path=f"{_BUCKET}/events", handler=events.get_events, tag="events", scope="read",
        summary="Get events, newest first, clipped to the range", parameters=(_START, _END, _LIMIT),
        answer=Answer(type=list[EventView], description="the events"), errors=(NotFound,),
    ),
    Route(
        method="POST", path=f"{_BUCKET}/events", handler=events.insert_events, tag="events", scope="append",
        summary="Insert events, or replace those whose id is given",
        body=Body(type=list[EventBody] | EventBody, example=[_EVENT]),
        answer=Answer(type=list[EventView] | EventView, description="the events as stored, with their ids"),
        errors=(NotFound, Conflict),
    ),
    Route(
        method="GET", path=f"{_BUCKET}/events/count", handler=events.count_events, tag="events", scope="read",
        summary="Count events", parameters=(_START, _END),
        answer=Answer(type=Annotated[int, Meta(ge=0)], description="how many"), errors=(NotFound,),
    ),
    Route(
        method="GET", path=f"{_BUCKET}/events/{{event_id}}", handler=events.get_event, tag="events", scope="read",
        summary="Get an event, unclipped", answer=Answer(type=EventView, description="the event"), errors=(NotFound,),
    ),
    Route(
        method="DELETE", path=f"{_BUCKET}/events/{{event_id}}", handler=events.delete_event, tag="events",
        scope="full", is_destructive=True,
        summary="Delete an event", answer=Answer(type=Deletion, description="whether it existed"),
        errors=(NotFound,),
    ),
    Route(
        method="POST", path=f"{_BUCKET}/heartbeat", handler=heartbeats.send_heartbeat, tag="events", scope="append",
        summary="Extend the last event, or begin a new one", parameters=(_PULSETIME,),
        body=Body(type=HeartbeatBody, example=_EVENT),
        answer=Answer(type=EventView, description="the event as stored"), errors=(NotFound,),
    ),
    Route(
        method="POST", path="/api/0/query/", handler=queries.run_query, tag="queries", scope="read",
        summary="Run a query", parameters=(_NAME,), body=Body(type=QueryLines, example=_QUERY),
        answer=Answer(type=list[AnyJson], description="the results, one for each period"), errors=(QueryError,),
    ),
    Route(
        method="POST", path="/api/1/query", handler=queries.run_query_with_statistics, tag="queries", scope="read",
        summary="Run a query, and tell what it took", body=Body(type=QueryRequest, example={**_QUERY, "timeout_s": 10}),
        answer=Answer(type=QueryAnswer, description="the results, and what they took"), errors=(QueryError,),
    ),
    Route(
        method="POST", path="/api/1/query/check", handler=queries.check_query, tag="queries", scope="read",
        summary="Check a query without running it", body=Body(type=ProgramText, example={"query": _PROGRAM}),
        answer=Answer(type=QueryCheck, description="whether it can be run"),
    ),
    Route(
        method="POST", path="/api/1/query/explain", handler=queries.explain_query, tag="queries", scope="read",
        summary="Explain what a query does", body=Body(type=QueryRequest, example=_QUERY),
        answer=Answer(type=QueryExplanation, description="statement by statement"), errors=(QueryError,),
    ),
    Route(
        method="GET", path="/api/1/query/functions", handler=queries.list_functions, tag="queries", scope="read",
        summary="List the functions of the query language",
        answer=Answer(type=list[Signature], description="every function"),
    ),
    Route(
        method="GET", path=f"{_BUCKET}/export", handler=transfer.export_bucket, tag="transfer", scope="read",
        summary="Export a bucket", answer=Answer(type=Export, description="an export document"), errors=(NotFound,),
    ),
    Route(
        method="GET", path="/api/0/export", handler=transfer.export_all, tag="transfer", scope="read",
        summary="Export everything", answer=Answer(type=Export, description="an export document"),
    ),
    Route(
        method="POST", path="/api/0/import", handler=transfer.import_documents, tag="transfer",
        scope="full", is_server_wide=True, is_destructive=True,
        summary="Import an export document", body=Body(type=Import, example=_DOCUMENT, is_document=True),
        answer=Answer(type=ImportReport, description="what was imported"),
    ),
    Route(
        method="GET", path="/api/0/settings", handler=settings.list_settings, tag="settings",
        scope="read", is_server_wide=True,
        summary="Get all settings", answer=Answer(type=dict[str, AnyJson], description="key to value"),
    ),
    Route(
        method="POST", path="/api/0/settings", handler=settings.set_nothing, tag="settings",
        scope="full", is_server_wide=True,
        summary="Refuse a setting without a key", answer=None,
    ),
    Route(
        method="GET", path="/api/0/settings/{key}", handler=settings.get_setting, tag="settings",
        scope="read", is_server_wide=True,
        summary="Get a setting", answer=Answer(type=AnyJson, description="the value, null where it is not set"),
    ),
    Route(
        method="POST", path="/api/0/settings/{key}", handler=settings.set_setting, tag="settings",
        scope="full", is_server_wide=True, is_destructive=True,
        summary="Set a setting", body=Body(type=AnyJson, example=86400),
        answer=Answer(type=AnyJson, description="the value as stored", status=201),
    ),
    Route(
        method="DELETE", path="/api/0/settings/{key}", handler=settings.delete_setting, tag="settings",
        scope="full", is_server_wide=True, is_destructive=True,
        summary="Delete a setting, set or not", answer=_DONE,
    ),
    Route(
        method="GET", path="/api/1/session", handler=sessions.get_session, tag="access", scope=None,
        summary="Tell whether this browser is signed in", answer=Answer(type=SessionView, description="who it is"),
    ),
    Route(
        method="POST", path="/api/1/session", handler=sessions.begin_session, tag="access", scope=None,
        summary="Sign this browser in", body=Body(type=SignIn, example={"key": _KEY}),
        answer=Answer(type=SessionView, description="who it is now", status=201), errors=(Unauthorised, TooMany),
    ),
    Route(
        method="DELETE", path="/api/1/session", handler=sessions.end_session, tag="access", scope=None,
        summary="Sign this browser out", answer=_DONE,
    ),
    Route(
        method="POST", path="/api/1/session/codes", handler=sessions.create_sign_in_code, tag="access", scope="full",
        is_server_wide=True, summary="Make a one-time code that signs a browser in",
        answer=Answer(type=SignInCode, description="the code", status=201),
    ),
    Route(
        method="DELETE", path="/api/1/session/others", handler=sessions.end_other_sessions, tag="access", scope="full",
        is_server_wide=True, is_destructive=True, summary="Sign all other browsers out",
        answer=Answer(type=OtherSessions, description="how many there were"),
    ),
    Route(
        method="GET", path="/api/1/keys", handler=keys.list_keys, tag="access", scope="full", is_server_wide=True,
        summary="List the keys", answer=Answer(type=list[KeyView], description="every key, without its text"),
    ),
    Route(
        method="POST", path="/api/1/keys", handler=keys.create_key, tag="access", scope="full", is_server_wide=True,
        is_destructive=True, summary="Make a key", body=Body(type=NewKey, example=_NEW_KEY),
        answer=Answer(type=MadeKey, description="the key, told once", status=201),
    ),
    Route(
        method="DELETE", path="/api/1/keys/{key_id}", handler=keys.revoke_key, tag="access", scope="full",
        is_server_wide=True, is_destructive=True, summary="Revoke a key",
        answer=Answer(type=KeyView, description="the key as it is now"), errors=(NotFound,),
    ),
    Route(
        method="POST", path="/api/1/keys/{key_id}/rotate", handler=keys.rotate_key, tag="access", scope="full",
        is_server_wide=True, is_destructive=True, summary="Replace a key by a new one that may do the same",
        body=Body(type=KeyRotation, example={"grace_s": 3600}),
        answer=Answer(type=MadeKey, description="the new key, told once", status=201), errors=(NotFound,),
    ),
    Route(
        method="GET", path="/api/1/backups", handler=backups.list_backups, tag="care", scope="full",
        is_server_wide=True, summary="List the backups",
        answer=Answer(type=BackupList, description="the backups, the newest first"), errors=(Unavailable,),
    ),
    Route(
        method="POST", path="/api/1/backups", handler=backups.make_backup, tag="care", scope="full",
        is_server_wide=True, summary="Make a backup now and verify it",
        answer=Answer(type=BackupView, description="the backup", status=201), errors=(Unavailable,),
    ),
    Route(
        method="GET", path="/api/1/audit", handler=audit.get_audit, tag="access", scope="full", is_server_wide=True,
        summary="Read who has called", parameters=_AUDIT,
        answer=Answer(type=AuditPage, description="lines of the trail"),
    ),
    Route(
        method="POST", path="/api/1/envelope", handler=envelopes.send_enveloped, tag="access", scope=None,
        summary="Make a call that nobody else can read",
        body=Body(type=str, example="eyJhbGciOiJkaXIi…", media="application/jose"),
        answer=Answer(type=str, description="the answer, sealed with the same key", media="application/jose"),
        errors=(Unauthorised, TooMany),
    ),
    Route(
        method="GET", path="/api/1/privacy/rules", handler=privacy.get_privacy_rules, tag="privacy", scope="full",
        is_server_wide=True, summary="List the privacy rules",
        answer=Answer(type=StatedRules, description="every rule, in force or not"),
    ),
    Route(
        method="PUT", path="/api/1/privacy/rules", handler=privacy.set_privacy_rules, tag="privacy", scope="full",
        is_server_wide=True, is_destructive=True, summary="Replace Dayline's own privacy rules",
        body=Body(type=list[PrivacyRule], example=[_RULE]),
        answer=Answer(type=StatedRules, description="every rule as it is now"),
    ),
    Route(
        method="POST", path="/api/1/privacy/preview", handler=privacy.preview_redaction, tag="privacy", scope="full",
        is_server_wide=True, summary="Preview what rules would change in history",
        body=Body(type=RedactionRequest, example=_REDACTION),
        answer=Answer(type=RedactionPreview, description="how much, and samples"),
    ),
    Route(
        method="POST", path="/api/1/privacy/apply", handler=privacy.apply_redaction, tag="privacy", scope="full",
        is_server_wide=True, is_destructive=True, summary="Apply rules to history",
        body=Body(type=RedactionRequest, example=_REDACTION),
        answer=Answer(type=StatedRedaction, description="what was done, and the id that undoes it"),
    ),
    Route(
        method="GET", path="/api/1/privacy/redactions", handler=privacy.list_redactions, tag="privacy", scope="full",
        is_server_wide=True, summary="List the redactions", 
        answer=Answer(type=list[StatedRedaction], description="latest first"),
    ),
    Route(
        method="POST", path=f"{_REDACTION_PATH}/undo", handler=privacy.undo_redaction, tag="privacy", scope="full",
        is_server_wide=True, is_destructive=True, summary="Undo a redaction",
        answer=Answer(type=StatedRedaction, description="the redaction as it is now"),
        errors=(NotFound, Conflict, Gone),
    ),
    Route(
        method="POST", path=f"{_REDACTION_PATH}/final", handler=privacy.make_redaction_final, tag="privacy",
        scope="full", is_server_wide=True, is_destructive=True, summary="Make a redaction final",
        answer=Answer(type=StatedRedaction, description="the redaction as it is now"), errors=(NotFound, Conflict),
    ),
    Route(
        method="GET", path="/pages/", handler=pages.list_pages, tag="pages", scope=None,
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
        method="GET", path="/api/openapi.json", handler=_description.get_openapi, tag="server", scope=None,
        summary="Every call, described as OpenAPI 3.1", answer=_OPENAPI,
    ),
    Route(
        method="GET", path="/api/swagger.json", handler=_description.get_openapi, tag="server", scope=None,
        summary="The same, where older clients look for it", answer=_OPENAPI,
    ),
    Route(
        method="GET", path="/api/", handler=_browser.get_browser, tag="pages", scope=None,
        summary="The API browser", answer=_HTML,
    ),
    Route(
        method="GET", path="/api/static/{file*}", handler=pages.get_static, tag="pages", scope=None,
        summary="The files of Dayline's own pages", answer=_FILE,
    ),
    Route(
        method="GET", path="/pages/{name}/{file*}", handler=pages.get_page_file, tag="pages", scope=None,
        summary="A page of your own, and its files", answer=_FILE, errors=(NotFound,),
    ),
    Route(
        method="GET", path="/", handler=pages.get_home, tag="pages", scope=None,
        summary="Dayline's own page, or the web UI in its place", answer=_HTML,
    ),
    Route(
        method="GET", path="/{file*}", handler=pages.get_web_file, tag="pages", scope=None,
        summary="The files of the web UI in its place", answer=_FILE, errors=(NotFound,),
    ),
)  # fmt: skip
