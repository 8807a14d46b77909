"""Retention: which buckets are downsampled at which age."""

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta, Struct

from dayline.model.access import BucketNames, check_bucket_names
from dayline.model.upkeep.undo import UndoId

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
    in_force: list[RuleInForce] = []
    for rule in rules:
        fitting = [bucket for bucket in left if bucket in BucketNames([rule.bucket])]
        left = [bucket for bucket in left if bucket not in fitting]
        in_force.append(RuleInForce(bucket=rule.bucket, days=rule.days, buckets=fitting))
    return in_force
