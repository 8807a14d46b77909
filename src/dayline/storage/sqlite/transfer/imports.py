"""Copies staged rows into the file: each slice is one change of the writer, so it shares commits with others."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Final

import apsw
import msgspec

from dayline.model.errors import StoreBusy
from dayline.runtime.sqlite_file import UNCHANGING, attach
from dayline.storage.disk_faults import child_error
from dayline.storage.operations.background import SlicePace
from dayline.storage.operations.children import ChildFailed, ChildFunction
from dayline.storage.sqlite.file.connection import PAGE_CACHE_KIB
from dayline.storage.sqlite.file.schema import ORIGIN
from dayline.storage.sqlite.writing.transaction import SqliteTransaction
from dayline.storage.sqlite.writing.writer import FileWriter
from dayline.storage.transfer.imports import MergedRows
from dayline.storage.transfer.report import ImportSurvey
from dayline.storage.transfer.staging import STAGED_FROM, Staged, StagedBucket, StagedRange

# Temporary tables, so they are in memory and in no log. `numbers` maps the number of a value in the staged file to its
# key, and the negative number of a bucket to the highest key of any value after its latest rows, if it has no values
# but those of this import. `fresh` has the values that the rows of one step are the first to use. `shift` has the
# lowest and the highest difference between key and number of the values of a bucket. If they are equal, as they are
# unless something else adds values during the import, the keys of rows need no lookup.
_TABLES = """
CREATE TEMP TABLE IF NOT EXISTS numbers(number INTEGER PRIMARY KEY, key INTEGER);
CREATE TEMP TABLE IF NOT EXISTS fresh(place INTEGER PRIMARY KEY, value INTEGER);
CREATE TEMP TABLE IF NOT EXISTS shift(number INTEGER PRIMARY KEY, low INTEGER, high INTEGER);
"""
_DROP_TABLES = """
DROP TABLE IF EXISTS temp.numbers;
DROP TABLE IF EXISTS temp.fresh;
DROP TABLE IF EXISTS temp.shift;
"""
_NEXT_FRESH = """
INSERT INTO temp.fresh(value) SELECT number FROM staged.value
WHERE number > (SELECT coalesce(max(number), 0) FROM temp.numbers) AND number <= :used ORDER BY number
"""
_FIND_FRESH = """
INSERT INTO temp.fresh(value)
SELECT value FROM staged.row WHERE number BETWEEN :first AND :last AND value NOT IN (SELECT number FROM temp.numbers)
GROUP BY value ORDER BY min(number)
"""
_MARK = "SELECT key FROM temp.numbers WHERE number = -:number"
_HIGHEST_KEY = "SELECT coalesce(max(key), 0) FROM main.value"
_KEEP_MARK = f"INSERT OR REPLACE INTO temp.numbers(number, key) VALUES(-:number, ({_HIGHEST_KEY}))"
_HAS_OTHERS = "SELECT EXISTS(SELECT 1 FROM main.value WHERE key > ? AND bucket = ?)"
# CROSS JOIN fixes the order of the loops: from the rows of the step to their values to ours.
_NOTE_KNOWN = """
INSERT OR IGNORE INTO temp.numbers(number, key)
SELECT new.number, value.key FROM temp.fresh CROSS JOIN staged.value AS new CROSS JOIN main.value AS value
WHERE new.number = fresh.value AND value.hash = new.hash AND value.bucket = :bucket AND value.json = new.json
"""
_DROP_KNOWN = "DELETE FROM temp.fresh WHERE value IN (SELECT number FROM temp.numbers)"
_NUMBER_FRESH = "INSERT INTO temp.numbers(number, key) SELECT value, :key + place FROM temp.fresh"
_NOTE_SHIFT = """
INSERT INTO temp.shift(number, low, high)
SELECT :number, min(:key + place - value), max(:key + place - value) FROM temp.fresh HAVING count(*) > 0
ON CONFLICT(number) DO UPDATE SET low = min(low, excluded.low), high = max(high, excluded.high)
"""
_FORGET_SHIFT = "INSERT OR REPLACE INTO temp.shift(number, low, high) VALUES(:number, 0, 1)"
_SHIFT = "SELECT low FROM temp.shift WHERE number = :number AND low = high"
_COPY_FRESH = """
INSERT INTO main.value(key, bucket, hash, json)
SELECT :key + fresh.place, :bucket, new.hash, new.json FROM temp.fresh CROSS JOIN staged.value AS new
WHERE new.number = fresh.value ORDER BY fresh.place
"""
_EXTENT = """
SELECT min(start), max(start), max(duration), max(start + duration), max(value) FROM staged.row
WHERE number BETWEEN :first AND :last
"""
_HAS_EVENTS = "SELECT EXISTS(SELECT 1 FROM main.event WHERE bucket = ? AND start BETWEEN ? AND ?)"
_COPY_ROWS = """
INSERT INTO main.event(bucket, start, id, duration, value)
SELECT :bucket, new.start - :origin, :id + new.number - :first, new.duration, numbers.key
FROM staged.row AS new CROSS JOIN temp.numbers
WHERE new.number BETWEEN :first AND :last AND numbers.number = new.value
"""
_UNLESS_KNOWN = """
AND NOT EXISTS (
    SELECT 1 FROM main.event AS old WHERE old.bucket = :bucket AND old.start = new.start - :origin
    AND old.duration = new.duration AND (old.value = numbers.key OR EXISTS (
        SELECT 1 FROM main.value AS changed CROSS JOIN main.value AS same
        WHERE changed.key = old.value AND same.key = numbers.key AND same.json = changed.json
    ))
)
"""
_COPY_SHIFTED: Final = """
INSERT INTO main.event(bucket, start, id, duration, value)
SELECT :bucket, new.start - :origin, :id + new.number - :first, new.duration, new.value + :shift
FROM staged.row AS new WHERE new.number BETWEEN :first AND :last ORDER BY new.number
"""
_IN_ORDER = "ORDER BY new.number"
_COPY_ALL: Final = _COPY_ROWS + _IN_ORDER
_COPY_UNKNOWN: Final = _COPY_ROWS + _UNLESS_KNOWN + _IN_ORDER

# A slice is made in steps of some milliseconds, and ends after the step during which something was queued. So a
# heartbeat waits for one step and its commit. Without heartbeats, slices grow: each page that they change is written
# once per slice, and the index of values changes everywhere. They are shorter than a checkpoint waits for the writer.
STEP_S: Final = 0.003
SLICE_S: Final = 0.08
SLICE_ROWS: Final = 30_000
# While an import writes. The index of the values of a year has more pages than the cache of a connection usually has.
_CACHE_KIB: Final = 24 << 10

run_survey = ChildFunction("dayline.storage.sqlite.transfer.import_worker:survey_import", ImportSurvey)


class SqliteImportEngine:
    """See ImportEngine."""

    def __init__(self, writer: FileWriter, path: Path) -> None:
        self._writer = writer
        self._path = path

    async def survey(self, path: Path, staged: Staged) -> ImportSurvey:
        try:
            return await run_survey(path, self._path, staged)
        except ChildFailed as error:
            raise child_error("cannot preview the import", str(error), self._path) from error

    @asynccontextmanager
    async def merging(self, path: Path, staged: Staged) -> AsyncGenerator["SqliteSliceMerger"]:
        try:
            yield SqliteSliceMerger(self._writer, path, staged)
        finally:
            with suppress(StoreBusy):  # the next import detaches it
                await self._writer.between_commits(_detach)


class SqliteSliceMerger:
    """See SliceMerger. The file of staged rows is attached, so that a slice is a few statements."""

    def __init__(self, writer: FileWriter, path: Path, staged: Staged) -> None:
        self.ranges = staged.parts  # the rows of a slice are of one month, whose statistics are raised at once
        self._writer = writer
        self._path = path
        self._find_fresh = _NEXT_FRESH if staged.is_in_order else _FIND_FRESH
        self._is_attached = False  # until the first slice
        self._pace = SlicePace(seconds=STEP_S)
        self.rows = self._pace.rows

    async def merge(self, bucket: StagedBucket, rows: StagedRange) -> MergedRows:
        copy = partial(self._copy_slice, bucket=bucket, rows=rows)
        merged = await self._writer.change(copy, rows=rows.rows, before=self._attach)
        self.rows = min(2 * self.rows, SLICE_ROWS) if merged.rows == rows.rows else merged.rows
        return merged

    def _attach(self, db: apsw.Connection) -> None:
        """Attach our file if another import, or a new connection, has taken its place."""
        if db.db_filename("staged") == str(self._path):
            return
        if self._is_attached:  # the numbers of former slices are lost, so the next values do not follow them
            self._find_fresh = _FIND_FRESH
        self._is_attached = True
        _detach(db)
        # Immutable: no process writes it any more, so no lock is taken on it at every commit.
        attach(db, self._path, "staged", options=UNCHANGING)
        db.execute(_TABLES)
        db.pragma("cache_size", -_CACHE_KIB)

    def _copy_slice(self, changes: SqliteTransaction, bucket: StagedBucket, rows: StagedRange) -> MergedRows:
        """Copy rows until something is waiting for the writer."""
        imported, first, ends_at = 0, rows.first, perf_counter() + SLICE_S
        while first <= rows.last:
            step = StagedRange(bucket=rows.bucket, first=first, last=min(first + self._pace.rows - 1, rows.last))
            copy = self._pace.timed(partial(self._copy_step, bucket=bucket, rows=step), rows=step.rows)
            imported += copy(changes)
            first = step.last + 1
            if self._writer.is_awaited or perf_counter() > ends_at:
                break
        return MergedRows(first - rows.first, imported)

    def _copy_step(self, changes: SqliteTransaction, bucket: StagedBucket, rows: StagedRange) -> int:
        db, key, origin = changes.db, changes.bucket_key(bucket.id), ORIGIN - STAGED_FROM
        place = {"bucket": key, "number": bucket.number, "first": rows.first, "last": rows.last, "origin": origin}
        extent = msgspec.convert(db.execute(_EXTENT, place).fetchone(), tuple[int, int, int, int, int])
        first_start, last_start, duration, end, used = extent
        self._copy_values(changes, bucket, {**place, "used": used})
        is_known = db.execute(_HAS_EVENTS, (key, first_start - origin, last_start - origin)).get
        place["id"] = changes.take_event_ids(rows.rows)
        shift = db.execute(_SHIFT, place).get
        insert = _COPY_UNKNOWN if is_known else _COPY_ALL if shift is None else _COPY_SHIFTED
        db.execute(insert, {**place, "shift": shift})
        copied = db.changes()
        if copied:
            changes.add_month_events(
                bucket.id,
                events=copied,
                start=first_start + STAGED_FROM,
                max_duration=duration,
                max_end=end + STAGED_FROM,
            )
        return copied

    def _copy_values(self, changes: SqliteTransaction, bucket: StagedBucket, place: Mapping[str, int]) -> None:
        """Copy the values that the rows of a step use and the bucket does not have; note the keys of all."""
        db = changes.db
        mark = db.execute(_MARK, place).get
        if mark is None:
            is_ours = not changes.find_all([bucket.id])[bucket.id].months  # it has never had an event
        else:
            is_ours = not db.execute(_HAS_OTHERS, (mark, place["bucket"])).get
        db.execute("DELETE FROM temp.fresh")
        db.execute(self._find_fresh, place)
        if not is_ours:
            db.execute(_NOTE_KNOWN, place)
            db.execute(_DROP_KNOWN)
            db.execute(_FORGET_SHIFT, place)
        last = {**place, "key": db.execute(_HIGHEST_KEY).get}
        db.execute(_NUMBER_FRESH, last)
        db.execute(_COPY_FRESH, last)
        if is_ours:
            db.execute(_NOTE_SHIFT, last)
            db.execute(_KEEP_MARK, place)


def _detach(db: apsw.Connection) -> None:
    if "staged" in db.db_names():
        db.execute("DETACH staged")
        db.execute(_DROP_TABLES)
        db.pragma("cache_size", -PAGE_CACHE_KIB)
