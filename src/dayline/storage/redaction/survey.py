"""Compares every value of a dictionary with the rules, and collects what changes in a separate file.

If no value has the new text yet, the text is changed in place: one row changes, and a year of events follows. If
several values get the same text, that is done for the one with the most events, and the others' events are moved to it.
If a value has the text already, all events are moved. Events are also moved if an earlier redaction needs the value to
be undone, or if the store cannot change the text in place.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

import apsw
import msgspec
from msgspec import Struct

from dayline.model.access import BucketNames
from dayline.model.data import CanonicalJson
from dayline.model.privacy import (
    BucketEffect,
    PrivacyFilter,
    PrivacyRule,
    RedactionOrder,
    RedactionPreview,
    RuleEffect,
    Sample,
)
from dayline.storage.columns.hashes import hash_of
from dayline.transform.privacy import PrivacyRules

VALUES_PER_PAGE: Final = 10_000

CHANGES: Final = """
CREATE TABLE change(
    key INTEGER PRIMARY KEY,
    bucket INTEGER NOT NULL,
    hash INTEGER,
    json TEXT,                              -- the new text; NULL: events are dropped
    fits INTEGER NOT NULL DEFAULT 0,        -- whether the text can be changed in place
    is_known INTEGER NOT NULL DEFAULT 0,    -- whether another value has the new text already
    is_held INTEGER NOT NULL DEFAULT 0,     -- whether an earlier redaction needs the value
    is_moved INTEGER NOT NULL DEFAULT 1,    -- whether its events are moved to another value, or dropped
    events INTEGER NOT NULL DEFAULT 0,
    duration INTEGER NOT NULL DEFAULT 0
);
"""
_APPLIED = "CREATE TABLE applied(rule INTEGER NOT NULL, key INTEGER NOT NULL)"
_ADD = "INSERT INTO change(key, bucket, hash, json, fits) VALUES(?, ?, ?, ?, ?)"
_CHOOSE = """
UPDATE change SET is_moved = 0 WHERE key IN (
    SELECT key FROM (
        SELECT key, row_number() OVER (PARTITION BY bucket, hash, json ORDER BY events DESC, key) AS rank FROM change
        WHERE fits AND NOT is_known AND NOT is_held
    ) WHERE rank = 1
)
"""
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

Value: TypeAlias = tuple[int, int, str]  # key, bucket, text
Fits: TypeAlias = Callable[[CanonicalJson, CanonicalJson], bool]
Texts: TypeAlias = Callable[[Sequence[int]], Mapping[int, str]]


class Change(Struct, frozen=True, array_like=True):
    """A value that the rules change. Without a text its events are dropped."""

    key: int
    bucket: int
    hash: int | None
    json: str | None
    fits: bool


class _Sample(Struct, frozen=True, array_like=True):
    key: int
    bucket: int
    json: str | None
    events: int
    duration: int


class Survey:
    """The survey for one order, in a file with the tables of CHANGES.

    `buckets` are the ids of all buckets by key. `fits` returns whether a text can be changed in place to another.
    """

    def __init__(self, db: apsw.Connection, order: RedactionOrder, buckets: Mapping[int, str], fits: Fits) -> None:
        self._db = db
        self._order = order
        self._fits = fits
        self._rules = PrivacyRules(order.book)
        names = BucketNames(order.buckets)
        self.buckets = {key: bucket_id for key, bucket_id in buckets.items() if bucket_id in names}
        self._db.execute(_APPLIED)

    def note(self, values: Sequence[Value]) -> list[Change]:
        """Compare values with the rules, and store those that change."""
        found: list[Change] = []
        applied: list[tuple[int, int]] = []
        for key, bucket, text in values:
            if bucket in self.buckets:
                data = text.encode()
                traced = self._rules.traced(self.buckets[bucket], data)
                if traced.data is not data:
                    found.append(self._change(key, bucket, data, traced.data))
                    applied += [(rule, key) for rule in traced.acted]
        with self._db:
            self._db.executemany(_ADD, [(each.key, each.bucket, each.hash, each.json, each.fits) for each in found])
            self._db.executemany("INSERT INTO applied(rule, key) VALUES(?, ?)", applied)
        return found

    def choose(self) -> None:
        """Decide for each value whether its text is changed or its events are moved. Count the events first."""
        self._db.execute(_CHOOSE)

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

    def _change(self, key: int, bucket: int, old: CanonicalJson, new: CanonicalJson | None) -> Change:
        if new is None:
            return Change(key, bucket, None, None, False)
        return Change(key, bucket, hash_of(new), new.decode(), self._fits(old, new))

    def _effect(self, number: int, rule: PrivacyFilter | PrivacyRule, texts: Texts) -> RuleEffect:
        effects = msgspec.convert(self._db.execute(_EFFECTS, (number,)).fetchall(), list[tuple[int, int, int, int]])
        samples = self._db.execute(_SAMPLES, (number, self._order.samples)).fetchall()
        return RuleEffect(
            rule=number,
            name=rule.name if isinstance(rule, PrivacyRule) else "",
            field=rule.field,
            pattern=rule.pattern,
            action=rule.action,
            buckets=[
                BucketEffect(bucket=self.buckets[bucket], values=values, events=events, seconds=duration / 1_000_000)
                for bucket, values, events, duration in effects
            ],
            samples=self._samples(msgspec.convert(samples, list[_Sample]), texts),
        )

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
