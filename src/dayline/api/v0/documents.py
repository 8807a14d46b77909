"""Structs for the OpenAPI document, for JSON that the code reads and writes as text."""

from typing import Annotated, Any, Final

from msgspec import UNSET, Meta, Struct, UnsetType

from dayline.model.bucket import BucketFacts
from dayline.model.event import HeartbeatBody, Seconds
from dayline.model.privacy.redaction import State
from dayline.model.privacy.rules import PrivacyFilter, PrivacyRule
from dayline.model.time import Timestamp
from dayline.query.processes.messages import StatementReport, Statistics

# `items` for generators of clients, which reject an array without it.
_ANY: Final[dict[str, Any]] = {"type": ["object", "array", "string", "number", "boolean", "null"], "items": {}}
AnyJson = Annotated[Any, Meta(extra_json_schema=_ANY)]


class ExportedEvent(Struct, frozen=True, kw_only=True):
    """An event without its id, which is valid only on its own server."""

    timestamp: Timestamp
    duration: Seconds
    data: dict[str, Any]


class ExportedBucket(BucketFacts, frozen=True, kw_only=True):
    """A bucket with all its events, newest first."""

    events: list[ExportedEvent]


class Export(Struct, frozen=True, kw_only=True):
    """Buckets by id, each with its events."""

    buckets: dict[str, ExportedBucket]


class ImportedBucket(Struct, frozen=True, kw_only=True):
    """A bucket of any ActivityWatch server. Without an `id` it gets its key in the document."""

    type: str
    client: str
    hostname: str
    id: str | None = None
    created: Timestamp | None = None
    data: dict[str, Any] | None = None
    events: list[HeartbeatBody] | None = None


class Import(Struct, frozen=True, kw_only=True):
    """An export of this or another server. Other fields are ignored."""

    buckets: dict[str, ImportedBucket]


class QueryResponse(Struct, frozen=True, kw_only=True):
    """The result for each period, the statistics of the query, and what the program printed."""

    results: list[AnyJson]
    statistics: Statistics
    printed: list[str]


class QueryExplanation(Struct, frozen=True, kw_only=True):
    """What each statement did in each period, and the statistics of the query."""

    statements: list[StatementReport]
    statistics: Statistics


class QueryFault(Struct, frozen=True, kw_only=True):
    """An error in a program; `excerpt` is the line with a caret under the position."""

    type: str
    message: str
    expected: list[str]
    line: int | UnsetType = UNSET
    column: int | UnsetType = UNSET
    excerpt: str | UnsetType = UNSET
    hint: str | UnsetType = UNSET


class QueryCheck(Struct, frozen=True, kw_only=True):
    """Whether a program is valid, and its errors."""

    is_valid: bool
    errors: list[QueryFault]


class RuleView(PrivacyRule, frozen=True, kw_only=True):
    """One of Dayline's own rules, with all fields."""


class RulesView(Struct, frozen=True, kw_only=True):
    """All rules, in the order in which they apply: those of the setting `privacy_filters`, then Dayline's own."""

    filters: list[PrivacyFilter]
    rules: list[RuleView]


class RedactionView(Struct, frozen=True, kw_only=True):
    """A change of stored events by privacy rules. It can be undone until it is final."""

    id: Annotated[int, Meta(ge=1)]
    made: Timestamp
    state: State
    rules: RulesView
    buckets: list[str]
    changed_values: int
    changed_events: int
    dropped_events: int
    undo: Annotated[int, Meta(ge=1)] | None
