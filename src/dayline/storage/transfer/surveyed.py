"""What an import would do to a bucket, from what was staged and what was found of it."""

from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from dayline.storage.base import ImportSurvey, SurveyedBucket
from dayline.storage.transfer.staged import StagedBucket


class StoredHead(Struct, frozen=True, kw_only=True):
    """A bucket that is there already, as far as a document may have it otherwise."""

    type: str
    client: str
    hostname: str
    data: dict[str, Any]


def surveyed_bucket(bucket: StagedBucket, *, rows: int, known: int, stored: StoredHead | None) -> SurveyedBucket:
    """What would become of it. Of its staged rows so many are stored already."""
    return SurveyedBucket(
        id=bucket.id,
        is_new=stored is None,
        new=rows - known,
        known=known + bucket.events - rows,  # an event that the document has twice is there already the second time
        invalid=bucket.invalid,
        dropped=bucket.dropped,
        conflicts=[] if stored is None else _conflicts(bucket, stored),
    )


def survey_of(buckets: Iterable[SurveyedBucket]) -> ImportSurvey:
    """All of them; one that is in several documents once."""
    found: dict[str, SurveyedBucket] = {}
    for bucket in buckets:
        before = found.get(bucket.id)
        found[bucket.id] = bucket if before is None else _together(before, bucket)
    return ImportSurvey(buckets=list(found.values()))


def _conflicts(bucket: StagedBucket, stored: StoredHead) -> list[str]:
    """The fields that the document has otherwise. Those that are stored stay."""
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
