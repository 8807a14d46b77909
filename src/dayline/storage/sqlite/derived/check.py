"""Compares derived data with the rows it was made from, and rebuilds it."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

import apsw
import msgspec

from dayline.model.time import SECOND, Microseconds
from dayline.storage.columns.hashes import hash_of
from dayline.storage.sqlite.derived.check_segments import check_segments
from dayline.storage.sqlite.derived.check_texts import check_texts
from dayline.storage.sqlite.derived.file import remove_derived
from dayline.storage.sqlite.file.connection import open_reader
from dayline.storage.sqlite.file.former_layout import open_folder
from dayline.storage.sqlite.file.lock import FileLock
from dayline.storage.sqlite.file.schema import MIGRATIONS, ORIGIN
from dayline.storage.sqlite.upgrade import open_current

_SHORTEST_BOUND: Final[Microseconds] = 64 * SECOND
# The change counts of sealed months are raised, which invalidates everything derived from them.
_MONTHS: Final = f"""
CREATE TEMP TABLE former AS SELECT bucket, month, max(changes) + 1 AS changes FROM main.month GROUP BY 1, 2;
DELETE FROM main.month;
INSERT INTO main.month(bucket, month, events, longest, reach, is_sealed, changes)
SELECT bucket, number, events, longest, reach, 0, coalesce(
    (SELECT changes FROM temp.former WHERE former.bucket = counted.bucket AND former.month = counted.number), 0)
FROM (
    SELECT bucket, (strftime('%Y', moment) - 1970) * 12 + strftime('%m', moment) - 1 AS number, count(*) AS events,
        max({_SHORTEST_BOUND}, max(duration)) AS longest, max(start + duration) AS reach
    FROM (SELECT *, datetime((start + {ORIGIN}) / 1000000, 'unixepoch') AS moment FROM main.event) GROUP BY 1, 2
) AS counted;
DROP TABLE temp.former;
"""
_EVENTS_WITHOUT_VALUE: Final = (
    "SELECT DISTINCT value, bucket FROM main.event WHERE value NOT IN (SELECT key FROM main.value)"
)

_MONTH = f"""
(strftime('%Y', (event.start + {ORIGIN}) / 1000000, 'unixepoch') - 1970) * 12
+ strftime('%m', (event.start + {ORIGIN}) / 1000000, 'unixepoch') - 1
"""
_COUNTED: Final = f"""
SELECT event.bucket, {_MONTH} AS number, count(*), max(duration), max(start + duration)
FROM event JOIN bucket ON bucket.key = event.bucket AND bucket.deleted IS NULL GROUP BY 1, 2
"""
_STORED: Final = """
SELECT month.bucket, month.month, month.events, month.longest, month.reach FROM month
JOIN bucket ON bucket.key = month.bucket AND bucket.deleted IS NULL WHERE month.events > 0
"""
_WITHOUT_VALUE: Final = """
SELECT bucket.id, count(*) FROM event JOIN bucket ON bucket.key = event.bucket
WHERE event.value NOT IN (SELECT key FROM value) GROUP BY 1
"""
_NEXT: Final = "SELECT typeof(value) FROM meta WHERE key = 'next_event_id'"

Figures = tuple[int, int, int]


def rebuild_derived(database: Path) -> None:
    """Rebuild it in one transaction. Raises StoreLocked while a server uses the file."""
    with closing(FileLock(database)), closing(open_current(database)) as db:
        open_folder(database)
        db.execute("BEGIN IMMEDIATE")
        count_months(db)
        _fix_hashes(db)
        db.execute("DELETE FROM main.meta WHERE key = 'next_event_id' AND typeof(value) <> 'integer'")
        db.execute("COMMIT")
        db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        remove_derived(database)


def count_months(db: apsw.Connection) -> None:
    """Recalculate the statistics of all months from the rows. Call it within a transaction."""
    db.execute(_MONTHS)


def _fix_hashes(db: apsw.Connection) -> None:
    from dayline.storage.sqlite.repair.salvage_worker import lost_text  # here, because few files need a repair

    for value, bucket in msgspec.convert(db.execute(_EVENTS_WITHOUT_VALUE).fetchall(), list[tuple[int, int]]):
        text = lost_text(value)
        row = (value, bucket, hash_of(text.encode()), text)
        db.execute("INSERT OR IGNORE INTO main.value(key, bucket, hash, json) VALUES(?, ?, ?, ?)", row)
    db.executemany("UPDATE main.value SET hash = ? WHERE key = ?", list(_wrong_hashes(db)))


def _wrong_hashes(db: apsw.Connection) -> Iterator[tuple[int, int]]:
    """The correct hash and the key of each value with a wrong hash. One that a redaction has changed has none."""
    for key, digest, text in db.execute("SELECT key, hash, json FROM main.value WHERE bucket > 0"):
        right = hash_of(str(text).encode())
        if digest not in (key, right):
            yield right, int(str(key))


def check_derived(path: Path) -> list[str]:
    """The differences, as text. Takes seconds per year of data; a server may use the file at the same time."""
    with closing(open_reader(path)) as db:
        if int(db.pragma("user_version")) != len(MIGRATIONS):
            return []  # it is upgraded at the next start, and rebuilt then
        db.execute("BEGIN")
        problems = [*_check_months(db), *_check_values(db)]
        if db.execute(_NEXT).get not in (None, "integer"):
            problems.append("the next event id is not a number")
        db.execute("COMMIT")
        return [*problems, *check_segments(db, path), *check_texts(db, path)]


def _check_months(db: apsw.Connection) -> Iterator[str]:
    ids = dict(msgspec.convert(db.execute("SELECT key, id FROM bucket").fetchall(), list[tuple[int, str]]))
    stored, counted = (_figures(db, statement) for statement in (_STORED, _COUNTED))
    for month_key in sorted(stored.keys() | counted.keys()):
        events, longest, reach = stored.get(month_key, (0, 0, 0))
        real, lasts, ends = counted.get(month_key, (0, 0, 0))
        year, month = divmod(month_key[1], 12)
        name = f"{ids.get(month_key[0], month_key[0])}, {year + 1970}-{month + 1:02}"
        if events != real:
            yield f"{name}: {real:,} events, but the statistics count {events:,}"
        elif real and (lasts > longest or ends > reach):
            yield f"{name}: an event is longer than the statistics allow"


def _figures(db: apsw.Connection, statement: str) -> dict[tuple[int, int], Figures]:
    rows = msgspec.convert(db.execute(statement).fetchall(), list[tuple[int, int, int, int, int]])
    return {(bucket, month): (events, longest, reach) for bucket, month, events, longest, reach in rows}


def _check_values(db: apsw.Connection) -> Iterator[str]:
    for bucket_id, count in msgspec.convert(db.execute(_WITHOUT_VALUE).fetchall(), list[tuple[str, int]]):
        yield f"{bucket_id}: {count:,} events without data"
    wrong = sum(1 for _ in _wrong_hashes(db))
    if wrong:
        yield f"{wrong:,} values have a wrong hash"
