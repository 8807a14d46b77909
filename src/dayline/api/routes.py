"""The route tables: everything that is served, checked and documented.

`CALLS` is the API, which the OpenAPI document describes; `ROUTES` also has the pages and files.
"""

from typing import Any

from dayline.api import pages
from dayline.api.admin import (
    backups,
    compaction,
    envelope,
    findings,
    health,
    keys,
    recording,
    retention,
    session,
    sessions,
    space,
    sync,
    welcome,
)
from dayline.api.data import annotations, devices, imports, preferences, privacy, sync_files, trash
from dayline.api.data import buckets as moves
from dayline.api.data import events as event_edits
from dayline.api.http.openapi import Description
from dayline.api.http.route import Answer, Route
from dayline.api.insight import categories, goals, projects, reports, search, summary, timeline
from dayline.api.live import stream
from dayline.api.pages import ApiBrowser
from dayline.api.v0 import buckets, events, info, queries, settings, transfer
from dayline.model.errors import NotFound

# In the order of the document.
_RESOURCES = (
    info, welcome, recording, buckets, moves, events, event_edits, queries, search, summary, reports, transfer,
    annotations, goals, settings, preferences, session, sessions, keys, envelope, privacy, health, devices, backups,
    findings, trash, imports, sync, sync_files, space, retention, compaction, timeline, stream, categories, projects,
    pages,
)  # fmt: skip

CALLS: tuple[Route, ...] = tuple(route for resource in _RESOURCES for route in resource.CALLS)

_description = Description(CALLS)
_browser = ApiBrowser(CALLS)
_HTML = Answer(type=str, description="the page", media="text/html")
_FILE = Answer(type=bytes, description="the file", media="*/*")
_OPENAPI = Answer(type=dict[str, Any], description="the OpenAPI document")

ROUTES: tuple[Route, ...] = (
    *CALLS,
    Route(
        method="GET", path="/api/openapi.json", handler=_description.get_openapi, tag="server", scope=None,
        summary="The OpenAPI 3.1 document", answer=_OPENAPI,
    ),
    Route(
        method="GET", path="/api/swagger.json", handler=_description.get_openapi, tag="server", scope=None,
        summary="The same document, at the path of ActivityWatch", answer=_OPENAPI,
    ),
    Route(
        method="GET", path="/api/", handler=_browser.get_browser, tag="pages", scope=None,
        summary="The API browser", answer=_HTML,
    ),
    Route(
        method="GET", path="/api/static/{file*}", handler=pages.get_static, tag="pages", scope=None,
        summary="The files of Dayline's pages", answer=_FILE,
    ),
    Route(
        method="GET", path="/pages/{name}/{file*}", handler=pages.get_page_file, tag="pages", scope=None,
        summary="Your own page, and its files", answer=_FILE, errors=(NotFound,),
    ),
    Route(
        method="GET", path="/", handler=pages.get_home, tag="pages", scope=None,
        summary="The web UI", answer=_HTML,
    ),
    Route(
        method="GET", path="/favicon.ico", handler=pages.get_icon, tag="pages", scope=None,
        summary="The icon for browser tabs", answer=_FILE,
    ),
    Route(
        method="GET", path="/{file*}", handler=pages.get_web_file, tag="pages", scope=None,
        summary="The files of the web UI", answer=_FILE, errors=(NotFound,),
    ),
)  # fmt: skip
