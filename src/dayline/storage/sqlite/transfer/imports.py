"""Second stage of an import: copies staged rows in short slices between heartbeats.

Each slice is one change of the writer, so it shares commits with other changes. A crash leaves whole slices behind;
sending the documents again skips those and continues.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from time import perf_counter

import apsw
import msgspec
from msgspec import UNSET

from dayline.model.errors import StoreBusy
from dayline.model.time import Microseconds
from dayline.storage.background import SlicePace
from dayline.storage.sqlite.file.schema import ORIGIN
from dayline.storage.sqlite.transfer.import_worker import survey_import
from dayline.storage.sqlite.writing.transaction import SqliteTransaction
from dayline.storage.sqlite.writing.writer import Writer
from dayline.storage.store import ImportProgress, ImportReport, ImportSurvey
from dayline.storage.transfer.staging import STAGED_FROM, StagedBucket, new_bucket, stage_documents
from dayline.transform.privacy import PrivacyRules

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
INSERT INTO temp.numbers(number, key)
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
    AND old.duration = new.duration AND old.value = numbers.key
)
ORDER BY new.number
"""
_EXTENT = """
SELECT min(start), max(duration), max(start + duration) FROM staged.row WHERE number BETWEEN ? AND ?
"""


async def import_files(
    writer: Writer,
    documents: Sequence[Path],
    *,
    rules: PrivacyRules,
    folder: Path,
    now: Microseconds,
    on_progress: ImportProgress | None = None,
) -> ImportReport:
    """Stage the documents in a child process, then copy the rows. `folder` is for the staged file."""
    path = (folder / "staged.db").resolve()  # as SQLite reports it, or `_attach` would not recognise it
    staged = await stage_documents(path, documents, rules)
    imported = 0
    try:
        for bucket in staged.buckets:
            await writer.change(partial(_create, staged=bucket, now=now))
        buckets = {bucket.number: bucket for bucket in staged.buckets}
        total = sum(part.last - part.first + 1 for part in staged.parts)
        pace, done = SlicePace(), 0
        for part in staged.parts:
            first = part.first
            while first <= part.last:
                last = min(first + pace.rows - 1, part.last)
                slice_ = asyncio.ensure_future(_copy(writer, path, buckets[part.bucket].id, (first, last), pace))
                try:
                    await asyncio.shield(slice_)
                finally:
                    # A cancelled call still waits for the slice in progress: the writer commits it anyway.
                    imported += await slice_
                    done += last - first + 1
                    first = last + 1
                    if on_progress is not None:
                        on_progress(done, total, imported)
    except StoreBusy as error:
        raise StoreBusy(
            f"{error.message}; {imported:,} events of the import are stored",
            hint="send the document again later: stored events are skipped",
        ) from error
    finally:
        with suppress(StoreBusy):  # the next import detaches it
            await writer.between_commits(_detach)
    return ImportReport(
        buckets=len(staged.buckets),
        imported=imported,
        skipped=staged.events - imported,
        invalid=staged.invalid,
        dropped=staged.dropped or UNSET,
    )


async def _copy(writer: Writer, path: Path, bucket_id: str, rows: tuple[int, int], pace: SlicePace) -> int:
    first, last = rows

    def copy(changes: SqliteTransaction) -> int:
        started = perf_counter()
        copied = _copy_slice(changes, bucket_id, first, last)
        pace.note(last - first + 1, perf_counter() - started)
        return copied

    return await writer.change(copy, rows=last - first + 1, before=lambda db: _attach(db, path))


def _copy_slice(changes: SqliteTransaction, bucket_id: str, first: int, last: int) -> int:
    db, key = changes.db, changes.bucket_key(bucket_id)
    place = {"bucket": key, "first": first, "last": last}
    db.execute(_COPY_VALUES, place)
    db.execute(_NOTE_NUMBERS, place)
    db.execute(_COPY_ROWS, {**place, "origin": ORIGIN - STAGED_FROM, "id": changes.take_event_ids(last - first + 1)})
    copied = db.changes()
    if copied:
        start, duration, end = msgspec.convert(db.execute(_EXTENT, (first, last)).fetchone(), tuple[int, int, int])
        start, end = start + STAGED_FROM, end + STAGED_FROM
        changes.cover_part(bucket_id, events=copied, start=start, max_duration=duration, max_end=end)
    return copied


def _create(changes: SqliteTransaction, staged: StagedBucket, now: Microseconds) -> None:
    if changes.has_bucket(staged.id):
        return
    changes.create_bucket(new_bucket(staged, now))


def _attach(db: apsw.Connection, path: Path) -> None:
    if db.db_filename("staged") != str(path):
        _detach(db)
        # Immutable: no process writes it any more, so no lock is taken on it at every commit.
        db.execute("ATTACH ? AS staged", (f"{path.as_uri()}?mode=ro&immutable=1",))
        db.execute(_NUMBERS)


def _detach(db: apsw.Connection) -> None:
    if "staged" in db.db_names():
        db.execute("DETACH staged")
        db.execute("DROP TABLE IF EXISTS temp.numbers")


class SqliteImporter:
    """The Importer of one file."""

    def __init__(self, writer: Writer, path: Path) -> None:
        self._writer = writer
        self._path = path

    async def survey(self, spooled: Sequence[Path], *, rules: PrivacyRules, folder: Path) -> ImportSurvey:
        return await survey_import(self._path, spooled, rules=rules, folder=folder)

    async def run(
        self,
        spooled: Sequence[Path],
        *,
        rules: PrivacyRules,
        folder: Path,
        now: Microseconds,
        on_progress: ImportProgress | None,
    ) -> ImportReport:
        return await import_files(self._writer, spooled, rules=rules, folder=folder, now=now, on_progress=on_progress)
