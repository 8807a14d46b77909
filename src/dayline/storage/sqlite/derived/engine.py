"""The derived file of a database, as the scheduler of segments sees it."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import apsw
import msgspec

from dayline.storage.columns.scheduler import MissingMonths
from dayline.storage.columns.segment_plan import BuildReport, ClosedMonth, SegmentKey, SegmentPace
from dayline.storage.disk_faults import RESERVED_BYTES
from dayline.storage.operations.children import ChildFunction
from dayline.storage.sqlite.derived.file import (
    damage_mark,
    derived_path,
    epoch_of,
    identity,
    stored_places,
    stored_texts,
)
from dayline.storage.sqlite.derived.text_index import has_texts_to_index
from dayline.storage.sqlite.file.connection import ReaderPool
from dayline.storage.sqlite.writing.writer import FileWriter

_CLOSED: Final = """
SELECT bucket, bucket.id, month, events, longest, reach, is_sealed, changes
FROM month JOIN bucket ON bucket.key = month.bucket
WHERE bucket.deleted IS NULL AND month < ? AND events >= ? ORDER BY bucket, month
"""

run_builder = ChildFunction("dayline.storage.sqlite.derived.builder:build", BuildReport, niceness=19)


class SqliteSegmentEngine:
    """See SegmentEngine."""

    def __init__(self, path: Path, writer: FileWriter, readers: ReaderPool, *, pace: SegmentPace) -> None:
        self._path = path
        self._writer = writer
        self._readers = readers
        self._pace = pace
        self._built: set[SegmentKey] = set()
        self._file: tuple[int, int] | None = None  # identity of the derived file that has them

    def survey(self, *, before: int) -> MissingMonths | None:
        if not self._has_disk_space():
            return None
        path = derived_path(self._path)
        with self._readers.transaction() as db:
            months = _closed_months(db, before=before, min_events=self._pace.min_events)
            epoch = epoch_of(db)
            marks = stored_texts(path, epoch=epoch)
            has_texts = has_texts_to_index(db, marks, min_values=self._pace.min_values)
        if identity(path) != self._file:  # it was replaced or deleted
            self._file, self._built = identity(path), stored_places(path, epoch=epoch)
        is_damaged = damage_mark(self._path).exists()
        missing = [month for month in months if is_damaged or not month.is_sealed or month.place not in self._built]
        return MissingMonths(months=missing, has_texts=has_texts, is_damaged=is_damaged)

    async def seal(self, bucket_id: str, bucket: int, months: Sequence[int]) -> list[SegmentKey]:
        return await self._writer.change(lambda tx: tx.seal(bucket_id, bucket, months))

    async def build(self, places: Sequence[SegmentKey], survey: MissingMonths, *, follows: bool = False) -> BuildReport:
        before, self._built, self._file = self._built, set(), None  # if it fails, the file is read again
        report = await run_builder(
            self._path,
            list(places),
            is_from_scratch=survey.is_damaged,
            has_texts=survey.has_texts,
            min_events=self._pace.min_events if follows else None,
        )
        damage_mark(self._path).unlink(missing_ok=True)
        self._built = {*report.built} if report.is_new else {*before, *report.built}
        self._file = identity(derived_path(self._path))
        return report

    def _has_disk_space(self) -> bool:
        """Whether there is enough disk space: segments take a tenth of the recorded data, full text up to a third."""
        return shutil.disk_usage(self._path.parent).free > RESERVED_BYTES + self._path.stat().st_size // 2


def _closed_months(db: apsw.Connection, *, before: int, min_events: int) -> list[ClosedMonth]:
    """All months before that one with at least `min_events` events."""
    return msgspec.convert(db.execute(_CLOSED, (before, min_events)).fetchall(), list[ClosedMonth], strict=False)
