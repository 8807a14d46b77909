"""A route: everything needed to serve, check and document an endpoint."""

import inspect
import re
from collections.abc import Iterable
from types import FunctionType, MethodType
from typing import Annotated, Any, Final, Literal, TypeAlias, cast
from urllib.parse import unquote_to_bytes

import msgspec
from msgspec import Meta, Struct

from dayline.api.http.call import Handler
from dayline.model.access import KeyId, Scope, SessionId
from dayline.model.bucket import MAX_ID_CHARACTERS
from dayline.model.errors import DaylineError, Malformed, NotAllowed, PathNotFound
from dayline.model.event import EventId
from dayline.model.preferences import ReportName

Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
Tag = Literal[
    "server", "buckets", "events", "queries", "insight", "transfer", "settings", "access", "privacy", "maintenance",
    "pages",
]  # fmt: skip

TAGS: Final[dict[Tag, str]] = {
    "server": "Version, health of the process, time zone, logs.",
    "buckets": "A bucket is a named series of events from one source, such as one watcher on one device.",
    "events": "An event is something that was true for a while: an active window, a tab, being away.",
    "queries": "A query is a small program that reads buckets and processes their events, for each of several periods.",
    "insight": "How time was spent: totals, series, timelines, categories, search and reports.",
    "transfer": "Export all data as one JSON document, and import it.",
    "settings": "Any JSON value under a key. Clients store their settings here; the server reads `privacy_filters`. "
    "Dayline's own preferences are at `/api/1/settings`.",
    "access": "Keys and their permissions, signed-in browsers, encrypted calls, and the audit log.",
    "privacy": "Rules that drop or change events before they are stored, and redaction of stored events.",
    "maintenance": "Health, verified backups, findings, disk space, retention, jobs and the trash.",
    "pages": "Your own folders, served as pages.",
}

# Who may call a route with its scope, each a part of the one before: also browser extensions, which may otherwise only
# append; every key; keys for all buckets; of those, the ones that do not belong to a tenant.
Audience: TypeAlias = Literal["extensions", "keys", "all buckets", "server"]

_OF_SERVER: Final = "On a database with several tenants, keys with a `tenant` cannot call this."
EVENT_STREAM: Final = "text/event-stream"
BUCKET_ID: Final = "aw-watcher-window_laptop"  # in examples


class Parameter(Struct, frozen=True, kw_only=True):
    """A parameter of the query string or the path, or a header. `type` is a Python type that msgspec can describe."""

    name: str
    type: Any
    description: str
    is_required: bool = False
    is_header: bool = False


class Answer(Struct, frozen=True, kw_only=True):
    """A 2xx answer. `renderings` are media types in which it is also available as text.

    `example` is for an answer whose type does not describe it; `inner` are the types of JSON inside its text.
    """

    type: Any
    description: str
    status: int = 200
    media: str = "application/json"
    renderings: tuple[str, ...] = ()
    example: str | None = None
    inner: tuple[Any, ...] = ()


class Body(Struct, frozen=True, kw_only=True):
    """The body of a request. `example` is a valid one; `is_document` marks a file, which may also be sent as a form."""

    type: Any
    example: Any
    media: str = "application/json"
    is_document: bool = False


class Route(Struct, frozen=True, kw_only=True):
    """One endpoint. `{name}` in the path is one segment; `{name*}` at the end is the rest of the path.

    `scope` is the scope that a key needs, None if no key is needed. `engine` is the only one on which it is available.
    `is_destructive` gives each call its own line in the audit log. `errors` are those beyond the errors that every
    endpoint of its kind has; an endpoint without `answer` has only errors. `other_answer` is an answer that a parameter
    selects. `is_tagged` marks an answer with an ETag, which supports `If-None-Match`; `is_conditional` marks a change
    that supports `If-Match`. The handler's docstring is the description.
    """

    method: Method
    path: str
    handler: Handler
    summary: str
    tag: Tag
    scope: Scope | None
    answer: Answer | None
    other_answer: Answer | None = None
    parameters: tuple[Parameter, ...] = ()
    body: Body | None = None
    errors: tuple[type[DaylineError], ...] = ()
    audience: Audience = "keys"
    engine: Literal["any", "sqlite"] = "any"
    is_destructive: bool = False
    is_tagged: bool = False
    is_conditional: bool = False

    @property
    def needs_all_buckets(self) -> bool:
        """Whether keys that are limited to some buckets are excluded."""
        return self.audience in ("all buckets", "server")

    @property
    def name(self) -> str:
        """The handler's name, which is the `operationId` in the OpenAPI document."""
        return cast("FunctionType | MethodType", self.handler).__name__  # handlers are functions or methods

    @property
    def description(self) -> str:
        """The handler's docstring, and which keys are excluded; empty if the summary is enough."""
        text = inspect.getdoc(self.handler) or ""
        return f"{text}\n\n{_OF_SERVER}".strip() if self.audience == "server" else text


