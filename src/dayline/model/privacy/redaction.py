"""Redactions: privacy rules applied to stored events."""

from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Meta, Struct

from dayline.model.privacy.rules import Action, PrivacyRule, RuleBook
from dayline.model.time import Timestamp

State: TypeAlias = Literal["applying", "applied", "undoing", "undone", "final"]


class RedactionRequest(Struct, frozen=True, kw_only=True):
    """Which rules to apply to which part of history."""

    rules: Annotated[list[PrivacyRule] | None, Meta(description="rules to apply; default: all active rules")] = None
    buckets: Annotated[
        list[str], Meta(description="bucket ids, in which `*` matches any characters; empty for all")
    ] = []
    samples: Annotated[int, Meta(ge=0, le=1000, description="number of examples per rule")] = 20


class RedactionOrder(Struct, frozen=True, kw_only=True):
    """A validated request with all rules."""

    book: RuleBook
    buckets: list[str] = []
    samples: int = 0


class BucketEffect(Struct, frozen=True, kw_only=True):
    """The effect of a rule in one bucket: the number of distinct data objects, of events, and their total duration."""

    bucket: str
    values: int
    events: int
    seconds: float


class Sample(Struct, frozen=True, kw_only=True):
    """A data object before and after; `after` is null if its events are dropped."""

    bucket: str
    before: dict[str, Any]
    after: dict[str, Any] | None
    events: int
    seconds: float


class RuleEffect(Struct, frozen=True, kw_only=True):
    """The effect of one rule, after those before it. `rule` counts the filters of the setting first, then the rules."""

    rule: int
    name: str
    field: str
    pattern: str
    action: Action
    buckets: list[BucketEffect]
    samples: Annotated[list[Sample], Meta(description="the longest total duration first")]


class RedactionPreview(Struct, frozen=True, kw_only=True):
    """What rules would change. A data object or event counts once in the totals, however many rules change it."""

    rules: list[RuleEffect]
    changed_values: int
    changed_events: int
    dropped_events: int
    seconds: float


class Redaction(Struct, frozen=True, kw_only=True):
    """History changed by rules. It can be undone until it is final."""

    id: int
    made: Timestamp
    state: State
    rules: RuleBook
    buckets: list[str]
    changed_values: int
    changed_events: int
    dropped_events: int
    undo: Annotated[int | None, Meta(description="undo it with POST /api/1/undo/{undo_id}")] = None
