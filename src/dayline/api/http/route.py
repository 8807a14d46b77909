"""A route: everything needed to serve, check and document a call."""

import inspect
from types import FunctionType, MethodType
from typing import Annotated, Any, Final, Literal, cast

from msgspec import Meta, Struct

from dayline.api.http.call import Handler
from dayline.model.access import KeyId, Scope, SessionId
from dayline.model.bucket import MAX_ID_CHARACTERS
from dayline.model.errors import DaylineError
from dayline.model.event import EventId

Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
Tag = Literal[
    "server", "buckets", "events", "queries", "insight", "transfer", "settings", "access", "privacy", "care", "pages"
]

TAGS: Final[dict[Tag, str]] = {
    "server": "What this server is, and what it has to say.",
    "buckets": "A bucket is a named series of events from one source, such as one watcher on one device.",
    "events": "An event is something that was true for a while: a window in front, a tab, being away.",
    "queries": "A query is a small program that reads buckets and works on their events, run for each of some periods.",
    "insight": "What the time was spent on: totals, series, timelines, categories, search and reports.",
    "transfer": "Everything out of the server as one JSON document, and back in.",
    "settings": "Any JSON value under a key. Clients keep their own settings here; the server reads `privacy_filters`. "
    "Dayline's own preferences are at `/api/1/settings`.",
    "access": "Keys and what each may do, browsers that are signed in, the envelope, and who has called.",
    "privacy": "Rules that drop or change what arrives before it is stored, and what is stored already.",
    "care": "What looks after the data: backups, each verified by opening it, and the trash.",
    "pages": "Folders of your own that the server serves as pages.",
}


_OF_SERVER: Final = "Where several people share a database, it is closed to keys with a `tenant`."
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
    """A 2xx answer: its status and the type of its body. `renderings` are types in which it can be had as text.

    `example` is for an answer whose type does not tell what it looks like, `inner` are types of what stands in its
    texts.
    """

    type: Any
    description: str
    status: int = 200
    media: str = "application/json"
    renderings: tuple[str, ...] = ()
    example: str | None = None
    inner: tuple[Any, ...] = ()


class Body(Struct, frozen=True, kw_only=True):
    """A request's body. `example` is one that works; `is_document` marks a file, which may also come as a form."""

    type: Any
    example: Any
    media: str = "application/json"
    is_document: bool = False


class Route(Struct, frozen=True, kw_only=True):
    """One call. `{name}` in the path is one segment, decoded once; `{name*}` at the end takes the rest of the path.

    `scope` is what a key must have for it, None where no key is needed; `is_server_wide` marks what concerns no bucket
    in particular, and so is closed to keys that are bound to some. `is_for_extensions` marks what a browser extension
    may call besides what its scope, append, lets it do. `is_destructive` marks what is written to the audit trail by
    itself. `errors` lists the errors that this call has beyond those that any call of its kind can have, and without
    an `answer` it has nothing else. `other_answer` is what a parameter makes of the answer. `is_tagged` marks an answer
    with an ETag, which `If-None-Match` spares; `is_conditional` marks a change that `If-Match` makes depend on one.
    `is_of_file` marks what a database server does by means of its own; `is_of_server` what shows or changes the server
    rather than a person's data, and so is closed to keys of a tenant by name. The handler's docstring says what
    `summary` cannot.
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
    is_server_wide: bool = False
    is_for_extensions: bool = False
    is_destructive: bool = False
    is_tagged: bool = False
    is_conditional: bool = False
    is_of_file: bool = False
    is_of_server: bool = False

    @property
    def name(self) -> str:
        """The handler's name, which is the call's name in the OpenAPI document."""
        return cast("FunctionType | MethodType", self.handler).__name__  # handlers are functions or methods

    @property
    def description(self) -> str:
        """The handler's docstring, and who may not call it; empty where the summary says it all."""
        said = inspect.getdoc(self.handler) or ""
        return f"{said}\n\n{_OF_SERVER}".strip() if self.is_of_server else said


# The fields that paths have, by their name in the template.
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
            description="the event's id, as the server gave it",
            is_required=True,
        ),
        Parameter(name="key_id", type=KeyId, description="the key's id, as it stands in its text", is_required=True),
        Parameter(
            name="session_id", type=SessionId, description="the session's id, as the list has it", is_required=True
        ),
        Parameter(
            name="redaction_id",
            type=Annotated[int, Meta(ge=1, examples=[1])],
            description="the redaction's id, as apply has told it",
            is_required=True,
        ),
        Parameter(
            name="undo_id",
            type=Annotated[int, Meta(ge=1, examples=[1])],
            description="what undoes it, as the header `Undo-Id` or the trash has told",
            is_required=True,
        ),
        Parameter(
            name="annotation_id",
            type=EventId,
            description="the annotation's id, as the server gave it",
            is_required=True,
        ),
        Parameter(
            name="goal_id",
            type=Annotated[int, Meta(ge=1, examples=[1])],
            description="the goal's id, as the server gave it",
            is_required=True,
        ),
        Parameter(
            name="number",
            type=Annotated[int, Meta(ge=1, examples=[1])],
            description="the number of the change, as the history tells it",
            is_required=True,
        ),
        Parameter(
            name="version",
            type=Annotated[int, Meta(ge=1, examples=[1])],
            description="the number of the version, as the list of versions tells it",
            is_required=True,
        ),
        Parameter(
            name="backup",
            type=Annotated[str, Meta(min_length=1, examples=["dayline-20260131T093000Z.db.zst"])],
            description="the backup's name, as the list has it",
            is_required=True,
        ),
        Parameter(
            name="job_id",
            type=Annotated[str, Meta(min_length=1, max_length=40, examples=["Zk3nAt5oRcW0b1Qm7yXeHg"])],
            description="the job's id, as its start has told it",
            is_required=True,
        ),
        Parameter(
            name="report",
            type=Annotated[str, Meta(min_length=1, max_length=100, examples=["Invoice"])],
            description="the name of a kept report: any text, percent-encoded",
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


# What several tables of calls have in common: parameters, answers and examples.


Nothing = Annotated[dict[str, Any], Meta(extra_json_schema={"additionalProperties": False})]
DONE = Answer(type=Nothing, description="done, and committed")
BUCKET = "/api/0/buckets/{bucket_id}"
NEW_BUCKET = {"client": "aw-watcher-window", "type": "currentwindow", "hostname": "laptop"}
EVENT = {"timestamp": "2026-02-03T08:15:31.250Z", "duration": 12.5, "data": {"app": "Editor", "title": "notes.md"}}