# The fields of paths, by their name in the template.
PATH_FIELDS: Final[dict[str, Parameter]] = {
    field.name: field
    for field in (
        Parameter(
            name="bucket_id",
            type=Annotated[str, Meta(min_length=1, max_length=MAX_ID_CHARACTERS, examples=[BUCKET_ID])],
            description="the bucket's id: any text, percent-encoded",
            is_required=True,
        ),
        Parameter(
            name="event_id",
            type=EventId,
            description="the id of the event",
            is_required=True,
        ),
        Parameter(
            name="key_id", type=KeyId, description="the id of the key: the second part of its text", is_required=True
        ),
        Parameter(name="session_id", type=SessionId, description="the id of the session", is_required=True),
        Parameter(
            name="redaction_id",
            type=Annotated[int, Meta(ge=1, examples=[1])],
            description="the id of the redaction",
            is_required=True,
        ),
        Parameter(
            name="undo_id",
            type=Annotated[int, Meta(ge=1, examples=[1])],
            description="the undo id, from the header `Undo-Id`, a field `undo`, or the trash",
            is_required=True,
        ),
        Parameter(
            name="annotation_id",
            type=EventId,
            description="the id of the annotation",
            is_required=True,
        ),
        Parameter(
            name="goal_id",
            type=Annotated[int, Meta(ge=1, examples=[1])],
            description="the id of the goal",
            is_required=True,
        ),
        Parameter(
            name="number",
            type=Annotated[int, Meta(ge=1, examples=[1])],
            description="the number of the change in the history",
            is_required=True,
        ),
        Parameter(
            name="version",
            type=Annotated[int, Meta(ge=1, examples=[1])],
            description="the number of the version",
            is_required=True,
        ),
        Parameter(
            name="backup",
            type=Annotated[str, Meta(min_length=1, examples=["dayline-20260131T093000Z.db.zst"])],
            description="the name of the backup",
            is_required=True,
        ),
        Parameter(
            name="job_id",
            type=Annotated[str, Meta(min_length=1, max_length=40, examples=["Zk3nAt5oRcW0b1Qm7yXeHg"])],
            description="the id of the job",
            is_required=True,
        ),
        Parameter(
            name="report",
            type=ReportName,
            description="the name of a saved report: any text, percent-encoded",
            is_required=True,
        ),
        Parameter(
            name="alias",
            type=Annotated[str, Meta(min_length=1, max_length=MAX_ID_CHARACTERS, examples=[BUCKET_ID])],
            description="the alias: any text, percent-encoded",
            is_required=True,
        ),
        Parameter(
            name="key",
            type=Annotated[str, Meta(min_length=1, max_length=127, examples=["durationDefault"])],
            description="the setting's key: any text up to 127 bytes, percent-encoded",
            is_required=True,
        ),
    )
}


# Parameters, answers and examples shared by several route tables.


Nothing = Annotated[dict[str, Any], Meta(extra_json_schema={"additionalProperties": False})]
DONE = Answer(type=Nothing, description="committed")
BUCKET = "/api/0/buckets/{bucket_id}"
NEW_BUCKET = {"client": "aw-watcher-window", "type": "currentwindow", "hostname": "laptop"}
EVENT = {"timestamp": "2026-02-03T08:15:31.250Z", "duration": 12.5, "data": {"app": "Editor", "title": "notes.md"}}


# Finds the route of a raw path. Each segment is decoded exactly once: Falcon decodes a path before it routes, so
# `/buckets/a%2Fevents` would return the events of bucket `a`.


_SLASHES = re.compile(r"/{2,}")
# Keys of special children; the slash keeps them apart from segments of a path.
_FIELD: Final = "/{}"
_REST: Final = "/{*}"


