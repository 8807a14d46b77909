"""Compares derived data with the rows it was made from, and rebuilds it."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Final

import apsw
import msgspec

from dayline.model.time import EARLIEST, SECOND, Microseconds, start_of_month
from dayline.storage.columns.hashes import hash_of
from dayline.storage.columns.months import SegmentKey
from dayline.storage.sqlite.derived.file import UNUSABLE, DerivedReader, derived_path, epoch_of, remove_derived
from dayline.storage.sqlite.derived.text_index import Indexed, TextIndex
from dayline.storage.sqlite.file.connection import FileLock, open_reader
from dayline.storage.sqlite.file.schema import MIGRATIONS, ORIGIN
from dayline.storage.sqlite.repair.salvage_worker import lost_text
from dayline.storage.sqlite.upgrade import open_current
from dayline.transform.text import Clause, TextQuery, document_of

if TYPE_CHECKING:
    from dayline.storage.columns.dictionaries import PackedDictionary


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


def rebuild_derived(database: Path) -> None:
    """Rebuild it in one transaction. Raises StoreLocked while a server uses the file."""
    with closing(FileLock(database)), closing(open_current(database)) as db:
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


# Compares segments with the rows they were made from.


_SEALED: Final = """
SELECT month.bucket, month.month, month.changes, bucket.id, bucket.dictionary FROM month
JOIN bucket ON bucket.key = month.bucket AND bucket.deleted IS NULL WHERE month.is_sealed ORDER BY 1, 2
"""


def check_segments(db: apsw.Connection, path: Path) -> list[str]:
    """The differences, as text. Segments that no query would use are skipped."""
    if not derived_path(path).exists():
        return []
    from dayline.storage.columns.segments import Damaged  # imported here: it needs numpy, and most commands do not

    try:
        reader = DerivedReader(derived_path(path), epoch=epoch_of(db))
    except UNUSABLE:
        return []  # of another file, or outdated: it is rebuilt automatically
    try:
        return list(_compared(db, reader))
    except (*UNUSABLE, Damaged) as error:
        return [f"the segments cannot be read: {error}"]
    finally:
        reader.close()


def _compared(db: apsw.Connection, reader: DerivedReader) -> Iterator[str]:
    from dayline.storage.columns.dictionaries import PackedDictionary  # as above
    from dayline.storage.columns.value_packs import ValuePack

    sealed = msgspec.convert(db.execute(_SEALED).fetchall(), list[tuple[int, int, int, str, int]])
    values: dict[int, PackedDictionary] = {}
    for bucket, month, version, bucket_id, dictionary in sealed:
        if reader.dictionary(bucket) != dictionary:
            continue
        place = SegmentKey(bucket, month, version)
        packed = reader.segment(place)
        if packed is None:
            continue
        if bucket not in values:
            packs = [ValuePack(pack, bucket=bucket, first=first) for first, _, pack in reader.packs(bucket)]
            values[bucket] = PackedDictionary(packs)
            if not _has_texts(db, values[bucket]):
                yield f"{bucket_id}: packed values differ from the dictionary"
        if not _is_as_rows(db, place, packed, values[bucket]):
            yield f"{bucket_id}, {month // 12 + 1970}-{month % 12 + 1:02}: the segment differs from the rows"


def _is_as_rows(db: apsw.Connection, place: SegmentKey, packed: bytes, values: "PackedDictionary") -> bool:
    import numpy as np  # as above

    from dayline.storage.columns.segments import unpack_month
    from dayline.storage.sqlite.columns.rows import Wanted, concatenated, last_place, read_page

    wanted = Wanted(
        bucket=place.bucket,
        low=start_of_month(place.month),
        high=start_of_month(place.month + 1) - 1,
        touching=EARLIEST,
    )
    pages = [read_page(db, wanted, None)]
    while (after := last_place(pages[-1])) is not None:
        pages.append(read_page(db, wanted, after))
    rows, events = concatenated(pages), unpack_month(packed, place)
    if len(events.value) and int(events.value.max()) >= len(values):
        return False
    return (
        np.array_equal(rows.start, events.start)
        and np.array_equal(rows.duration, events.duration)
        and np.array_equal(rows.id, events.id)
        and np.array_equal(rows.key, values.keys(events.value))
    )


def _has_texts(db: apsw.Connection, values: "PackedDictionary") -> bool:
    import numpy as np  # as above

    from dayline.storage.sqlite.columns.rows import read_texts

    codes = np.arange(len(values), dtype=np.int32)
    keys = values.keys(codes).tolist()
    stored = dict(read_texts(db, keys))
    return all(stored.get(key) in (None, text) for key, text in zip(keys, values.texts(codes), strict=True))


# Compares the full-text index with the texts it was made from.


SAMPLE: Final = 1000  # values searched per bucket
_MAX_WORDS: Final = 100  # of a string: a long text takes long to search for

_BUCKETS: Final = "SELECT key, id, dictionary FROM bucket WHERE deleted IS NULL"
_COUNT: Final = "SELECT count(*) FROM value WHERE bucket = ? AND key <= ?"
_EVERY: Final = """
SELECT key, json FROM (
    SELECT key, json, row_number() OVER (ORDER BY key) AS number FROM value WHERE bucket = ? AND key <= ?
) WHERE number % ? = 0
"""


def check_texts(db: apsw.Connection, path: Path) -> list[str]:
    """The differences, as text. An index that no search would use is skipped."""
    if not derived_path(path).exists():
        return []
    try:
        with closing(DerivedReader(derived_path(path), epoch=epoch_of(db))) as reader:
            return list(_compared_texts(db, reader.texts))
    except UNUSABLE as error:
        # Of another file, or outdated: it is rebuilt automatically.
        return [f"the full-text index cannot be read: {error}"] if isinstance(error, apsw.Error) else []


def _compared_texts(db: apsw.Connection, texts: TextIndex) -> Iterator[str]:
    marks = texts.marks()
    for bucket, bucket_id, dictionary in msgspec.convert(db.execute(_BUCKETS).fetchall(), list[tuple[int, str, int]]):
        if marks.has_table(bucket, dictionary):
            wrong = sum(not _is_there(texts, bucket, key, text) for key, text in _sample(db, marks.indexed[bucket]))
            if wrong:
                yield f"{bucket_id}: the full-text index differs from the dictionary in {wrong:,} values"


def _sample(db: apsw.Connection, indexed: Indexed) -> list[tuple[int, str]]:
    """A sample of values from all parts of the bucket."""
    count = int(db.execute(_COUNT, (indexed.bucket, indexed.upto)).get)
    rows = db.execute(_EVERY, (indexed.bucket, indexed.upto, max(1, count // SAMPLE))).fetchall()
    return msgspec.convert(rows, list[tuple[int, str]])


def _is_there(texts: TextIndex, bucket: int, key: int, text: str) -> bool:
    clauses = [
        Clause(words=tuple(found[:_MAX_WORDS]), field=field)
        for field, strings in document_of(text.encode()).items()
        for found in strings
        if found
    ]
    return not clauses or texts.has(bucket, key, TextQuery(tuple(clauses)))


# Compares everything derived from rows with the rows: statistics, hashes, segments, full text.


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


def check_derived(path: Path) -> list[str]:
    """The differences, as text. Takes seconds per year of data; a server may use the file at the same time."""
    with closing(open_reader(path)) as db:
        if int(db.pragma("user_version")) != len(MIGRATIONS):
            return []  # it is upgraded at the next start, and rebuilt then
        db.execute("BEGIN")
        found = [*_check_months(db), *_check_values(db)]
        if db.execute(_NEXT).get not in (None, "integer"):
            found.append("the next event id is not a number")
        db.execute("COMMIT")
        return [*found, *check_segments(db, path), *check_texts(db, path)]


def _check_months(db: apsw.Connection) -> Iterator[str]:
    ids = dict(msgspec.convert(db.execute("SELECT key, id FROM bucket").fetchall(), list[tuple[int, str]]))
    stored, counted = (_figures(db, statement) for statement in (_STORED, _COUNTED))
    for place in sorted(stored.keys() | counted.keys()):
        events, longest, reach = stored.get(place, (0, 0, 0))
        real, lasts, ends = counted.get(place, (0, 0, 0))
        year, month = divmod(place[1], 12)
        name = f"{ids.get(place[0], place[0])}, {year + 1970}-{month + 1:02}"
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
