"""Compares what is derived from the rows of a database with the rows: figures, hashes, segments, full text."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

import apsw
import msgspec

from dayline.storage.columns.dictionary import hash_of
from dayline.storage.sqlite.derived.segment_check import check_segments
from dayline.storage.sqlite.derived.text_check import check_texts
from dayline.storage.sqlite.file.connection import open_reader
from dayline.storage.sqlite.file.schema import MIGRATIONS, ORIGIN
from dayline.storage.sqlite.redaction.redaction_clearing import NO_HASH

_MONTH = f"""
(strftime('%Y', (event.start + {ORIGIN}) / 1000000, 'unixepoch') - 1970) * 12
+ strftime('%m', (event.start + {ORIGIN}) / 1000000, 'unixepoch') - 1
"""
_COUNTED: Final = f"""
SELECT event.bucket, {_MONTH} AS number, count(*), max(duration), max(start + duration)
FROM event JOIN bucket ON bucket.key = event.bucket AND bucket.deleted IS NULL GROUP BY 1, 2
"""
_TOLD: Final = """
SELECT month.bucket, month.month, month.events, month.longest, month.reach FROM month
JOIN bucket ON bucket.key = month.bucket AND bucket.deleted IS NULL WHERE month.events > 0
"""
_WITHOUT_VALUE: Final = """
SELECT bucket.id, count(*) FROM event JOIN bucket ON bucket.key = event.bucket
WHERE event.value NOT IN (SELECT key FROM value) GROUP BY 1
"""
_NEXT: Final = "SELECT typeof(value) FROM meta WHERE key = 'next_event_id'"

Figures = tuple[int, int, int]


def check_derived(path: Path) -> list[str]:
    """What does not fit, in words. Takes seconds for a year; a server may use the file meanwhile."""
    with closing(open_reader(path)) as db:
        if int(db.pragma("user_version")) != len(MIGRATIONS):
            return []  # it is brought up to date at the next start, and made anew then
        db.execute("BEGIN")
        found = [*_check_months(db), *_check_values(db)]
        if db.execute(_NEXT).get not in (None, "integer"):
            found.append("the number of the next event is no number")
        db.execute("COMMIT")
        return [*found, *check_segments(db, path), *check_texts(db, path)]


def _check_months(db: apsw.Connection) -> Iterator[str]:
    ids = dict(msgspec.convert(db.execute("SELECT key, id FROM bucket").fetchall(), list[tuple[int, str]]))
    told, counted = (_figures(db, statement) for statement in (_TOLD, _COUNTED))
    for place in sorted(told.keys() | counted.keys()):
        events, longest, reach = told.get(place, (0, 0, 0))
        real, lasts, ends = counted.get(place, (0, 0, 0))
        year, month = divmod(place[1], 12)
        name = f"{ids.get(place[0], place[0])}, {year + 1970}-{month + 1:02}"
        if events != real:
            yield f"{name}: {real:,} events, and the figures say {events:,}"
        elif real and (lasts > longest or ends > reach):
            yield f"{name}: an event is longer than the figures allow"


def _figures(db: apsw.Connection, statement: str) -> dict[tuple[int, int], Figures]:
    rows = msgspec.convert(db.execute(statement).fetchall(), list[tuple[int, int, int, int, int]])
    return {(bucket, month): (events, longest, reach) for bucket, month, events, longest, reach in rows}


def _check_values(db: apsw.Connection) -> Iterator[str]:
    for bucket_id, count in msgspec.convert(db.execute(_WITHOUT_VALUE).fetchall(), list[tuple[str, int]]):
        yield f"{bucket_id}: {count:,} events whose data are not there"
    wrong = sum(
        1
        for digest, text in db.execute("SELECT hash, json FROM value")
        if digest != NO_HASH and hash_of(str(text).encode()) != digest
    )
    if wrong:
        yield f"{wrong:,} values have another hash than their text"
