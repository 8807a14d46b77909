"""What an import would do: compares staged rows with the stored ones."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Final, Protocol

from msgspec import Struct

from dayline.model.bucket import BUCKET_FIELDS
from dayline.storage.transfer.report import ImportSurvey, SurveyedBucket
from dayline.storage.transfer.staging import Staged, StagedBucket, StagedRange

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
    repeated = bucket.events - rows  # an event that occurs twice in the document counts as known the second time
    return SurveyedBucket(
        id=bucket.id,
        is_new=stored is None,
        new=rows - known,
        known=known + repeated,
        invalid=bucket.invalid,
        dropped=bucket.dropped,
        conflicts=[] if stored is None else _conflicts(bucket, stored),
    )


def _conflicts(bucket: StagedBucket, stored: StoredHead) -> list[str]:
    """The fields whose value differs in the document. The stored values are kept."""
    return [name for name in BUCKET_FIELDS if getattr(bucket, name) != getattr(stored, name)]


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
