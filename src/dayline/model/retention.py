"""Retention: which buckets are thinned when they are old, and what that does."""

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta, Struct

from dayline.model.keys import BucketNames, check_bucket_names
from dayline.model.trash import UndoId

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


class BucketThinning(Struct, frozen=True, kw_only=True):
    """What thinning would make of a bucket. `bytes` is about what is given back once the trash has let go of it."""

    bucket: str
    days: int
    events: Annotated[int, Meta(description="events now")]
    after: Annotated[int, Meta(description="events after it")]
    bytes: int


class ThinnedBucket(Struct, frozen=True, kw_only=True):
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
