"""Compares every value of a dictionary with the rules, and collects what changes in a separate file."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

import apsw
import msgspec
from msgspec import Struct

from dayline.model.access import BucketNames
from dayline.model.privacy.redaction import BucketEffect, RedactionOrder, RedactionPreview, RuleEffect, Sample
from dayline.model.privacy.rules import PrivacyFilter, PrivacyRule
from dayline.transform.privacy import PrivacyRules

VALUES_PER_PAGE: Final = 10_000

_CHANGES: Final = """
CREATE TABLE change(
    key INTEGER PRIMARY KEY,
    bucket INTEGER NOT NULL,
    json TEXT,                              -- the new text; NULL: events are dropped
    events INTEGER NOT NULL DEFAULT 0,
    duration INTEGER NOT NULL DEFAULT 0
);
"""
_APPLIED = "CREATE TABLE applied(rule INTEGER NOT NULL, key INTEGER NOT NULL)"
_ADD = "INSERT INTO change(key, bucket, json) VALUES(?, ?, ?)"
_EFFECTS = """
SELECT change.bucket, count(*), sum(events), sum(duration) FROM applied JOIN change ON change.key = applied.key
WHERE rule = ? AND events > 0 GROUP BY change.bucket ORDER BY change.bucket
"""
_SAMPLES = """
SELECT change.key, change.bucket, json, events, duration FROM applied JOIN change ON change.key = applied.key
WHERE rule = ? AND events > 0 ORDER BY duration DESC, change.key LIMIT ?
"""
_TOTALS = """
SELECT count(*), coalesce(sum(iif(json IS NULL, 0, events)), 0), coalesce(sum(iif(json IS NULL, events, 0)), 0),
coalesce(sum(duration), 0) FROM change WHERE events > 0
"""

_COUNT = "UPDATE change SET events = events + ?, duration = duration + ? WHERE key = ?"

Value: TypeAlias = tuple[int, int, str]  # key, bucket, text
EventCount: TypeAlias = tuple[int, int, int]  # events, duration, key of their value
_Effect: TypeAlias = tuple[int, int, int, int]  # bucket, values, events, duration
Texts: TypeAlias = Callable[[Sequence[int]], Mapping[int, str]]


class _Sample(Struct, frozen=True, array_like=True):
    key: int
    bucket: int
    json: str | None
    events: int
    duration: int


class Survey:
    """The survey for one order, in a new file. `buckets` are the ids of all buckets by key."""

    def __init__(self, db: apsw.Connection, order: RedactionOrder, buckets: Mapping[int, str]) -> None:
        self._db = db
        self._order = order
        self._rules = PrivacyRules(order.book)
        names = BucketNames(order.buckets)
        self.buckets = {key: bucket_id for key, bucket_id in buckets.items() if bucket_id in names}
        self._db.execute(_CHANGES)
        self._db.execute(_APPLIED)

    def note(self, values: Sequence[Value]) -> set[int]:
        """Compare values with the rules, and store those that change; returns their buckets."""
        changes: list[tuple[int, int, str | None]] = []
        applied: list[tuple[int, int]] = []
        for key, bucket, text in values:
            if bucket in self.buckets:
                data = text.encode()
                traced = self._rules.traced(self.buckets[bucket], data)
                if traced.data is not data:
                    changes.append((key, bucket, None if traced.data is None else traced.data.decode()))
                    applied += [(rule, key) for rule in traced.acted]
        with self._db:
            self._db.executemany(_ADD, changes)
            self._db.executemany("INSERT INTO applied(rule, key) VALUES(?, ?)", applied)
        return {bucket for _, bucket, _ in changes}

    def count(self, counts: Iterable[EventCount]) -> None:
        """Add to the events of values; those that do not change are skipped."""
        with self._db:
            self._db.executemany(_COUNT, counts)

    def preview(self, texts: Texts) -> RedactionPreview:
        """What would change. `texts` returns the present texts of values that still exist."""
        book = self._order.book
        rules: list[PrivacyFilter | PrivacyRule] = [*book.filters, *book.rules]
        [totals] = msgspec.convert(self._db.execute(_TOTALS).fetchall(), list[tuple[int, int, int, int]])
        return RedactionPreview(
            rules=[self._effect(number, rule, texts) for number, rule in enumerate(rules)],
            changed_values=totals[0],
            changed_events=totals[1],
            dropped_events=totals[2],
            seconds=totals[3] / 1_000_000,
        )

    def _effect(self, number: int, rule: PrivacyFilter | PrivacyRule, texts: Texts) -> RuleEffect:
        effects = msgspec.convert(self._db.execute(_EFFECTS, (number,)).fetchall(), list[_Effect])
        samples = self._db.execute(_SAMPLES, (number, self._order.samples)).fetchall()
        return RuleEffect(
            rule=number,
            name=rule.name if isinstance(rule, PrivacyRule) else "",
            field=rule.field,
            pattern=rule.pattern,
            action=rule.action,
            buckets=self._bucket_effects(effects),
            samples=self._samples(msgspec.convert(samples, list[_Sample]), texts),
        )

    def _bucket_effects(self, effects: Sequence[_Effect]) -> list[BucketEffect]:
        """One for each id: a bucket in the trash may have the same one as another."""
        by_bucket: dict[str, BucketEffect] = {}
        for bucket, values, events, duration in effects:
            bucket_id = self.buckets[bucket]
            other = by_bucket.get(bucket_id) or BucketEffect(bucket=bucket_id, values=0, events=0, seconds=0)
            by_bucket[bucket_id] = BucketEffect(
                bucket=bucket_id,
                values=other.values + values,
                events=other.events + events,
                seconds=other.seconds + duration / 1_000_000,
            )
        return list(by_bucket.values())

    def _samples(self, samples: Sequence[_Sample], texts: Texts) -> list[Sample]:
        before = texts([sample.key for sample in samples])
        return [
            Sample(
                bucket=self.buckets[sample.bucket],
                before=_object(before[sample.key]),
                after=None if sample.json is None else _object(sample.json),
                events=sample.events,
                seconds=sample.duration / 1_000_000,
            )
            for sample in samples
            if sample.key in before
        ]


def _object(text: str) -> dict[str, Any]:
    return msgspec.json.decode(text, type=dict[str, Any])
