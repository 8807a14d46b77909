"""Makes anew what is derived from the rows of a database: figures of months, hashes; drops segments and full text."""

from contextlib import closing
from pathlib import Path
from typing import Final

import apsw
import msgspec

from dayline.model.timestamps import SECOND, Microseconds
from dayline.storage.columns.dictionary import hash_of
from dayline.storage.sqlite.derived.segment_file import remove_derived
from dayline.storage.sqlite.file.lock import FileLock
from dayline.storage.sqlite.file.schema import ORIGIN
from dayline.storage.sqlite.redaction.redaction_clearing import NO_HASH
from dayline.storage.sqlite.repair.salvage_staging import lost_text
from dayline.storage.sqlite.upkeep.upgrade import open_current

_SHORTEST_BOUND: Final[Microseconds] = 64 * SECOND
# Months that were sealed are counted up: whatever was made of them does not fit any more.
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
_WITHOUT_VALUE: Final = "SELECT DISTINCT value, bucket FROM main.event WHERE value NOT IN (SELECT key FROM main.value)"


def mend_derived(database: Path) -> None:
    """Make it anew, in one transaction. Raises StoreLocked while a server uses the file."""
    with closing(FileLock(database)), closing(open_current(database)) as db:
        db.execute("BEGIN IMMEDIATE")
        count_months(db)
        _mend_values(db)
        db.execute("DELETE FROM main.meta WHERE key = 'next_event_id' AND typeof(value) <> 'integer'")
        db.execute("COMMIT")
        db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        remove_derived(database)


def count_months(db: apsw.Connection) -> None:
    """The figures of all months, from the rows. Call it within a transaction."""
    db.execute(_MONTHS)


def _mend_values(db: apsw.Connection) -> None:
    for value, bucket in msgspec.convert(db.execute(_WITHOUT_VALUE).fetchall(), list[tuple[int, int]]):
        text = lost_text(value)
        row = (value, bucket, hash_of(text.encode()), text)
        db.execute("INSERT OR IGNORE INTO main.value(key, bucket, hash, json) VALUES(?, ?, ?, ?)", row)
    wrong = [
        (hash_of(str(text).encode()), key)
        for key, digest, text in db.execute("SELECT key, hash, json FROM main.value")
        if digest != NO_HASH and hash_of(str(text).encode()) != digest
    ]
    db.executemany("UPDATE main.value SET hash = ? WHERE key = ?", wrong)
