"""Lists what a redaction changes, in a file of its own: which values get which text, and which events have them.

    change    a value and its new text (NULL: its events are dropped), or when undoing, the one it had
    text      values whose text is changed where they are
    stay      values that stay as they are, because their events are moved to another value, or dropped
    move      the events of those, in parts of one bucket and month each

Scanning for events is the work of readers: a month at a time, so that no transaction lasts long.
"""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import apsw
import msgspec
from msgspec import Struct

from dayline.model.time import start_of_month
from dayline.runtime.files import flush_file
from dayline.storage.redaction.survey import CHANGES
from dayline.storage.sqlite.file.connection import BUSY_TIMEOUT_MS, uri_without_trace
from dayline.storage.sqlite.file.schema import ORIGIN

# Of what is to be undone: events that came or were replaced since are not meant, which those from `next_id` on are;
# NULL: all are meant.
_TABLES = f"""
{CHANGES}
ALTER TABLE change ADD COLUMN redaction INTEGER;
ALTER TABLE change ADD COLUMN next_id INTEGER;
CREATE TABLE text(number INTEGER PRIMARY KEY, key INTEGER NOT NULL);
CREATE TABLE stay(number INTEGER PRIMARY KEY, key INTEGER NOT NULL);
CREATE TABLE move(number INTEGER PRIMARY KEY, start INTEGER NOT NULL, id INTEGER NOT NULL, value INTEGER NOT NULL);
CREATE TABLE part(bucket INTEGER NOT NULL, month INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL);
"""
# CROSS JOIN fixes the order of the loops: along the events, which are many, to the changes.
_EVENTS_OF_MONTH = """
FROM store.event AS event CROSS JOIN change
WHERE event.bucket = :bucket AND event.start >= :low AND event.start < :high AND change.key = event.value
"""
_LIST = f"""
INSERT INTO move(start, id, value) SELECT event.start, event.id, event.value {_EVENTS_OF_MONTH}
AND change.is_moved AND (change.next_id IS NULL OR event.id < change.next_id AND NOT EXISTS (
    SELECT 1 FROM store.replaced_event AS other WHERE other.id = event.id AND other.redaction >= change.redaction
)) ORDER BY event.start, event.id
"""
_COUNT = f"""
UPDATE change SET events = change.events + found.events, duration = change.duration + found.duration FROM (
    SELECT event.value, count(*) AS events, sum(max(event.duration, 0)) AS duration {_EVENTS_OF_MONTH}
    GROUP BY event.value
) AS found WHERE change.key = found.value
"""
_USED = f"SELECT DISTINCT event.value {_EVENTS_OF_MONTH}"
_ADD_LATE = """
INSERT INTO change(key, bucket, hash, json) SELECT key, bucket, hash, json FROM plan.change
WHERE key IN (SELECT value FROM json_each(?));
INSERT INTO stay(key) SELECT key FROM change ORDER BY key;
"""
_ADD_CHANGED_TEXTS = """
INSERT INTO change(key, bucket, hash, json, redaction, next_id)
SELECT value, bucket, hash, json, redaction, next_id FROM store.redacted_value
WHERE redaction = ? AND json IS NOT NULL
"""
_ADD_MOVED = """
INSERT INTO change(key, bucket) SELECT value, bucket FROM store.redacted_value WHERE redaction = ? AND json IS NULL
"""
_NEEDED_TO_UNDO = """
SELECT change.key FROM store.redaction AS other CROSS JOIN change
WHERE other.state IN ('applying', 'applied', 'undoing') AND other.key <> ? AND EXISTS (
    SELECT 1 FROM store.redacted_value AS kept WHERE kept.redaction = other.key AND kept.value = change.key
)
"""
_SIZE = "SELECT (SELECT coalesce(max(number), 0) FROM text), (SELECT coalesce(max(number), 0) FROM stay)"
_COUNTS = """
SELECT
    (SELECT count(*) FROM change WHERE events > 0),
    (SELECT count(target) FROM store.redacted_event WHERE redaction = :redaction) + (
        SELECT coalesce(sum(change.events), 0) FROM store.redacted_value AS kept JOIN change ON change.key = kept.value
        WHERE kept.redaction = :redaction AND kept.json IS NOT NULL
    ),
    (SELECT count(*) - count(target) FROM store.redacted_event WHERE redaction = :redaction)
"""
_MONTHS = "SELECT month FROM store.month WHERE bucket = ? AND events > 0 ORDER BY month"

_Month = dict[str, int]


class Part(Struct, frozen=True, array_like=True):
    """Listed events of one bucket and month: a run of numbers."""

    bucket: int
    month: int
    first: int
    last: int


