"""Takes from a backup what a damaged file does not give any more.

An event of the backup is taken where there is proof that it was still there: its id is in the index of the damaged
file, and its row is on no page that can be read. Where pages of both the index and the events are lost, it is taken if
the figures of its month say that events are missing there, and nothing says that it was deleted or redacted since.

A text is taken where an event that was saved has it and the text itself is lost; not where a redaction changed it.
"""

from collections.abc import Iterable
from contextlib import suppress
from typing import Final

import apsw
import msgspec
from msgspec import Struct

from dayline.storage.sqlite.file.schema import ORIGIN
from dayline.storage.sqlite.repair.recovery_seed import UNKNOWN
from dayline.storage.sqlite.repair.salvage_staging import Found

# Tables that are taken from the backup as they are there, in so far as pages of them are lost.
_SMALL: Final = ("setting", "setting_history", "own_setting", "own_setting_history", "access_key", "alias", "audit")
_MONTH = "(strftime('%Y', {0}) - 1970) * 12 + strftime('%m', {0}) - 1"
_WHEN = f"datetime((event.start + {ORIGIN}) / 1000000, 'unixepoch')"

_TEXTS = """
UPDATE main.value SET (hash, json) = (SELECT hash, json FROM backup.value AS old WHERE old.key = value.key)
WHERE json = '{"lost":' || key || '}'
AND EXISTS (SELECT 1 FROM backup.value AS old WHERE old.key = value.key AND old.bucket = value.bucket)
AND key NOT IN (SELECT value FROM main.redacted_value)
AND (:has_redactions OR bucket IN (
    SELECT now.key FROM main.bucket AS now JOIN backup.bucket AS old ON old.key = now.key
    WHERE old.dictionary = now.dictionary
))
"""
_PROVEN = """
INSERT OR IGNORE INTO temp.missing(id, bucket, start, duration, value)
SELECT event.id, event.bucket, event.start, event.duration, event.value
FROM salvaged.event_id AS place CROSS JOIN backup.event AS event
WHERE place.id NOT IN (SELECT id FROM salvaged.event) AND event.id = place.id AND event.bucket = place.bucket
AND event.id NOT IN (SELECT id FROM main.event)
"""
_LIKELY = f"""
INSERT OR IGNORE INTO temp.missing(id, bucket, start, duration, value)
SELECT event.id, event.bucket, event.start, event.duration, event.value FROM backup.event AS event
WHERE event.id NOT IN (SELECT id FROM main.event) AND event.id NOT IN (SELECT id FROM salvaged.event)
AND event.id NOT IN (SELECT id FROM salvaged.event_id)
AND event.id NOT IN (SELECT id FROM main.act_event) AND event.id NOT IN (SELECT id FROM main.redacted_event)
AND (event.bucket, {_MONTH.format(_WHEN)}) NOT IN (SELECT bucket, month FROM temp.whole_month)
"""
_WHOLE_MONTHS = f"""
CREATE TEMP TABLE whole_month AS
SELECT month.bucket, month.month FROM salvaged.month AS month LEFT JOIN (
    SELECT bucket, {_MONTH.format(_WHEN)} AS number, count(*) AS events FROM salvaged.event AS event GROUP BY 1, 2
) AS saved ON saved.bucket = month.bucket AND saved.number = month.month
WHERE coalesce(saved.events, 0) >= month.events
"""
_BUCKETS = """
SELECT key, id FROM backup.bucket WHERE key IN (SELECT bucket FROM temp.missing)
OR key IN (SELECT key FROM main.bucket WHERE type = :unknown AND client = :unknown)
"""
_PUT_VALUES = """
INSERT OR IGNORE INTO main.value(key, bucket, hash, json)
SELECT key, bucket, hash, json FROM backup.value WHERE key IN (SELECT value FROM temp.missing)
"""
_PUT_EVENTS = """
INSERT OR IGNORE INTO main.event(bucket, start, id, duration, value)
SELECT missing.bucket, missing.start, missing.id, missing.duration, missing.value FROM temp.missing AS missing
JOIN main.bucket ON bucket.key = missing.bucket
JOIN main.value AS new ON new.key = missing.value AND new.bucket = missing.bucket
JOIN backup.value AS old ON old.key = missing.value AND old.bucket = missing.bucket
WHERE new.hash = old.hash OR new.key IN (SELECT value FROM main.redacted_value)
"""


