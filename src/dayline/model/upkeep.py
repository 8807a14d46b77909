"""Retention, disk space, compaction and trash as the API shows them."""

from collections.abc import Sequence
from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct

from dayline.model.access import BucketNames, check_bucket_names
from dayline.model.time import Timestamp

Bytes = Annotated[int, Meta(ge=0, description="bytes")]


class BucketSpace(Struct, frozen=True, kw_only=True):
    """Disk space of one bucket: its events with their share of the indexes, and its distinct values."""

    id: str
    events: Annotated[int, Meta(description="number of events")]
    values: Annotated[int, Meta(description="number of distinct values")]
    event_bytes: Bytes
    value_bytes: Bytes
    bytes: Annotated[int, Meta(description="total")]


class YearSpace(Struct, frozen=True, kw_only=True):
    """Disk space of a year (UTC): of each bucket, the share of its events that started then."""

    year: int
    events: int
    bytes: Bytes


class FileParts(Struct, frozen=True, kw_only=True):
    """The parts of the database, which add up to `file`.

    `unused` are values that nothing uses, and `free` are empty pages: compaction reclaims both.
    """

    events: Bytes
    values: Bytes
    trash: Annotated[int, Meta(description="deleted buckets, events in the undo log, and values used only by them")]
    redactions: Annotated[int, Meta(description="what undoing redactions requires")]
    audit: Bytes
    unused: Bytes
    free: Bytes
    other: Annotated[int, Meta(description="keys, settings, months, the schema, and overhead of the file")]


class FileSpace(Struct, frozen=True, kw_only=True):
    """The database. If `is_exact` is false, as on PostgreSQL, the parts are estimated from rows."""

    is_exact: bool
    file: Annotated[int, Meta(description="bytes of the database including everything committed")]
    parts: FileParts
    buckets: Annotated[list[BucketSpace], Meta(description="largest first, without deleted ones")]
    years: list[YearSpace]


class Space(Struct, frozen=True, kw_only=True):
    """Disk space used by the database and the files next to it."""

    measured: Timestamp
    database: FileSpace
    segments: Annotated[int, Meta(description="bytes of the derived data next to the database, which can be rebuilt")]
    log: Annotated[int, Meta(description="bytes of the write-ahead log")]
    backups: Annotated[int, Meta(description="bytes of all files in the backup folder")]
    total: Annotated[int, Meta(description="total bytes")]


# Compaction: reclaiming unused disk space.


class Compacted(Struct, frozen=True, kw_only=True):
    """Result of a compaction."""

    values: Annotated[int, Meta(description="unused distinct values that were deleted")]
    before: Annotated[int, Meta(description="bytes of the database file before")]
    after: Annotated[int, Meta(description="bytes of the database file after")]
    seconds: float


class Compaction(Struct, frozen=True, kw_only=True):
    """Progress of compaction: it deletes unused `values`, then frees empty `pages`, then empties the `log`."""

    state: Literal["idle", "values", "pages", "log"] = "idle"
    done: int = 0
    of: Annotated[int, Meta(description="number of values or pages in total; 0 if it is unknown")] = 0
    last: Annotated[Compacted | None, Meta(description="result of the last compaction since the server started")] = None


# Undo: operations that deleted or changed something, kept in the trash for a while.


_SharedKind: TypeAlias = Literal[
    "delete_bucket",
    "delete_buckets",
    "delete_events",
    "replace_events",
    "split_event",
    "insert_events",
    "update_bucket",
    "rename_bucket",
    "merge_buckets",
    "remove_alias",
    "redaction",
]
# As stored.
OperationKind: TypeAlias = Literal[_SharedKind, "change_host", "downsample_bucket", "fix_events", "import_events"]
TrashKind: TypeAlias = Literal[_SharedKind, "rehost_bucket", "thin_bucket", "mend_events"]  # as in the API
OperationState: TypeAlias = Literal["doing", "done", "undoing", "undone"]

UndoId = Annotated[int, Meta(ge=1, description="undo it with POST /api/1/undo/{undo_id}", examples=[1])]


