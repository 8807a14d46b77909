"""Plans a redaction, in a process of its own: every value of the dictionary is shown to the rules, once.

    python -m dayline.storage.sqlite.redaction.plan_worker DATABASE PLAN

It reads a PlanJob from its standard input, writes the plan to a new file (listing.py) and a RedactionPreview
to its standard output. Of the database it reads only, in short transactions.

What the rules make of values is surveyed as for every store (storage/redaction/survey.py). A value whose new text is
longer stays as it is here: a row that grows rearranges its page, and leaves copies behind.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from dayline.model.privacy import RedactionOrder, RedactionPreview
from dayline.storage.redaction.survey import VALUES_AT_ONCE, Survey, Value
from dayline.storage.sqlite.redaction.listing import Listing

_VALUES = "SELECT key, bucket, json FROM store.value WHERE key > ? ORDER BY key LIMIT ?"
_TEXTS = "SELECT key, json FROM store.value WHERE key IN (SELECT value FROM json_each(?))"
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
_LIST = """
INSERT INTO text(key) SELECT key FROM change WHERE NOT is_moved ORDER BY key;
INSERT INTO stay(key) SELECT key FROM change WHERE is_moved ORDER BY key;
"""


class PlanJob(Struct, frozen=True, kw_only=True):
    """What to plan. A preview lists no events."""

    order: RedactionOrder
    is_preview: bool


class Plan:
    """The plan of one redaction."""

    def __init__(self, listing: Listing, order: RedactionOrder) -> None:
        self._listing = listing
        self._db = listing.db
        rows = self._db.execute("SELECT key, id FROM store.bucket WHERE deleted IS NULL").fetchall()
        buckets = dict(msgspec.convert(rows, list[tuple[int, str]]))
        self._survey = Survey(self._db, order, buckets, fits=lambda old, new: len(new) <= len(old))

    def make(self) -> None:
        """Show every value to the rules, and count the events."""
        for values in self._pages():
            self._survey.note(values)
            with self._db:
                for note in (_NOTE_KNOWN, _NOTE_HELD):
                    self._db.execute(note, (values[0][0], values[-1][0]))
        self._listing.count_events()

    def choose(self) -> None:
        """Decide for each value whether its text is changed or its events are moved, and list those."""
        self._survey.choose()
        self._db.execute(_LIST)
        self._listing.list_events()

    def preview(self) -> RedactionPreview:
        return self._survey.preview(self._texts)

    def _pages(self) -> Iterator[list[Value]]:
        last = 0
        while rows := self._db.execute(_VALUES, (last, VALUES_AT_ONCE)).fetchall():
            values = msgspec.convert(rows, list[Value])
            yield values
            last = values[-1][0]

    def _texts(self, keys: Sequence[int]) -> Mapping[int, str]:
        rows = self._db.execute(_TEXTS, (msgspec.json.encode(keys).decode(),)).fetchall()
        return dict(msgspec.convert(rows, list[tuple[int, str]]))


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


def main() -> None:
    job = msgspec.json.decode(sys.stdin.buffer.read(), type=PlanJob)
    sys.stdout.buffer.write(msgspec.json.encode(plan(Path(sys.argv[1]), Path(sys.argv[2]), job)))


if __name__ == "__main__":
    main()
