"""Forms of what goes over the wire, where the code reads and writes JSON text itself: they serve its description."""

from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType

from dayline.model.bucket import BucketFacts
from dayline.model.event import HeartbeatBody, Seconds
from dayline.model.privacy import PrivacyFilter, PrivacyRule, State
from dayline.model.time import Timestamp
from dayline.query.processes.job import StatementReport, Statistics

AnyJson = Annotated[Any, Meta(extra_json_schema={"type": ["object", "array", "string", "number", "boolean", "null"]})]


class ExportedEvent(Struct, frozen=True, kw_only=True):
    """An event without its id, which means nothing on another server."""

    timestamp: Timestamp
    duration: Seconds
    data: dict[str, Any]


class ExportedBucket(BucketFacts, frozen=True, kw_only=True):
    """A bucket with all its events, newest first."""

    events: list[ExportedEvent]


class Export(Struct, frozen=True, kw_only=True):
    """Buckets by their id, each with its events."""

    buckets: dict[str, ExportedBucket]


class ImportedBucket(Struct, frozen=True, kw_only=True):
    """A bucket of any server of this kind. Without an `id` it gets the name that it has in the document."""

    type: str
    client: str
    hostname: str
    id: str | None = None
    created: Timestamp | None = None
    data: dict[str, Any] | None = None
    events: list[HeartbeatBody] | None = None


class Import(Struct, frozen=True, kw_only=True):
    """What an export of this or of another server holds. Other fields are ignored."""

    buckets: dict[str, ImportedBucket]


class QueryAnswer(Struct, frozen=True, kw_only=True):
    """What a query gave for each period, what it took, and what the program printed."""

    results: list[AnyJson]
    statistics: Statistics
    printed: list[str]


class QueryExplanation(Struct, frozen=True, kw_only=True):
    """What each statement of a query did in each period, and what the query took as a whole."""

    statements: list[StatementReport]
    statistics: Statistics


class QueryFault(Struct, frozen=True, kw_only=True):
    """What is wrong with a program, and where; `excerpt` is the line with a caret under the place."""

    type: str
    message: str
    expected: list[str]
    line: int | UnsetType = UNSET
    column: int | UnsetType = UNSET
    excerpt: str | UnsetType = UNSET
    hint: str | UnsetType = UNSET


class QueryCheck(Struct, frozen=True, kw_only=True):
    """Whether a program can be run, and what stands against it."""

    is_valid: bool
    errors: list[QueryFault]


class StatedRule(PrivacyRule, frozen=True, kw_only=True):
    """A rule of Dayline's own as it is stored, every field said."""


class StatedRules(Struct, frozen=True, kw_only=True):
    """All rules, in the order in which they are applied: those of the setting `privacy_filters`, then Dayline's own."""

    filters: list[PrivacyFilter]
    rules: list[StatedRule]


class StatedRedaction(Struct, frozen=True, kw_only=True):
    """History changed by rules. It can be undone until it is final."""

    id: Annotated[int, Meta(ge=1)]
    made: Timestamp
    state: State
    rules: StatedRules
    buckets: list[str]
    changed_values: int
    changed_events: int
    dropped_events: int
    undo: Annotated[int, Meta(ge=1)] | None
