"""What an import did, or would do."""

from collections.abc import Callable

from msgspec import UNSET, Struct, UnsetType

ImportProgress = Callable[[int, int, int], None]  # rows processed, rows in total, events stored


class ImportReport(Struct, frozen=True, kw_only=True):
    """Result of an import: buckets read, events stored, skipped as duplicates, and left out as invalid.

    `dropped` counts the events dropped by privacy rules; unset if there are none.
    """

    buckets: int
    imported: int
    skipped: int
    invalid: int
    dropped: int | UnsetType = UNSET


class SurveyedBucket(Struct, frozen=True, kw_only=True):
    """What an import would do to one bucket. `conflicts` lists the fields whose value differs in the document."""

    id: str
    is_new: bool
    new: int
    known: int
    invalid: int
    dropped: int
    conflicts: list[str]


class ImportSurvey(Struct, frozen=True, kw_only=True):
    """What an import would do: events that are new, already stored, invalid, or dropped by privacy rules."""

    buckets: list[SurveyedBucket]