class Size(Struct, frozen=True, kw_only=True):
    """How much a finished file lists."""

    texts: int
    stays: int
    parts: list[Part]


class Counts(Struct, frozen=True, array_like=True):
    """What a redaction came to."""

    values: int
    events: int
    dropped: int


class Listing:
    """A file of changes in the making, with the database beside it to read. Not for the event loop."""

    def __init__(self, path: Path, database: Path) -> None:
        self._path = path
        flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE | apsw.SQLITE_OPEN_URI
        self.db = apsw.Connection(str(path), flags=flags)
        self.db.set_busy_timeout(BUSY_TIMEOUT_MS)
        # If it does not come to its end, the file is thrown away: it needs no protection.
        for pragma, value in (("journal_mode", "OFF"), ("synchronous", "OFF"), ("temp_store", "MEMORY")):
            self.db.pragma(pragma, value)
        self.db.execute(_TABLES)
        self.db.execute("ATTACH ? AS store", (uri_without_trace(database),))

    def count_events(self) -> None:
        """How many events have each of the values, and how long they last together."""
        for month in self._months("SELECT DISTINCT bucket FROM change ORDER BY bucket"):
            self.db.execute(_COUNT, month)

    def list_events(self) -> None:
        """List the events that are moved or dropped."""
        for month in self._months("SELECT DISTINCT bucket FROM change WHERE is_moved ORDER BY bucket"):
            before = self._listed()
            self.db.execute(_LIST, month)
            after = self._listed()
            if after > before:
                part = (month["bucket"], month["month"], before + 1, after)
                self.db.execute("INSERT INTO part(bucket, month, first, last) VALUES(?, ?, ?, ?)", part)

    def add_late(self, plan: Path, keys: Sequence[int]) -> None:
        """List the events of values whose text could not be changed as planned: now they are to be moved."""
        self.db.execute("ATTACH ? AS plan", (f"{plan.absolute().as_uri()}?mode=ro&immutable=1",))
        self.db.execute(_ADD_LATE, (msgspec.json.encode(keys).decode(),))
        self.list_events()

    def add_changed_texts(self, redaction: int) -> None:
        """List the events whose texts a redaction changed, to be moved to values that have the original ones."""
        self.db.execute(_ADD_CHANGED_TEXTS, (redaction,))
        self.list_events()

    def used(self, redaction: int) -> set[int]:
        """Which values are still needed of those whose events a redaction moved: by events, or to undo another."""
        self.db.execute(_ADD_MOVED, (redaction,))
        rows = self.db.execute(_NEEDED_TO_UNDO, (redaction,)).fetchall()
        found = {key for (key,) in msgspec.convert(rows, list[tuple[int]])}
        for month in self._months("SELECT DISTINCT bucket FROM change ORDER BY bucket"):
            rows = msgspec.convert(self.db.execute(_USED, month).fetchall(), list[tuple[int]])
            found.update(key for (key,) in rows)
        return found

    def close(self) -> None:
        """Leave a file that a power cut does not take."""
        self.db.close()
        flush_file(self._path)

    def _months(self, buckets: str) -> Sequence[_Month]:
        keys = msgspec.convert(self.db.execute(buckets).fetchall(), list[tuple[int]])
        return [
            {
                "bucket": bucket,
                "month": month,
                "low": start_of_month(month) - ORIGIN,
                "high": start_of_month(month + 1) - ORIGIN,
            }
            for (bucket,) in keys
            for (month,) in msgspec.convert(self.db.execute(_MONTHS, (bucket,)).fetchall(), list[tuple[int]])
        ]

    def _listed(self) -> int:
        return int(self.db.execute("SELECT coalesce(max(number), 0) FROM move").get)


def size_of(path: Path) -> Size:
    """How much a finished file lists."""
    with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as db:
        parts = db.execute("SELECT bucket, month, first, last FROM part ORDER BY first").fetchall()
        texts, stays = msgspec.convert(db.execute(_SIZE).fetchone(), tuple[int, int])
    return Size(texts=texts, stays=stays, parts=msgspec.convert(parts, list[Part]))


def counts_of(plan: Path, database: Path, redaction: int) -> Counts:
    """What a redaction came to that was carried out as planned."""
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    with closing(apsw.Connection(str(plan), flags=flags)) as db:
        db.execute("ATTACH ? AS store", (f"{database.absolute().as_uri()}?mode=ro",))
        return msgspec.convert(db.execute(_COUNTS, {"redaction": redaction}).fetchone(), Counts)
