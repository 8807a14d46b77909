"""First stage of an import: runs the staging process, and compares the staged rows with the store."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, Protocol, cast

import msgspec
from msgspec import Struct

from dayline.model.bucket import Bucket, check_bucket_id
from dayline.model.data import kind_of
from dayline.model.errors import DaylineError, Invalid, Malformed
from dayline.model.time import Microseconds, check_range, parse_timestamp
from dayline.storage.background import ChildFailed, run_child
from dayline.storage.disk_faults import child_error, file_error
from dayline.storage.store import ImportSurvey, SurveyedBucket
from dayline.storage.transfer.export_document import Head
from dayline.transform.privacy import PrivacyRules

# Microseconds since 1970. Times near this origin take six bytes in a row instead of eight, which saves disk space.
STAGED_FROM: Final[Microseconds] = 1_767_225_600_000_000


class StagedBucket(Struct, frozen=True, kw_only=True):
    """A bucket of a document, with counts of its events."""

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
    """The contents of the documents. `events` counts valid ones, including repeated ones, without dropped ones."""

    buckets: list[StagedBucket]
    parts: list[StagedPart]
    values: int
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


class StagingResult(Struct, frozen=True, kw_only=True):
    """The result of the process: rows or a refusal."""

    staged: Staged | None = None
    refusal: StagingError | None = None


def to_error(refusal: StagingError) -> DaylineError:
    """The error for a refusal."""
    kind = Malformed if refusal.kind == "Malformed" else Invalid
    return kind(refusal.message, field=refusal.field)


def bucket_of(number: int, key: str, head: Head) -> StagedBucket:
    """Validate a bucket of a document. Raises Invalid."""
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


# Running the staging process.


_STOPPED: Final = "the import was stopped before it changed anything"


async def stage_documents(path: Path, documents: Sequence[Path], rules: PrivacyRules) -> Staged:
    """Read, check and sort the documents into a file of rows, in a child process. Raises Malformed or Invalid."""
    book = path.with_name("rules.json")
    try:
        book.write_bytes(msgspec.json.encode(rules.book))
        answer = await run_child("dayline.storage.transfer.staging_worker", path, book, *documents)
    except ChildFailed as error:
        raise child_error(_STOPPED, str(error), path.parent) from error
    except OSError as error:
        raise file_error(_STOPPED, error, path.parent) from error
    outcome = msgspec.json.decode(answer, type=StagingResult)
    if outcome.refusal is not None:
        raise to_error(outcome.refusal)
    if outcome.staged is None:
        raise AssertionError("staging returns rows or a refusal")
    return outcome.staged


# What an import would do to a bucket.


_ROWS_AT_ONCE: Final = 5000  # compared in one read


class StoredHead(Struct, frozen=True, kw_only=True):
    """The key of a stored bucket, and the fields that a document may contradict."""

    key: int
    type: str
    client: str
    hostname: str
    data: dict[str, Any]


class StoredRows(Protocol):
    """The store as an import will find it."""

    def find(self, bucket_id: str) -> StoredHead | None:
        """The bucket with this id, or else with this alias."""
        ...

    def known(self, bucket: int, rows: StagedRange) -> int:
        """How many of these rows the bucket already has."""
        ...


def survey(staged: Staged, store: StoredRows) -> ImportSurvey:
    """Compare staged rows with stored ones, a few thousand at a time; a bucket in several documents counts once."""
    runs: defaultdict[int, list[StagedRange]] = defaultdict(list)
    for run in staged.runs:
        runs[run.bucket].append(run)
    found: dict[str, SurveyedBucket] = {}
    for bucket in staged.buckets:
        surveyed = _surveyed(bucket, runs[bucket.number], store)
        before = found.get(bucket.id)
        found[bucket.id] = surveyed if before is None else _together(before, surveyed)
    return ImportSurvey(buckets=list(found.values()))


def _surveyed(bucket: StagedBucket, runs: Sequence[StagedRange], store: StoredRows) -> SurveyedBucket:
    stored = store.find(bucket.id)
    rows, known = sum(run.rows for run in runs), 0
    if stored is not None:
        known = sum(store.known(stored.key, some) for run in runs for some in run.slices(_ROWS_AT_ONCE))
    return SurveyedBucket(
        id=bucket.id,
        is_new=stored is None,
        new=rows - known,
        known=known
        + bucket.events
        - rows,  # an event that occurs twice in the document counts as known the second time
        invalid=bucket.invalid,
        dropped=bucket.dropped,
        conflicts=[] if stored is None else _conflicts(bucket, stored),
    )


def _conflicts(bucket: StagedBucket, stored: StoredHead) -> list[str]:
    """The fields whose value differs in the document. The stored values are kept."""
    names = ("type", "client", "hostname", "data")
    return [name for name in names if getattr(bucket, name) != getattr(stored, name)]


def _together(one: SurveyedBucket, other: SurveyedBucket) -> SurveyedBucket:
    return SurveyedBucket(
        id=one.id,
        is_new=one.is_new,
        new=one.new + other.new,
        known=one.known + other.known,
        invalid=one.invalid + other.invalid,
        dropped=one.dropped + other.dropped,
        conflicts=sorted({*one.conflicts, *other.conflicts}),
    )
