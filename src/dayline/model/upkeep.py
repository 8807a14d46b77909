"""Retention, disk space, compaction and trash as the API shows them."""

from collections.abc import Sequence
from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct

from dayline.model.access import BucketNames, check_bucket_names
from dayline.model.time import Timestamp

Bytes = Annotated[int, Meta(ge=0, description="bytes")]


class BucketSpace(Struct, frozen=True, kw_only=True):
    """The room of one bucket: its events with their share of the indexes, and its distinct values."""

    id: str
    events: Annotated[int, Meta(description="how many events it has")]
    values: Annotated[int, Meta(description="how many distinct values its events have")]
    event_bytes: Bytes
    value_bytes: Bytes
    bytes: Annotated[int, Meta(description="both together")]


class YearSpace(Struct, frozen=True, kw_only=True):
    """The room of a year (UTC): of each bucket as much as the share of its events that began then."""

    year: int
    events: int
    bytes: Bytes


class FileParts(Struct, frozen=True, kw_only=True):
    """What the database is made of; together as large as `file`.

    `unused` are values that nobody has any more, and `free` pages that hold nothing: compaction gives both back.
    """

    events: Bytes
    values: Bytes
    trash: Annotated[int, Meta(description="deleted buckets, what acts keep of events, and values only they have")]
    redactions: Annotated[int, Meta(description="what undoing a redaction needs")]
    audit: Bytes
    unused: Bytes
    free: Bytes
    other: Annotated[int, Meta(description="keys, settings, months, the schema, and what the file itself needs")]


class FileSpace(Struct, frozen=True, kw_only=True):
    """The database. Where `is_exact` is false, as on PostgreSQL, the parts are estimated from rows."""

    is_exact: bool
    file: Annotated[int, Meta(description="bytes of the database with all that is committed")]
    parts: FileParts
    buckets: Annotated[list[BucketSpace], Meta(description="the largest first, without deleted ones")]
    years: list[YearSpace]


class Space(Struct, frozen=True, kw_only=True):
    """What takes room: the database, and the files beside it."""

    measured: Timestamp
    database: FileSpace
    segments: Annotated[int, Meta(description="bytes of the derived data beside the database, which can be made anew")]
    log: Annotated[int, Meta(description="bytes of the write-ahead log")]
    backups: Annotated[int, Meta(description="bytes of all files in the folder of backups")]
    total: Annotated[int, Meta(description="bytes of all these together")]


# Compaction: giving back to the system what nobody needs.


class Compacted(Struct, frozen=True, kw_only=True):
    """What compaction did."""

    values: Annotated[int, Meta(description="distinct values that nobody had any more, and that were removed")]
    before: Annotated[int, Meta(description="bytes of the database file before")]
    after: Annotated[int, Meta(description="bytes of the database file after")]
    seconds: float


class Compaction(Struct, frozen=True, kw_only=True):
    """How far compaction is: unused `values` are removed, then free `pages` given back, then the `log` emptied."""

    state: Literal["idle", "values", "pages", "log"] = "idle"
    done: int = 0
    of: Annotated[int, Meta(description="how many values or pages there are to do; 0 while that is not known")] = 0
    last: Annotated[Compacted | None, Meta(description="what the last one since the start of the server did")] = None


# What can be undone: acts that destroyed or changed something, kept in the trash for a while.


OperationKind: TypeAlias = Literal[
    "delete_bucket",
    "delete_buckets",
    "delete_events",
    "replace_events",
    "split_event",
    "insert_events",
    "update_bucket",
    "rename_bucket",
    "merge_buckets",
    "rehost_bucket",
    "remove_alias",
    "thin_bucket",
    "mend_events",
    "redaction",
]
OperationState: TypeAlias = Literal["doing", "done", "undoing", "undone"]

UndoId = Annotated[int, Meta(ge=1, description="what undoes it: POST /api/1/undo/{undo_id}", examples=[1])]


class TrashItem(Struct, frozen=True, kw_only=True):
    """An act that can be undone. `events` counts the events that it removed or changed."""

    id: UndoId
    kind: OperationKind
    bucket: Annotated[str, Meta(description="the bucket's id when it was done; empty where it was several")]
    other: Annotated[
        str, Meta(description="the id that it was renamed to or merged into, or the alias that was removed")
    ]
    events: int
    made: Timestamp
    until: Annotated[Timestamp, Meta(description="when the trash lets go of it")]
    state: OperationState


class Undone(Struct, frozen=True, kw_only=True):
    """What was undone. `merged` says that the bucket had been made again, and what was recorded there is kept."""

    id: UndoId
    kind: OperationKind
    bucket: str
    events: int
    merged: bool = False


class Emptied(Struct, frozen=True, kw_only=True):
    """How much the trash has let go of."""

    items: int


# Retention: which buckets are thinned when they are old, and what that does.


Days = Annotated[int, Meta(ge=1, le=100_000, description="days after which events are thinned", examples=[365])]
BucketPattern = Annotated[
    str,
    Meta(description="id of a bucket, in which `*` stands for any characters", examples=["aw-watcher-window_*"]),
]


class RetentionRule(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Buckets, and the age at which their events are thinned. Of several rules the first that fits a bucket counts."""

    bucket: BucketPattern
    days: Days


class RuleInForce(Struct, frozen=True, kw_only=True):
    """A rule, and the buckets that it is for: those that no rule before it fits."""

    bucket: BucketPattern
    days: Days
    buckets: list[str]


class RetentionView(Struct, frozen=True, kw_only=True):
    """The rules in order; none at all where nothing is thinned."""

    rules: list[RuleInForce]


class DownsamplingPreview(Struct, frozen=True, kw_only=True):
    """What thinning would make of a bucket. `bytes` is about what is given back once the trash has let go of it."""

    bucket: str
    days: int
    events: Annotated[int, Meta(description="events now")]
    after: Annotated[int, Meta(description="events after it")]
    bytes: int


class DownsampledBucket(Struct, frozen=True, kw_only=True):
    """A bucket that was thinned: how many events fewer it has, and what undoes it; null where nothing was done."""

    bucket: str
    days: int
    removed: int
    undo: UndoId | None


def check_rules(rules: Sequence[RetentionRule]) -> None:
    """Raise Invalid for names that no bucket can have."""
    check_bucket_names([rule.bucket for rule in rules])


def days_by_bucket(rules: Sequence[RetentionRule], buckets: Sequence[str]) -> dict[str, int]:
    """The age at which each bucket is thinned; those that no rule fits are left out."""
    return {
        bucket: rule.days
        for bucket in buckets
        if (rule := next((rule for rule in rules if bucket in BucketNames([rule.bucket])), None)) is not None
    }


def rules_in_force(rules: Sequence[RetentionRule], buckets: Sequence[str]) -> list[RuleInForce]:
    """Each rule with the buckets that it is for."""
    left = list(buckets)
    found: list[RuleInForce] = []
    for rule in rules:
        fitting = [bucket for bucket in left if bucket in BucketNames([rule.bucket])]
        left = [bucket for bucket in left if bucket not in fitting]
        found.append(RuleInForce(bucket=rule.bucket, days=rule.days, buckets=fitting))
    return found
