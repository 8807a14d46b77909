"""Staged documents: what the first stage of an import makes of them. The staging process and the server share this."""

from collections.abc import Iterator
from typing import Any, Final, cast

from msgspec import Struct

from dayline.model.bucket import Bucket, check_bucket_id
from dayline.model.data import UNLIMITED, kind_of
from dayline.model.errors import DaylineError, Invalid, Malformed
from dayline.model.privacy.rules import RuleBook
from dayline.model.time import Microseconds, check_range, parse_timestamp
from dayline.storage.transfer.export_document import Head

# Microseconds since 1970. Times near this origin take six bytes in a row instead of eight, which saves disk space.
STAGED_FROM: Final[Microseconds] = 1_767_225_600_000_000


# The recording process holds the buckets of an import, and their months, in memory.
MAX_BUCKETS: Final = 10_000
MAX_PARTS: Final = 200_000  # months with events, over all buckets
MAX_HEADS_BYTES: Final = 16 << 20  # of all buckets without their events


class StagingRules(Struct, frozen=True, kw_only=True):
    """Privacy rules for imports, and the aliases by which a rule for a bucket's own id applies to a former id.

    Events whose data is larger than the maximum are invalid.
    """

    book: RuleBook = RuleBook()
    aliases: dict[str, str] = {}
    max_data_bytes: int = UNLIMITED


class StagedBucket(Struct, frozen=True, kw_only=True):
    """A bucket of a document, with counts of its events. `own_id` is the id whose privacy rules were applied, too."""

    number: int
    id: str
    own_id: str
    type: str
    client: str
    hostname: str
    created: Microseconds | None
    data: dict[str, Any]
    events: int = 0
    invalid: int = 0
    dropped: int = 0


class StagedRange(Struct, frozen=True, kw_only=True):
    """Rows of one bucket: a range of row numbers."""

    bucket: int
    first: int
    last: int

    @property
    def rows(self) -> int:
        return self.last - self.first + 1

    def slices(self, rows: int) -> "Iterator[StagedRange]":
        """The range in parts of up to this many rows."""
        for first in range(self.first, self.last + 1, rows):
            yield StagedRange(bucket=self.bucket, first=first, last=min(first + rows - 1, self.last))


class StagedPart(StagedRange, frozen=True, kw_only=True):
    """The rows of one bucket and month."""

    month: int


class Staged(Struct, frozen=True, kw_only=True):
    """The contents of the documents. `events` counts valid ones, including repeated ones, without dropped ones.

    `is_in_order`: values are numbered in the order of the rows that use them first.
    """

    buckets: list[StagedBucket]
    parts: list[StagedPart]
    values: int
    is_in_order: bool
    events: int
    invalid: int
    dropped: int = 0

    @property
    def rows(self) -> int:
        return sum(part.rows for part in self.parts)

    @property
    def runs(self) -> list[StagedRange]:
        """The rows per bucket in any months, in order of their numbers."""
        runs: list[StagedRange] = []
        for part in self.parts:
            if runs and (runs[-1].bucket, runs[-1].last + 1) == (part.bucket, part.first):
                runs[-1] = StagedRange(bucket=part.bucket, first=runs[-1].first, last=part.last)
            else:
                runs.append(StagedRange(bucket=part.bucket, first=part.first, last=part.last))
        return runs


class StagingError(Struct, frozen=True, kw_only=True):
    """Why the documents cannot be used."""

    kind: str
    message: str
    field: str | None
    hint: str | None = None


class StagingResult(Struct, frozen=True, kw_only=True):
    """The result of the process: rows or a refusal."""

    staged: Staged | None = None
    refusal: StagingError | None = None


def error_of(refusal: StagingError) -> DaylineError:
    """The error for a refusal."""
    kind = Malformed if refusal.kind == "Malformed" else Invalid
    return kind(refusal.message, field=refusal.field, hint=refusal.hint)


def bucket_of(key: str, head: Head) -> StagedBucket:
    """Validate a bucket of a document, which has no number yet. Raises Invalid."""
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
        number=0,
        id=bucket_id,
        own_id=bucket_id,
        type=head["type"],
        client=head["client"],
        hostname=head["hostname"],
        created=_created(key, head.get("created")),
        data=cast("dict[str, Any]", data),
    )


def new_bucket(staged: StagedBucket, now: Microseconds) -> Bucket:
    """The bucket to create if it is missing."""
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
