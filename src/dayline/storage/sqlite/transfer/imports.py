"""Copies staged rows into the file: each slice is one change of the writer, so it shares commits with others."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path

import apsw
import msgspec

from dayline.model.errors import StoreBusy
from dayline.runtime.sqlite_file import UNCHANGING, attach
from dayline.storage.disk_faults import child_error
from dayline.storage.operations.background import SlicePace
from dayline.storage.operations.children import ChildFailed, ChildFunction
from dayline.storage.sqlite.file.schema import ORIGIN
from dayline.storage.sqlite.writing.transaction import SqliteTransaction
from dayline.storage.sqlite.writing.writer import FileWriter
from dayline.storage.transfer.report import ImportSurvey
from dayline.storage.transfer.staging import STAGED_FROM, Staged, StagedBucket, StagedRange

# Maps the number of a value in the staged file to its key. A temporary table, so it is in memory and in no log.
_NUMBERS = "CREATE TEMP TABLE IF NOT EXISTS numbers(number INTEGER PRIMARY KEY, key INTEGER)"
# CROSS JOIN fixes the order of the loops: from the rows of the slice to their values to ours.
_COPY_VALUES = """
INSERT INTO main.value(bucket, hash, json)
SELECT :bucket, new.hash, new.json FROM staged.fresh CROSS JOIN staged.value AS new
WHERE fresh.row BETWEEN :first AND :last AND new.number = fresh.value
AND NOT EXISTS (SELECT 1 FROM main.value WHERE hash = new.hash AND bucket = :bucket AND json = new.json)
ORDER BY fresh.row
"""
_NOTE_NUMBERS = """
INSERT OR IGNORE INTO temp.numbers(number, key)
SELECT new.number, value.key FROM staged.fresh CROSS JOIN staged.value AS new CROSS JOIN main.value AS value
WHERE fresh.row BETWEEN :first AND :last AND new.number = fresh.value
AND value.hash = new.hash AND value.bucket = :bucket AND value.json = new.json
"""
_COPY_ROWS = """
INSERT INTO main.event(bucket, start, id, duration, value)
SELECT :bucket, new.start - :origin, :id + new.number - :first, new.duration, numbers.key
FROM staged.row AS new CROSS JOIN temp.numbers
WHERE new.number BETWEEN :first AND :last AND numbers.number = new.value
AND NOT EXISTS (
    SELECT 1 FROM main.event AS old WHERE old.bucket = :bucket AND old.start = new.start - :origin
    AND old.duration = new.duration AND (old.value = numbers.key OR EXISTS (
        SELECT 1 FROM main.value AS changed CROSS JOIN main.value AS same
        WHERE changed.key = old.value AND same.key = numbers.key AND same.json = changed.json
    ))
)
ORDER BY new.number
"""
_EXTENT = """
SELECT min(start), max(duration), max(start + duration) FROM staged.row WHERE number BETWEEN ? AND ?
"""

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
        self._pace = SlicePace()

    @property
    def rows(self) -> int:
        return self._pace.rows

    async def merge(self, bucket: StagedBucket, rows: StagedRange) -> int:
        copy = self._pace.timed(partial(_copy_slice, bucket_id=bucket.id, rows=rows), rows=rows.rows)
        return await self._writer.change(copy, rows=rows.rows, before=lambda db: _attach(db, self._path))


def _copy_slice(changes: SqliteTransaction, bucket_id: str, rows: StagedRange) -> int:
    db = changes.db
    place = {"bucket": changes.bucket_key(bucket_id), "first": rows.first, "last": rows.last}
    db.execute(_COPY_VALUES, place)
    db.execute(_NOTE_NUMBERS, place)
    db.execute(_COPY_ROWS, {**place, "origin": ORIGIN - STAGED_FROM, "id": changes.take_event_ids(rows.rows)})
    copied = db.changes()
    if copied:
        extent = db.execute(_EXTENT, (rows.first, rows.last)).fetchone()
        start, duration, end = msgspec.convert(extent, tuple[int, int, int])
        start, end = start + STAGED_FROM, end + STAGED_FROM
        changes.add_month_events(bucket_id, events=copied, start=start, max_duration=duration, max_end=end)
    return copied


def _attach(db: apsw.Connection, path: Path) -> None:
    if db.db_filename("staged") != str(path):
        _detach(db)
        # Immutable: no process writes it any more, so no lock is taken on it at every commit.
        attach(db, path, "staged", options=UNCHANGING)
        db.execute(_NUMBERS)


def _detach(db: apsw.Connection) -> None:
    if "staged" in db.db_names():
        db.execute("DETACH staged")
        db.execute("DROP TABLE IF EXISTS temp.numbers")
