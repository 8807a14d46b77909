"""Forms of what goes over the wire, where the code reads and writes JSON text itself: they serve its description."""

from typing import Any

from msgspec import Struct

from dayline.model.bucket import BucketFacts
from dayline.model.event import HeartbeatBody, Seconds
from dayline.model.timestamps import Timestamp


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
