"""What the two halves of an import tell each other: the buckets and rows of the staged file, or a refusal."""

from typing import Any, Final, cast

from msgspec import Struct

from dayline.model.bucket import Bucket, check_bucket_id
from dayline.model.data import kind_of
from dayline.model.errors import DaylineError, Invalid, Malformed
from dayline.model.timestamps import Microseconds, check_range, parse_timestamp
from dayline.storage.transfer.export_document import Head

# Microseconds since 1970. Times of the years around it take six bytes in a row, not eight: a full disk is near enough.
STAGED_FROM: Final[Microseconds] = 1_767_225_600_000_000


class StagedBucket(Struct, frozen=True, kw_only=True):
    """A bucket as a document describes it, ready to be created where it is missing; and what became of its events."""

    number: int
    id: str
    type: str
    client: str
    hostname: str
    created: Microseconds | None
    data: dict[str, Any]
    events: int = 0
    invalid: int = 0
    dropped: int = 0


class StagedPart(Struct, frozen=True, kw_only=True):
    """The rows of one bucket and month: a run of row numbers."""

    bucket: int
    month: int
    first: int
    last: int


class Staged(Struct, frozen=True, kw_only=True):
    """What the documents hold. `events` counts the usable ones, repeated ones included, but not those dropped."""

    buckets: list[StagedBucket]
    parts: list[StagedPart]
    values: int
    events: int
    invalid: int
    dropped: int = 0


class Refusal(Struct, frozen=True, kw_only=True):
    """Why the documents cannot be used."""

    kind: str
    message: str
    field: str | None


class Outcome(Struct, frozen=True, kw_only=True):
    """What the process answers: one of the two."""

    staged: Staged | None = None
    refusal: Refusal | None = None


def refuse(refusal: Refusal) -> DaylineError:
    """The error that a refusal stands for."""
    kind = Malformed if refusal.kind == "Malformed" else Invalid
    return kind(refusal.message, field=refusal.field)


def bucket_of(number: int, key: str, head: Head) -> StagedBucket:
    """A bucket of a document, checked. Raises Invalid."""
    place = f"buckets.{key}"
    for name in ("type", "client", "hostname"):
        if not isinstance(head.get(name), str):
            raise Invalid(f"bucket {key!r}: {name} must be a string", field=f"{place}.{name}")
    bucket_id = head.get("id")
    if bucket_id is None or bucket_id == "":
        bucket_id = key
    if not isinstance(bucket_id, str):
        raise Invalid(f"bucket {key!r}: id must be a string", field=f"{place}.id")
    check_bucket_id(bucket_id)
    data = head.get("data")
    if data is None:
        data = {}
    if not isinstance(data, dict):
        raise Invalid(f"bucket {key!r}: data must be an object, not {kind_of(data)}", field=f"{place}.data")
    return StagedBucket(
        number=number,
        id=bucket_id,
        type=head["type"],
        client=head["client"],
        hostname=head["hostname"],
        created=_created(key, head.get("created")),
        data=cast("dict[str, Any]", data),
    )


def new_bucket(staged: StagedBucket, now: Microseconds) -> Bucket:
    """The bucket to be created where it is missing."""
    return Bucket(
        id=staged.id,
        type=staged.type,
        client=staged.client,
        hostname=staged.hostname,
        created=now if staged.created is None else staged.created,
        data=staged.data,
    )


def _created(key: str, text: object) -> Microseconds | None:
    if text is None:
        return None
    try:
        created = parse_timestamp(str(text))
    except ValueError as error:
        raise Invalid(f"bucket {key!r}: created: {error}", field=f"buckets.{key}.created") from error
    check_range(created, field=f"buckets.{key}.created")
    return created
