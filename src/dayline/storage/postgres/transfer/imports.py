"""An import: documents are staged in a process of their own, then merged in short slices, between heartbeats.

A crash leaves whole slices behind; sending the documents again skips those and goes on.
"""

import asyncio
from array import array
from collections.abc import Sequence
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Final

from msgspec import UNSET

from dayline.model.errors import BucketExists, StoreBusy
from dayline.model.timestamps import Microseconds
from dayline.storage.base import ImportProgress, ImportReport, ImportSurvey
from dayline.storage.postgres.connections.connection import Readers
from dayline.storage.postgres.transfer.import_slices import Dictionary, Merged, Slice, merge_slice
from dayline.storage.postgres.transfer.import_survey import survey
from dayline.storage.postgres.transfer.staged_rows import StagedRows, StagedRun, runs_of
from dayline.storage.postgres.writing.bucket_changes import create_bucket
from dayline.storage.postgres.writing.scribe import Scribe
from dayline.storage.postgres.writing.turn import Turn
from dayline.storage.slice_pace import SlicePace
from dayline.storage.transfer.staged import Staged, StagedBucket, new_bucket
from dayline.storage.transfer.staging_process import stage_documents
from dayline.transform.privacy import PrivacyRules

SLICE_ROWS: Final = 5000
SLICE_S: Final = 0.08  # what a slice should take: a heartbeat waits for one at most, beside its own commit


async def import_files(
    scribe: Scribe,
    spooled: Sequence[Path],
    *,
    rules: PrivacyRules,
    folder: Path,
    now: Microseconds,
    on_progress: ImportProgress | None,
) -> ImportReport:
    """Stage the documents, then merge the rows. `folder` takes the staged file. Raises Malformed or Invalid."""
    path = folder / "staged.db"
    staged = await stage_documents(path, spooled, rules)
    imported = done = 0
    total = sum(part.last - part.first + 1 for part in staged.parts)
    await scribe.change(partial(_create, buckets=staged.buckets, now=now))
    try:
        with closing(StagedRows(path)) as rows:
            merging = _Merging(scribe, staged, rows)
            for run in runs_of(staged):
                first = run.first
                while first <= run.last:
                    last = min(first + merging.rows - 1, run.last)
                    slice_ = asyncio.ensure_future(merging.merge(run, first, last))
                    try:
                        await asyncio.shield(slice_)
                    finally:
                        # Whoever cancels is told of what is on its way too: the writer commits it all the same.
                        imported += await slice_
                        done += last - first + 1
                        first = last + 1
                        if on_progress is not None:
                            on_progress(done, total, imported)
    except StoreBusy as error:
        raise StoreBusy(
            f"{error.message}; {imported:,} events of the import are stored",
            hint="send the document again later: what is there already is skipped",
        ) from error
    return ImportReport(
        buckets=len(staged.buckets),
        imported=imported,
        skipped=staged.events - imported,
        invalid=staged.invalid,
        dropped=staged.dropped or UNSET,
    )


async def survey_import(
    readers: Readers, tenant: str, spooled: Sequence[Path], *, rules: PrivacyRules, folder: Path
) -> ImportSurvey:
    """What `import_files` would do, and raise, with nothing changed."""
    path = folder / "staged.db"
    staged = await stage_documents(path, spooled, rules)
    return await asyncio.to_thread(survey, readers, tenant, path, staged)


class _Merging:
    """Slices one after the other. What values are called here is remembered from one to the next."""

    def __init__(self, scribe: Scribe, staged: Staged, rows: StagedRows) -> None:
        self._scribe = scribe
        self._staged = staged
        self._ids = {bucket.number: bucket.id for bucket in staged.buckets}
        self._rows = rows
        self._pace = SlicePace(most=SLICE_ROWS, seconds=SLICE_S)
        self._bucket = 0
        self._dictionary: Dictionary | None = None
        self._keys = self._no_keys()

    @property
    def rows(self) -> int:
        """How many to merge at once."""
        return self._pace.rows

    async def merge(self, run: StagedRun, first: int, last: int) -> int:
        """Merge these rows of a bucket; how many were new."""
        if run.bucket != self._bucket:
            self._bucket, self._dictionary = run.bucket, None
        while True:
            part = await asyncio.to_thread(self._read, first, last)
            merged = await self._scribe.change(partial(self._merge, part=part))
            if merged is not None:
                break
            # Somebody has changed texts of the bucket, or put another in its place.
            self._dictionary, self._keys = None, self._no_keys()
        self._dictionary = merged.dictionary
        for number, key in merged.keys.items():
            self._keys[number] = key
        return merged.imported

    def _merge(self, turn: Turn, part: Slice) -> Merged | None:
        started = perf_counter()
        merged = merge_slice(turn, self._ids[self._bucket], part)
        self._pace.note(len(part.rows), perf_counter() - started)
        return merged

    def _read(self, first: int, last: int) -> Slice:
        rows = self._rows.rows(first, last)
        numbers = {row.value for row in rows}
        keys = {number: key for number in numbers if (key := self._keys[number])}
        texts = self._rows.texts(numbers - keys.keys())
        return Slice(rows=rows, dictionary=self._dictionary, keys=keys, texts=texts)

    def _no_keys(self) -> "array[int]":
        """By number of the staged value, 0 where the key is not known: eight bytes each, however many there are."""
        return array("q", bytes(8 * (self._staged.values + 1)))


def _create(turn: Turn, buckets: Sequence[StagedBucket], now: Microseconds) -> None:
    """Make the buckets that are missing, all or none: one may have a text that PostgreSQL cannot keep."""
    there = turn.find_all(bucket.id for bucket in buckets)
    for bucket in buckets:
        if bucket.id not in there:
            with suppress(BucketExists):  # it is in two documents, or somebody was quicker
                create_bucket(turn, new_bucket(bucket, now))
