"""Buckets: named series of events from one source."""

from typing import Any, Final, Literal

import msgspec
from msgspec import UNSET, Struct, UnsetType

from dayline.model.errors import Invalid
from dayline.model.timestamps import Microseconds, Timestamp, check_range, format_timestamp, parse_timestamp
from dayline.model.wire import decode_body

LOCAL_HOST_MARK: Final = "!local"  # "the computer that the server runs on"
MAX_ID_CHARACTERS: Final = 512  # several times the longest id in use; an id is part of every URL


class Bucket(Struct, frozen=True, kw_only=True):
    """A bucket as the store keeps it. `start` and `end` span its events, None while it has none.

    `creator` is the browser extension (its origin) or the key with limits that made it, if one did.
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
    """What a client sends to create a bucket. An `id`, `name`, `events` or `metadata` in the body is ignored."""

    type: str
    client: str
    hostname: str
    created: Timestamp | None = None
    data: dict[str, Any] | None = None


class BucketChange(Struct, frozen=True, kw_only=True):
    """What a client sends to update a bucket: only the fields that it wants changed."""

    type: str | UnsetType = UNSET
    client: str | UnsetType = UNSET
    hostname: str | UnsetType = UNSET
    data: dict[str, Any] | UnsetType = UNSET


class BucketRange(Struct, frozen=True, kw_only=True):
    """From the first event's start to the last event's end."""

    start: Timestamp | None
    end: Timestamp | None


class BucketFacts(Struct, frozen=True, kw_only=True):
    """What clients are told of a bucket, alone or in an export: a superset of what both existing servers send."""

    id: str
    type: str
    client: str
    hostname: str
    created: Timestamp
    data: dict[str, Any]
    metadata: BucketRange
    last_updated: Timestamp | None


class BucketView(BucketFacts, frozen=True, kw_only=True):
    """A bucket as clients see it. `last_updated` is the end of its newest event; the events are in exports only."""

    events: Literal[None] = None


_new_bucket = msgspec.json.Decoder(NewBucket)
_change = msgspec.json.Decoder(BucketChange)


def decode_new_bucket(body: bytes) -> NewBucket:
    return decode_body(body, _new_bucket)


def decode_bucket_change(body: bytes) -> BucketChange:
    return decode_body(body, _change)


def check_bucket_id(bucket_id: str) -> None:
    """Raise Invalid for what no bucket may be called. Ids are opaque otherwise: blanks, slashes, any script."""
    if not bucket_id:
        raise Invalid("a bucket's id may not be empty", field="id")
    if "\0" in bucket_id:
        raise Invalid("a bucket's id may not contain a null character", field="id")
    if len(bucket_id) > MAX_ID_CHARACTERS:
        raise Invalid(f"a bucket's id may not be longer than {MAX_ID_CHARACTERS} characters", field="id")


def created_bucket(
    bucket_id: str,
    new: NewBucket,
    *,
    now: Microseconds,
    hostname: str,
    device_id: str,
    creator: str | None = None,
) -> Bucket:
    """The bucket that a create request makes. `!local` stands for this computer and notes its device id."""
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
    """The bucket in the form that goes over the wire."""
    start = None if bucket.start is None else format_timestamp(bucket.start)
    end = None if bucket.end is None else format_timestamp(bucket.end)
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
