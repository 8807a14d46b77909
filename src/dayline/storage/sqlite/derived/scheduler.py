"""Finds closed months without a segment and texts that are not indexed, and starts the builder.

   month        open ───────┤ closed    write      quiet
   sealed                     ▕▔▔▔▔▔▔▔▔▔▏            ▕▔▔▔▔▔▔▔
   segment                      version 0   stale       version 1

A separate process builds them (builder.py); its libraries are not loaded here. If there is nothing to do, this only
reads the table of months now and then.
"""

import asyncio
import logging
import shutil
from collections.abc import Callable, Sequence
from functools import partial
from itertools import groupby, islice
from pathlib import Path
from typing import Final

import apsw
import msgspec

from dayline.model.time import Microseconds, month_of
from dayline.runtime.background import BackgroundWorkers
from dayline.storage.columns.months import GRACE, ClosedMonth, SegmentKey, SegmentPace
from dayline.storage.columns.scheduler import SegmentScheduler, WantedMonths
from dayline.storage.sqlite.derived.file import (
    damage_mark,
    derived_path,
    epoch_of,
    identity,
    remove_derived,
    stored_places,
    stored_texts,
)
from dayline.storage.sqlite.derived.job import BuildJob, run_builder
from dayline.storage.sqlite.derived.text_index import has_texts_to_index
from dayline.storage.sqlite.file.connection import ReaderPool
from dayline.storage.sqlite.writing.transaction import SqliteTransaction
from dayline.storage.sqlite.writing.writer import Writer

_CLOSED: Final = """
SELECT bucket, bucket.id, month, events, longest, reach, is_sealed, changes
FROM month JOIN bucket ON bucket.key = month.bucket
WHERE bucket.deleted IS NULL AND month < ? AND events >= ? ORDER BY bucket, month
"""


def closed_months(db: apsw.Connection, *, before: int, min_events: int) -> list[ClosedMonth]:
    """All months before that one with at least `min_events` events."""
    return msgspec.convert(db.execute(_CLOSED, (before, min_events)).fetchall(), list[ClosedMonth], strict=False)


MONTHS_A_CHANGE: Final = 12  # sealed together: the longest wait of a heartbeat
RESERVED_BYTES: Final = 128 << 20  # bytes: the last disk space is reserved for recording

log = logging.getLogger(__name__)


class SqliteSegmentScheduler(SegmentScheduler):
    """Schedules the builder. `close` ends it at once, with the process that it may have started."""

    def __init__(
        self,
        path: Path,
        writer: Writer,
        readers: ReaderPool,
        *,
        pace: SegmentPace,
        clock: Callable[[], Microseconds],
        background: BackgroundWorkers,
    ) -> None:
        super().__init__(self._pass, pace=pace, background=background)
        self._path = path
        self._writer = writer
        self._readers = readers
        self._clock = clock
        self._built: set[SegmentKey] = set()
        self._file: tuple[int, int] | None = None  # identity of the derived file
        self._wanted = WantedMonths()
        self._building = asyncio.Lock()
        self._survey: asyncio.Future[tuple[list[ClosedMonth], bool]] | None = None

    async def drop(self) -> None:
        """Delete the derived file, to be built again soon."""
        async with self._building:
            await asyncio.to_thread(remove_derived, self._path)
            self._built, self._file = set(), None
        self.look_soon()

    async def close(self) -> None:
        await super().close()
        if self._survey is not None:
            await asyncio.wait([self._survey])  # its connection must be closed before the writer's

    async def _pass(self, *, is_urgent: bool) -> bool:
        """Build what is missing; returns whether anything was built."""
        async with self._building:
            if self.is_held or not self._has_disk_space():
                return False
            months, has_new_texts = await self._surveyed()
            is_damaged = damage_mark(self._path).exists()
            if is_damaged:
                self._built = set()
            wanted = [month for month in months if self._wanted.is_wanted(month, self._built, is_urgent=is_urgent)]
            if not wanted and not is_damaged and not has_new_texts:
                return False
            job = BuildJob(places=await self._seal(wanted), is_from_scratch=is_damaged)
            before, self._built, self._file = self._built, set(), None  # if it fails, the file is read again
            report = await run_builder(self._path, job)
            damage_mark(self._path).unlink(missing_ok=True)
            self._built = {*report.built} if report.is_new else {*before, *report.built}
            self._file = identity(derived_path(self._path))
            self._wanted.unpackable.update(report.unpackable)
            log.debug("built segments of %d months", len(report.built))
            return bool(report.built)

    def _has_disk_space(self) -> bool:
        """Whether there is enough disk space: segments take a tenth of the recorded data, full text up to a third."""
        return shutil.disk_usage(self._path.parent).free > RESERVED_BYTES + self._path.stat().st_size // 2

    async def _surveyed(self) -> tuple[list[ClosedMonth], bool]:
        self._survey = asyncio.ensure_future(asyncio.to_thread(self._look))
        return await asyncio.shield(self._survey)

    def _look(self) -> tuple[list[ClosedMonth], bool]:
        """The closed months, and whether there are texts to index.

        Reads the derived file again if it was replaced.
        """
        path = derived_path(self._path)
        with self._readers.transaction() as db:
            before = month_of(self._clock() - GRACE)
            months = closed_months(db, before=before, min_events=self._pace.min_events)
            epoch = epoch_of(db)
            marks = stored_texts(path, epoch=epoch)
            has_new_texts = has_texts_to_index(db, marks, min_values=self._pace.min_values)
        if identity(path) != self._file:
            self._file, self._built = identity(path), stored_places(path, epoch=epoch)
        return months, has_new_texts

    async def _seal(self, months: Sequence[ClosedMonth]) -> list[SegmentKey]:
        places: list[SegmentKey] = []
        for (bucket_id, key), group in groupby(months, key=lambda month: (month.bucket_id, month.bucket)):
            numbers = (month.month for month in group)
            while some := list(islice(numbers, MONTHS_A_CHANGE)):
                places += await self._writer.change(partial(_seal, bucket_id=bucket_id, key=key, months=some))
        return places


def _seal(changes: SqliteTransaction, *, bucket_id: str, key: int, months: Sequence[int]) -> list[SegmentKey]:
    return changes.seal(bucket_id, key, months)