class _Node(Struct):
    """A node in the tree of paths: its children, and the routes at it.

    `is_rest` marks a wildcard for the rest of the path. Only its handler knows which paths exist, so another method is
    a 404, not a 405.
    """

    children: "dict[str, _Node]" = {}
    routes: dict[str, Route] = {}
    names: tuple[str, ...] = ()
    is_rest: bool = False

    def child(self, segment: str) -> "_Node":
        """The child for a segment of a template, which is added if it is missing."""
        is_rest = segment.endswith("*}")
        key = _REST if is_rest else _FIELD if segment.startswith("{") else segment
        return self.children.setdefault(key, _Node(is_rest=is_rest))

    def shares_a_path_with(self, other: "_Node") -> bool:
        """Whether the same segments may lead from both to a route."""
        if self.routes and other.routes:
            return True
        return any(
            left.shares_a_path_with(right)
            for key, left in self.children.items()
            for other_key, right in other.children.items()
            if key == other_key or _FIELD in (key, other_key)
        )


RouteMatch: TypeAlias = tuple[Route, dict[str, str]]


class Router:
    """The tree of all paths. A trailing slash and repeated slashes make no difference.

    A literal takes precedence over a field, unless only the field leads to a route. Raises ValueError for a literal
    that hides a value of a field.
    """

    def __init__(self, routes: Iterable[Route]) -> None:
        self._root = _Node()
        for route in routes:
            self._add(route)
        _check_literals(self._root)

    def find(self, method: str, raw_path: str) -> RouteMatch:
        """The route and its path fields. HEAD matches GET. Raises PathNotFound, NotAllowed or Malformed."""
        segments = [segment for segment in _SLASHES.sub("/", raw_path).strip("/").split("/") if segment]
        node, values = self._walk(self._root, segments, raw_path)
        route = node.routes.get("GET" if method == "HEAD" else method)
        if route is None and node.is_rest:
            raise PathNotFound(raw_path)
        if route is None:
            raise NotAllowed(method, raw_path, allowed=self._allowed_methods(node))
        return route, dict(zip(node.names, values, strict=True))

    def _walk(self, node: _Node, segments: list[str], raw_path: str) -> tuple[_Node, list[str]]:
        """The node of the path, and the values of its fields. Raises PathNotFound."""
        rest = node.children.get(_REST)
        if not segments:
            if not node.routes and rest is not None:
                return rest, [""]
            if not node.routes:
                raise PathNotFound(raw_path)
            return node, []
        literal, field = node.children.get(segments[0]), node.children.get(_FIELD)
        if literal is not None:
            try:
                return self._walk(literal, segments[1:], raw_path)
            except PathNotFound:
                if field is None:
                    raise
        if field is not None:
            value = decode_segment(segments[0])
            found, values = self._walk(field, segments[1:], raw_path)
            return found, [value, *values]
        if rest is None:
            raise PathNotFound(raw_path)
        return rest, ["/".join(_decode_name(segment, raw_path) for segment in segments)]

    def _add(self, route: Route) -> None:
        node, names = self._root, list[str]()
        for segment in filter(None, route.path.strip("/").split("/")):
            node = node.child(segment)
            names += [segment.strip("{}*")] if segment.startswith("{") else []
            if node.names not in ((), tuple(names)):
                raise ValueError(f"{route.path}: the fields are called {node.names} in other routes")
            node.names = tuple(names)
        node.routes[route.method] = route

    @staticmethod
    def _allowed_methods(node: _Node) -> list[str]:
        head = ["HEAD"] if "GET" in node.routes else []
        return sorted([*node.routes, *head, "OPTIONS"])


def _check_literals(node: _Node) -> None:
    """Raise ValueError if a literal hides a value that the field beside it may have."""
    field = node.children.get(_FIELD)
    for segment, child in node.children.items():
        is_literal = not segment.startswith("/")
        if is_literal and field is not None and _may_be(field.names[-1], segment) and child.shares_a_path_with(field):
            raise ValueError(f"the path segment {segment!r} hides this value of {field.names[-1]!r}")
        _check_literals(child)


def _may_be(field: str, text: str) -> bool:
    """Whether the field of a path may have this value."""
    try:
        msgspec.convert(text, PATH_FIELDS[field].type, strict=False)
    except msgspec.ValidationError:
        return False
    return True


def _decode_name(segment: str, raw_path: str) -> str:
    """Decode a segment of a wildcard. Raises PathNotFound for an encoded slash, which would act as a separator."""
    name = decode_segment(segment)
    if "/" in name:
        raise PathNotFound(raw_path)
    return name


def decode_segment(segment: str) -> str:
    """Percent-decode one segment of a path. Raises Malformed for broken UTF-8 and for null characters."""
    if "%" not in segment:
        return segment
    try:
        text = unquote_to_bytes(segment).decode()
    except UnicodeDecodeError as error:
        raise Malformed(f"the path segment {segment[:60]!r} is not valid UTF-8") from error
    if "\0" in text:
        raise Malformed(f"the path segment {segment[:60]!r} contains a null character")
    return text
