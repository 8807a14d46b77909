"""Plans a redaction, in a process of its own: every value of the dictionary is shown to the rules, once.

    python -m dayline.storage.sqlite.redaction_plan DATABASE PLAN

It reads a PlanJob from its standard input, writes the plan to a new file (redaction_listing.py) and a RedactionPreview
to its standard output. Of the database it reads only, in short transactions.

A value whose new text nobody has yet gets that text where it is: one row changes, and a year of events follows. Where
several come to the same text, that is done for the one with the most events, and the events of the others are moved to
it; where the text is there already, all are moved. A value stays as it is, and its events are moved, also where an
earlier redaction needs it to be undone, and where its new text is longer: a row that grows rearranges its page, and
leaves copies behind.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import Struct

from dayline.model.data import CanonicalJson
from dayline.model.keys import BucketNames
from dayline.model.privacy import PrivacyFilter, PrivacyRule
from dayline.model.redaction import BucketEffect, RedactionOrder, RedactionPreview, RuleEffect, Sample
from dayline.storage.dictionary import hash_of
from dayline.storage.sqlite.redaction_listing import Listing
from dayline.transform.privacy import PrivacyRules

_VALUES_AT_ONCE: Final = 10_000

_ACTED = "CREATE TABLE acted(rule INTEGER NOT NULL, key INTEGER NOT NULL)"
_VALUES = "SELECT key, bucket, json FROM store.value WHERE key > ? ORDER BY key LIMIT ?"
_ADD = "INSERT INTO change(key, bucket, hash, json, fits) VALUES(?, ?, ?, ?, ?)"
_NOTE_KNOWN = """
UPDATE change SET is_known = EXISTS (
    SELECT 1 FROM store.value AS old
    WHERE old.hash = change.hash AND old.bucket = change.bucket AND old.json = change.json
) WHERE key BETWEEN ? AND ?
"""
_NOTE_HELD = """
UPDATE change SET is_held = EXISTS (
    SELECT 1 FROM store.redaction AS other
    WHERE other.state IN ('applying', 'applied', 'undoing') AND EXISTS (
        SELECT 1 FROM store.redacted_value AS kept WHERE kept.redaction = other.key AND kept.value = change.key
    )
) WHERE key BETWEEN ? AND ?
"""
_IN_PLACE = """
UPDATE change SET is_moved = 0 WHERE key IN (
    SELECT key FROM (
        SELECT key, row_number() OVER (PARTITION BY bucket, hash, json ORDER BY events DESC, key) AS rank FROM change
        WHERE fits AND NOT is_known AND NOT is_held
    ) WHERE rank = 1
);
INSERT INTO text(key) SELECT key FROM change WHERE NOT is_moved ORDER BY key;
INSERT INTO stay(key) SELECT key FROM change WHERE is_moved ORDER BY key;
"""
_EFFECTS = """
SELECT change.bucket, count(*), sum(events), sum(duration) FROM acted JOIN change ON change.key = acted.key
WHERE rule = ? AND events > 0 GROUP BY change.bucket ORDER BY change.bucket
"""
_SAMPLES = """
SELECT sample.bucket, old.json, sample.json, events, duration FROM (
    SELECT change.* FROM acted JOIN change ON change.key = acted.key
    WHERE rule = ? AND events > 0 ORDER BY duration DESC, change.key LIMIT ?
) AS sample JOIN store.value AS old ON old.key = sample.key ORDER BY duration DESC, sample.key
"""
_TOTALS = """
SELECT count(*), coalesce(sum(iif(json IS NULL, 0, events)), 0), coalesce(sum(iif(json IS NULL, events, 0)), 0),
coalesce(sum(duration), 0) FROM change WHERE events > 0
"""


_Value = tuple[int, int, str]  # key, bucket, text


class _Found(NamedTuple):
    """A value that changes: its row in the plan, and the rules that have a part in it."""

    row: tuple[int, int, int | None, str | None, bool]
    acted: tuple[int, ...]


class PlanJob(Struct, frozen=True, kw_only=True):
    """What to plan. A preview lists no events."""

    order: RedactionOrder
    is_preview: bool


class Plan:
    """The plan of one redaction."""

    def __init__(self, listing: Listing, order: RedactionOrder) -> None:
        self._listing = listing
        self._db = listing.db
        self._order = order
        self._rules = PrivacyRules(order.book)
        names = BucketNames(order.buckets)
        rows = self._db.execute("SELECT key, id FROM store.bucket WHERE deleted IS NULL").fetchall()
        self._ids = {key: name for key, name in msgspec.convert(rows, list[tuple[int, str]]) if name in names}

    def make(self) -> None:
        """Show every value to the rules, and count the events."""
        self._db.execute(_ACTED)
        for values in self._pages():
            seen = [
                (key, self._look_at(key, bucket, json.encode())) for key, bucket, json in values if bucket in self._ids
            ]
            with self._db:
                self._db.executemany(_ADD, [found.row for _, found in seen if found is not None])
                self._db.executemany(
                    "INSERT INTO acted(rule, key) VALUES(?, ?)",
                    [(rule, key) for key, found in seen if found is not None for rule in found.acted],
                )
                for note in (_NOTE_KNOWN, _NOTE_HELD):
                    self._db.execute(note, (values[0][0], values[-1][0]))
        self._listing.count_events()

    def choose(self) -> None:
        """Decide for each value whether its text is changed or its events are moved, and list those."""
        self._db.execute(_IN_PLACE)
        self._listing.list_events()

    def preview(self) -> RedactionPreview:
        book = self._order.book
        rules: list[PrivacyFilter | PrivacyRule] = [*book.filters, *book.rules]
        [totals] = msgspec.convert(self._db.execute(_TOTALS).fetchall(), list[tuple[int, int, int, int]])
        return RedactionPreview(
            rules=[self._effect(number, rule) for number, rule in enumerate(rules)],
            changed_values=totals[0],
            changed_events=totals[1],
            dropped_events=totals[2],
            seconds=totals[3] / 1_000_000,
        )

    def _pages(self) -> Iterator[list[_Value]]:
        last = 0
        while rows := self._db.execute(_VALUES, (last, _VALUES_AT_ONCE)).fetchall():
            values = msgspec.convert(rows, list[_Value])
            yield values
            last = values[-1][0]

    def _look_at(self, key: int, bucket: int, data: CanonicalJson) -> _Found | None:
        """What the rules make of a value; None where nothing changes."""
        traced = self._rules.traced(self._ids[bucket], data)
        new = traced.data
        if new is data:
            return None
        if new is None:
            return _Found((key, bucket, None, None, False), traced.acted)
        return _Found((key, bucket, hash_of(new), new.decode(), len(new) <= len(data)), traced.acted)

    def _effect(self, number: int, rule: PrivacyFilter | PrivacyRule) -> RuleEffect:
        effects = msgspec.convert(self._db.execute(_EFFECTS, (number,)).fetchall(), list[tuple[int, int, int, int]])
        samples = msgspec.convert(
            self._db.execute(_SAMPLES, (number, self._order.samples)).fetchall(),
            list[tuple[int, str, str | None, int, int]],
        )
        return RuleEffect(
            rule=number,
            name=rule.name if isinstance(rule, PrivacyRule) else "",
            field=rule.field,
            pattern=rule.pattern,
            action=rule.action,
            buckets=[
                BucketEffect(bucket=self._ids[bucket], values=values, events=events, seconds=duration / 1_000_000)
                for bucket, values, events, duration in effects
            ],
            samples=[
                Sample(
                    bucket=self._ids[bucket],
                    before=_object(before),
                    after=None if after is None else _object(after),
                    events=events,
                    seconds=duration / 1_000_000,
                )
                for bucket, before, after, events, duration in samples
            ],
        )


def plan(database: Path, path: Path, job: PlanJob) -> RedactionPreview:
    """Write a plan to a new file; what it would change."""
    listing = Listing(path, database)
    try:
        made = Plan(listing, job.order)
        made.make()
        if not job.is_preview:
            made.choose()
        return made.preview()
    finally:
        listing.close()


def _object(text: str) -> dict[str, Any]:
    return msgspec.json.decode(text, type=dict[str, Any])


def main() -> None:
    job = msgspec.json.decode(sys.stdin.buffer.read(), type=PlanJob)
    sys.stdout.buffer.write(msgspec.json.encode(plan(Path(sys.argv[1]), Path(sys.argv[2]), job)))


if __name__ == "__main__":
    main()
