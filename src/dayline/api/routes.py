"""The whole API: what is served, checked and documented is read from these tables alone, a line a call.

`CALLS` is the interface for programs, which the OpenAPI document describes; `ROUTES` has the pages and files besides.
"""

from typing import Any

from dayline.api import pages
from dayline.api.browser import ApiBrowser
from dayline.api.openapi import Description
from dayline.api.route import Answer, Route
from dayline.api.tables import (
    access,
    annotations,
    buckets,
    care,
    categories,
    event_edits,
    events,
    first_run,
    goals,
    jobs,
    moves,
    preferences,
    privacy,
    queries,
    reports,
    search,
    server,
    settings,
    space,
    stream,
    summary,
    timeline,
    transfer,
    trash,
)
from dayline.api.tables import pages as own_pages
from dayline.model.errors import NotFound

CALLS: tuple[Route, ...] = (
    *server.CALLS,
    *first_run.CALLS,
    *buckets.CALLS,
    *moves.CALLS,
    *events.CALLS,
    *event_edits.CALLS,
    *queries.CALLS,
    *search.CALLS,
    *summary.CALLS,
    *reports.CALLS,
    *transfer.CALLS,
    *annotations.CALLS,
    *goals.CALLS,
    *settings.CALLS,
    *preferences.CALLS,
    *access.CALLS,
    *privacy.CALLS,
    *care.CALLS,
    *trash.CALLS,
    *jobs.CALLS,
    *space.CALLS,
    *timeline.CALLS,
    *stream.CALLS,
    *categories.CALLS,
    *own_pages.CALLS,
)

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