class Filled(Struct, frozen=True, kw_only=True):
    """What was taken from a backup: events, and events that got their data back, by bucket; and of which tables."""

    events: dict[int, int]
    texts: dict[int, int]
    tables: list[str]


def fill(db: apsw.Connection, found: Found) -> Filled:
    """Fill what is open as `main` from `backup`, both attached, as is `salvaged`. Call it within a transaction."""
    textless = _textless(db)
    db.execute(_TEXTS, {"has_redactions": not _lost(found, ("redacted_value",))})
    still = _textless(db)
    texts = {bucket: count - still.get(bucket, 0) for bucket, count in textless.items()}
    db.execute("CREATE TEMP TABLE missing(id INTEGER PRIMARY KEY, bucket, start, duration, value)")
    db.execute(_PROVEN)
    if _lost(found, ("event",)) and _lost(found, ("event_id",)):
        db.execute(_WHOLE_MONTHS)
        db.execute(_LIKELY)
    _fill_buckets(db)
    before = _events(db)
    db.execute(_PUT_VALUES)
    db.execute(_PUT_EVENTS)
    events = {key: count - before.get(key, 0) for key, count in _events(db).items()}
    return Filled(events=_positive(events), texts=_positive(texts), tables=list(_fill_tables(db, found)))


def _lost(found: Found, names: Iterable[str]) -> bool:
    return any(found.lost_pages.get(name) or found.lost_rows.get(name) for name in (*names, ""))


def _textless(db: apsw.Connection) -> dict[int, int]:
    rows = db.execute(
        "SELECT event.bucket, count(*) FROM main.value JOIN main.event ON event.value = value.key "
        "WHERE value.json = '{\"lost\":' || value.key || '}' GROUP BY 1"
    ).fetchall()
    return dict(msgspec.convert(rows, list[tuple[int, int]]))


def _events(db: apsw.Connection) -> dict[int, int]:
    rows = db.execute("SELECT bucket, count(*) FROM main.event GROUP BY 1").fetchall()
    return dict(msgspec.convert(rows, list[tuple[int, int]]))


def _fill_buckets(db: apsw.Connection) -> None:
    """Buckets whose row is lost: as the backup has them. One that was made again under the id is joined with it."""
    rows = db.execute(_BUCKETS, {"unknown": UNKNOWN}).fetchall()
    for key, bucket_id in msgspec.convert(rows, list[tuple[int, str]]):
        made_again = db.execute(
            "SELECT key FROM main.bucket WHERE id = ? AND deleted IS NULL AND key <> ?", (bucket_id, key)
        ).get
        if isinstance(made_again, int):
            _join(db, made_again, key)
        known = db.execute("SELECT type FROM main.bucket WHERE key = ?", (key,)).get
        if known in (None, UNKNOWN):
            db.execute("INSERT OR REPLACE INTO main.bucket SELECT * FROM backup.bucket WHERE key = ?", (key,))


def _join(db: apsw.Connection, new: int, old: int) -> None:
    db.execute("UPDATE main.event SET bucket = ? WHERE bucket = ?", (old, new))
    db.execute("UPDATE main.value SET bucket = ? WHERE bucket = ?", (old, new))
    db.execute("UPDATE main.act SET bucket_key = ? WHERE bucket_key = ?", (old, new))
    db.execute("UPDATE main.act_event SET bucket = ? WHERE bucket = ?", (old, new))
    db.execute("UPDATE main.alias SET bucket = ? WHERE bucket = ?", (old, new))
    db.execute("DELETE FROM main.bucket WHERE key = ?", (new,))


def _fill_tables(db: apsw.Connection, found: Found) -> Iterable[str]:
    for name in _SMALL:
        if _lost(found, (name,)):
            before = db.total_changes()
            with suppress(apsw.ConstraintError):
                db.execute(f"INSERT OR IGNORE INTO main.{name} SELECT * FROM backup.{name}")
            if db.total_changes() > before:
                yield name


def _positive(counts: dict[int, int]) -> dict[int, int]:
    return {key: count for key, count in counts.items() if count > 0}