def trash_kind(kind: OperationKind) -> TrashKind:
    """The kind of an operation as the API names it."""
    match kind:
        case "change_host":
            return "rehost_bucket"
        case "downsample_bucket":
            return "thin_bucket"
        case "fix_events":
            return "mend_events"
        case "import_events":
            raise AssertionError("an import is not listed")
        case _:
            return kind


class OperationProgress(Struct, frozen=True, kw_only=True):
    """What an unfinished operation is doing. `of` is null if the total is unknown."""

    text: Annotated[str, Meta(description="a sentence without a period")]
    done: Annotated[int, Meta(description="events so far")]
    of: Annotated[int | None, Meta(description="events in total")]


class TrashItem(Struct, frozen=True, kw_only=True):
    """An operation that can be undone. `events` counts the events that it deleted or changed."""

    id: UndoId
    kind: TrashKind
    bucket: Annotated[str, Meta(description="the bucket's id at that time; empty for several buckets")]
    other: Annotated[
        str, Meta(description="the id that it was renamed to or merged into, or the alias that was deleted")
    ]
    events: int
    made: Timestamp
    until: Annotated[Timestamp, Meta(description="when it expires")]
    state: OperationState
    progress: Annotated[OperationProgress | None, Meta(description="null if it is finished")] = None


class Undone(Struct, frozen=True, kw_only=True):
    """What was undone. `merged`: the bucket had been created again, and its new events were kept."""

    id: UndoId
    kind: TrashKind
    bucket: str
    events: int
    merged: bool = False


class Emptied(Struct, frozen=True, kw_only=True):
    """The number of deleted undo entries."""

    items: int


# Retention: which buckets are downsampled at which age.


Days = Annotated[int, Meta(ge=1, le=100_000, description="days after which events are downsampled", examples=[365])]
BucketPattern = Annotated[
    str,
    Meta(description="bucket id, in which `*` matches any characters", examples=["aw-watcher-window_*"]),
]


class RetentionRule(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Buckets and the age at which their events are downsampled. The first rule that matches a bucket applies."""

    bucket: BucketPattern
    days: Days


class RuleInForce(Struct, frozen=True, kw_only=True):
    """A rule and the buckets it applies to: those that no earlier rule matches."""

    bucket: BucketPattern
    days: Days
    buckets: list[str]


class RetentionView(Struct, frozen=True, kw_only=True):
    """The rules in order; empty if nothing is downsampled."""

    rules: list[RuleInForce]


class DownsamplingPreview(Struct, frozen=True, kw_only=True):
    """What downsampling would do to a bucket. `bytes` is about what is freed once the undo entry has expired."""

    bucket: str
    days: int
    events: Annotated[int, Meta(description="events now")]
    after: Annotated[int, Meta(description="events afterwards")]
    bytes: int


class DownsampledBucket(Struct, frozen=True, kw_only=True):
    """A downsampled bucket: how many fewer events it has, and its undo number; null if nothing changed."""

    bucket: str
    days: int
    removed: int
    undo: UndoId | None


def check_rules(rules: Sequence[RetentionRule]) -> None:
    """Raise Invalid for names that no bucket can have."""
    check_bucket_names([rule.bucket for rule in rules])


def days_by_bucket(rules: Sequence[RetentionRule], buckets: Sequence[str]) -> dict[str, int]:
    """The age at which each bucket is downsampled; buckets without a rule are left out."""
    return {
        bucket: rule.days
        for bucket in buckets
        if (rule := next((rule for rule in rules if bucket in BucketNames([rule.bucket])), None)) is not None
    }


def rules_in_force(rules: Sequence[RetentionRule], buckets: Sequence[str]) -> list[RuleInForce]:
    """Each rule with the buckets it applies to."""
    left = list(buckets)
    found: list[RuleInForce] = []
    for rule in rules:
        fitting = [bucket for bucket in left if bucket in BucketNames([rule.bucket])]
        left = [bucket for bucket in left if bucket not in fitting]
        found.append(RuleInForce(bucket=rule.bucket, days=rule.days, buckets=fitting))
    return found
