"""A route: everything needed to serve, check and document an endpoint."""

import inspect
from types import FunctionType, MethodType
from typing import Annotated, Any, Final, Literal, TypeAlias, cast

from msgspec import Meta, Struct

from dayline.api.http.call import Handler
from dayline.model.access import KeyId, Scope, SessionId
from dayline.model.bucket import MAX_ID_CHARACTERS
from dayline.model.errors import DaylineError
from dayline.model.event import EventId
from dayline.model.settings.reports import ReportName

Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
Tag = Literal[
    "server", "buckets", "events", "queries", "summaries", "categories", "annotations", "goals", "reports", "projects",
    "transfer", "settings", "keys", "sessions", "privacy", "undo", "space", "sync", "sync sources",
    "sync files", "maintenance", "pages",
]  # fmt: skip

TAGS: Final[dict[Tag, str]] = {
    "server": "Version, health of the process, time zone, logs.",
    "buckets": "A bucket is a named series of events from one source, such as one watcher on one device.",
    "events": "An event is something that was true for a while: an active window, a tab, being away.",
    "queries": "A query is a small program that reads buckets and processes their events, for each of several periods.",
    "summaries": "How time was spent: totals, series, timelines, the current activity, and search.",
    "categories": "Rules that assign time to categories, with versions, explanations and suggestions.",
    "annotations": "Notes, categories, entries and exclusions that you put on spans of time.",
    "goals": "Targets and limits for your time, and working hours.",
    "reports": "Timesheets, and saved reports.",
    "projects": "Projects with rules and rates.",
    "transfer": "Export all data as one JSON document, and import it.",
    "settings": "Any JSON value under a key. Clients store their settings here; the server reads `privacy_filters`. "
    "Dayline's own preferences are at `/api/1/settings`.",
    "keys": "Keys and their permissions, encrypted requests, and the audit log.",
    "sessions": "Browsers that are signed in.",
    "privacy": "Rules that drop or change events before they are stored, and redaction of stored events.",
    "undo": "The changes of the last 30 days, which can be undone.",
    "space": "Disk space: what uses it, compaction, and downsampling of old events.",
    "sync": "Several devices that have each other's buckets.",
    "sync sources": "Folders of ActivityWatch whose devices are mirrored.",
    "sync files": "The encrypted files of devices that sync through this server.",
    "maintenance": "Health, verified backups, problems in the data, devices and jobs.",
    "pages": "Your own folders, served as pages.",
}

# Who may call a route with its scope, each a part of the one before: also browser extensions, which may otherwise only
# append; every key; keys for all buckets; of those, the ones that do not belong to a tenant.
Audience: TypeAlias = Literal["extensions", "keys", "all buckets", "server"]

_OF_SERVER: Final = "On a database with several tenants, keys with a `tenant` cannot call this."
EVENT_STREAM: Final = "text/event-stream"
BUCKET_ID: Final = "aw-watcher-window_laptop"  # in examples

Nothing = Annotated[dict[str, Any], Meta(extra_json_schema={"additionalProperties": False})]

BUCKET = "/api/0/buckets/{bucket_id}"
NEW_BUCKET = {"client": "aw-watcher-window", "type": "currentwindow", "hostname": "laptop"}
EVENT = {"timestamp": "2026-02-03T08:15:31.250Z", "duration": 12.5, "data": {"app": "Editor", "title": "notes.md"}}


class Parameter(Struct, frozen=True, kw_only=True):
    """A parameter of the query string or the path, or a header. `type` is a Python type that msgspec can describe."""

    name: str
    type: Any
    description: str
    is_required: bool = False
    is_header: bool = False


class Answer(Struct, frozen=True, kw_only=True):
    """A 2xx response. `renderings` are media types in which it is also available as text.

    `example` is for a response whose type does not describe it; `inner` are the types of JSON inside its text.
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
    endpoint of its kind has; an endpoint without `answer` has only errors. `other_answer` is a response that a
    parameter selects. `is_tagged` marks a response with an ETag, which supports `If-None-Match`; `is_conditional` marks
    a change that supports `If-Match`. `needs_a_parameter` means that one of the optional parameters is required. The
    handler's docstring is the description.
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
    needs_a_parameter: bool = False

    @property
    def needs_all_buckets(self) -> bool:
        """Whether keys that are limited to some buckets are excluded."""
        return self.audience in ("all buckets", "server")

    @property
    def has_revision(self) -> bool:
        """Whether answers have the header `Revision`. A sync key must not learn when the server records."""
        return self.scope not in (None, "sync") and self.path.startswith("/api/1/")

    @property
    def name(self) -> str:
        """The handler's name, which is the `operationId` in the OpenAPI document."""
        return cast("FunctionType | MethodType", self.handler).__name__  # handlers are functions or methods

    @property
    def description(self) -> str:
        """The handler's docstring, and which keys are excluded; empty if the summary is enough."""
        text = inspect.getdoc(self.handler) or ""
        return f"{text}\n\n{_OF_SERVER}".strip() if self.audience == "server" else text


_AnyBucketId = Annotated[str, Meta(min_length=1, max_length=MAX_ID_CHARACTERS, examples=[BUCKET_ID])]
_Number = Annotated[int, Meta(ge=1, examples=[1])]
_BackupName = Annotated[str, Meta(min_length=1, examples=["dayline-20260131T093000Z.db.zst"])]
_JobId = Annotated[str, Meta(min_length=1, max_length=40, examples=["Zk3nAt5oRcW0b1Qm7yXeHg"])]
_SyncDevice = Annotated[str, Meta(pattern="^([a-z2-7]{8}|keys)$", examples=["k7f3q2ab"])]
_SyncFile = Annotated[str, Meta(pattern="^(head|[a-z2-7]{32}|[0-9]{1,9})$", examples=["head"])]
_SettingKey = Annotated[str, Meta(min_length=1, max_length=127, examples=["durationDefault"])]

# The fields of paths, by their name in the template.
PATH_FIELDS: Final[dict[str, Parameter]] = {
    name: Parameter(name=name, type=kind, description=description, is_required=True)
    for name, kind, description in (
        ("bucket_id", _AnyBucketId, "the bucket's id: any text, percent-encoded"),
        ("event_id", EventId, "the id of the event"),
        ("key_id", KeyId, "the id of the key: the second part of its text"),
        ("session_id", SessionId, "the id of the session"),
        ("redaction_id", _Number, "the id of the redaction"),
        ("undo_id", _Number, "the undo id, from the header `Undo-Id`, a field `undo`, or the trash"),
        (
            "group",
            Annotated[str, Meta(min_length=1, max_length=64)],
            "the `Undo-Group` that the changes were sent with",
        ),
        ("annotation_id", EventId, "the id of the annotation"),
        ("goal_id", _Number, "the id of the goal"),
        ("number", _Number, "the number of the change in the history"),
        ("version", _Number, "the number of the version"),
        ("backup", _BackupName, "the name of the backup"),
        ("job_id", _JobId, "the id of the job"),
        ("report", ReportName, "the name of a saved report: any text, percent-encoded"),
        ("device", _SyncDevice, "the device id, or `keys`"),
        ("file", _SyncFile, "the name of the file: `head`, or that of a pack"),
        ("alias", _AnyBucketId, "the alias: any text, percent-encoded"),
        ("key", _SettingKey, "the setting's key: any text up to 127 bytes, percent-encoded"),
    )
}

DONE = Answer(type=Nothing, description="committed")
