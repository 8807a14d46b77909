"""Buckets: named series of events from one source, and the requests that rename or merge them."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal
from urllib.parse import quote

from msgspec import UNSET, Meta, Struct, UnsetType

from dayline.model.errors import Invalid
from dayline.model.time import (
    Microseconds,
    Timestamp,
    check_range,
    format_timestamp,
    optional_timestamp,
    parse_timestamp,
)
from dayline.model.upkeep.undo import UndoId

LOCAL_HOST_MARK: Final = "!local"  # the computer that the server runs on
UNKNOWN_HOST: Final = "unknown"  # host of watchers that do not know where they run: they count for every device
# Types of buckets that count as active time.
WINDOW: Final = "currentwindow"
PHONE_APP: Final = "app"
TAB: Final = "web.tab.current"
FILE: Final = "app.editor.activity"
AWAY: Final = "afkstatus"
MAX_ID_CHARACTERS: Final = 512  # several times the longest id in use; an id is part of every URL

# A field in the data of every demo bucket, and of no other.
DEMO_MARK: Final = "dayline_demo"

# The fields that a client sets, beside the id, and that copies of a bucket have, too.
BUCKET_FIELDS: Final = ("type", "client", "hostname", "data")


class Bucket(Struct, frozen=True, kw_only=True):
    """A stored bucket. `start` and `end` span its events; None if it has none.

    `creator` is the browser extension (its origin) or the restricted key that created it, if any.
    """

    id: str
    type: str
    client: str
    hostname: str
    created: Microseconds
    data: dict[str, Any]
    start: Microseconds | None = None
    end: Microseconds | None = None
    creator: str | None = None


class NewBucket(Struct, frozen=True, kw_only=True):
    """A request to create a bucket. `id`, `name`, `events` and `metadata` in the body are ignored."""

    type: str
    client: str
    hostname: str
    created: Timestamp | None = None
    data: dict[str, Any] | None = None


class BucketChange(Struct, frozen=True, kw_only=True):
    """A request to update a bucket: only the fields to change."""

    type: str | UnsetType = UNSET
    client: str | UnsetType = UNSET
    hostname: str | UnsetType = UNSET
    data: dict[str, Any] | UnsetType = UNSET


class BucketRange(Struct, frozen=True, kw_only=True):
    """From the first event's start to the last event's end."""

    start: Timestamp | None
    end: Timestamp | None


class BucketFacts(Struct, frozen=True, kw_only=True):
    """A bucket in responses and exports: a superset of what both ActivityWatch servers send."""

    id: str
    type: str
    client: str
    hostname: str
    created: Timestamp
    data: dict[str, Any]
    metadata: BucketRange
    last_updated: Timestamp | None


class BucketView(BucketFacts, frozen=True, kw_only=True):
    """A bucket as clients see it. `last_updated` is the end of its newest event; events are in exports only."""

    events: Literal[None] = None


def check_bucket_id(bucket_id: str) -> None:
    """Raise Invalid for an invalid bucket id. Ids are otherwise opaque: blanks, slashes, any script."""
    if not bucket_id:
        raise Invalid("the bucket id is empty", field="id")
    if "\0" in bucket_id:
        raise Invalid("the bucket id contains a NUL character", field="id")
    if len(bucket_id) > MAX_ID_CHARACTERS:
        raise Invalid(f"the bucket id is longer than {MAX_ID_CHARACTERS} characters", field="id")


def created_bucket(
    bucket_id: str,
    new: NewBucket,
    *,
    now: Microseconds,
    hostname: str,
    device_id: str,
    creator: str | None = None,
) -> Bucket:
    """The bucket of a create request. `!local` means this computer, and records its device id."""
    check_bucket_id(bucket_id)
    created, data = now, dict(new.data or {})
    if new.created is not None:
        try:
            created = parse_timestamp(new.created)
        except ValueError as error:
            raise Invalid(f"created: {error}", field="created") from error
        check_range(created, field="created")
    if new.hostname == LOCAL_HOST_MARK:
        data["device_id"] = device_id
    else:
        hostname = new.hostname
    return Bucket(
        id=bucket_id,
        type=new.type,
        client=new.client,
        hostname=hostname,
        created=created,
        data=data,
        creator=creator,
    )


def view_of(bucket: Bucket) -> BucketView:
    """The bucket as clients see it."""
    start, end = optional_timestamp(bucket.start), optional_timestamp(bucket.end)
    return BucketView(
        id=bucket.id,
        type=bucket.type,
        client=bucket.client,
        hostname=bucket.hostname,
        created=format_timestamp(bucket.created),
        data=bucket.data,
        metadata=BucketRange(start=start, end=end),
        last_updated=end,
    )


class RenameRequest(Struct, frozen=True, kw_only=True):
    """The new id of a bucket. With `alias`, the old id becomes an alias, so that its watcher keeps working."""

    id: str
    alias: bool = True


class MergeRequest(Struct, frozen=True, kw_only=True):
    """The bucket to merge into. With `dry_run` nothing is changed; `force` also merges buckets of different types."""

    into: str
    dry_run: bool = False
    force: bool = False


class SetHostRequest(Struct, frozen=True, kw_only=True):
    """The new host name of a bucket.

    With `rename`, an id that ends with the old host name gets the new one; if a bucket with that id exists, `merge`
    merges into it. With `dry_run` nothing is changed.
    """

    hostname: str
    rename: bool = True
    merge: bool = False
    dry_run: bool = False


class Alias(Struct, frozen=True, kw_only=True):
    """Another id of a bucket."""

    id: str
    bucket: Annotated[str, Meta(description="the bucket's own id")]
    made: Timestamp


class Renamed(Struct, frozen=True, kw_only=True):
    """A bucket with its new id and its aliases."""

    id: str
    former_id: str
    aliases: list[str]
    undo: UndoId


class Merged(Struct, frozen=True, kw_only=True):
    """The result of merging a bucket into another, or with `dry_run` the preview.

    Of its `events`, `moved` are moved; `skipped` exist already, with the same time, duration and data. `overlapping`
    counts moved events that overlap existing ones.
    """

    bucket: Annotated[str, Meta(description="the merged bucket, which becomes an alias of the other")]
    into: str
    events: int
    moved: int
    skipped: int
    overlapping: int
    warnings: list[str]
    undo: UndoId | None


class HostChange(Struct, frozen=True, kw_only=True):
    """A bucket on its new host. `merged` is set if it was merged into a bucket with the new id."""

    id: str
    former_id: str
    hostname: str
    former_hostname: str
    aliases: list[str]
    merged: Merged | None
    undo: UndoId | None


class AliasRemoved(Struct, frozen=True, kw_only=True):
    """The undo number of a deleted alias."""

    undo: UndoId


def bucket_path(bucket_id: str) -> str:
    """The path of a bucket in the API; its id is encoded as one segment."""
    return f"/api/0/buckets/{quote(bucket_id, safe='')}"


def is_demo(data: Mapping[str, Any] | None) -> bool:
    """Whether a bucket with this data belongs to the demo."""
    return DEMO_MARK in (data or {})
