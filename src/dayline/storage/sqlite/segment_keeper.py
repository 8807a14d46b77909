"""Keeps segments of closed months and the full text, in the recording process: finds what is missing, has it built.

    month        open ───────┤ closed    write      quiet
    sealed                     ▕▔▔▔▔▔▔▔▔▔▏            ▕▔▔▔▔▔▔▔
    segment                      version 0   stale       version 1

A process of its own builds them (segment_builder.py); what that needs is not loaded here. Where there is nothing to do,
the keeper only looks at the table of months now and then.
"""

import asyncio
import contextlib
import logging
import shutil
from collections.abc import Callable, Generator, Sequence
from functools import partial
from itertools import groupby, islice
from pathlib import Path
from typing import Final

from dayline.model.errors import StoreBusy, StoreUnusable
from dayline.model.timestamps import SECOND, Microseconds, month_of
from dayline.storage.child import ChildFailed
from dayline.storage.segment_place import SegmentPlace
from dayline.storage.sqlite.changes import Changes
from dayline.storage.sqlite.closed_months import ClosedMonth, QuietMonths, closed_months
from dayline.storage.sqlite.connection import ReaderPool
from dayline.storage.sqlite.segment_file import (
    damage_mark,
    derived_path,
    epoch_of,
    identity,
    remove_derived,
    stored_places,
    stored_texts,
)
from dayline.storage.sqlite.segment_job import BuildJob
from dayline.storage.sqlite.segment_pace import SegmentPace
from dayline.storage.sqlite.segment_process import run_builder
from dayline.storage.sqlite.text_index import has_texts_to_index
from dayline.storage.sqlite.writer import Writer

# The last event of a month goes on for a while after its end, and so does what other devices have still to send.
GRACE: Final[Microseconds] = 3600 * SECOND
MONTHS_A_CHANGE: Final = 12  # sealed together: a heartbeat waits for that at most
ROOM_LEFT: Final = 128 << 20  # bytes: the last room on a disk is for recording
_MOST_DOUBLINGS: Final = 6  # of the pause after a failure

log = logging.getLogger(__name__)


class SegmentKeeper:
    """One task on the event loop. `close` ends it at once, and the process that it may have started."""

    def __init__(
        self,
        path: Path,
        writer: Writer,
        readers: ReaderPool,
        *,
        pace: SegmentPace,
        clock: Callable[[], Microseconds],
    ) -> None:
        self._path = path
        self._writer = writer
        self._readers = readers
        self._pace = pace
        self._clock = clock
        self._imports = 0  # under way
        self._is_urgent = False
        self._built: set[SegmentPlace] = set()
        self._file: tuple[int, int] | None = None  # which file they are in
        self._unfit: set[int] = set()
        self._quiet = QuietMonths()
        self._building = asyncio.Lock()
        self._wake = asyncio.Event()
        self._timer: asyncio.TimerHandle | None = None
        self._survey: asyncio.Future[tuple[list[ClosedMonth], bool]] | None = None
        self._task = asyncio.get_running_loop().create_task(self._run())

    @contextlib.contextmanager
    def import_under_way(self) -> Generator[None]:
        """Build nothing meanwhile, since it would be stale at once, and look soon after."""
        self._imports += 1
        try:
            yield
        finally:
            self._imports -= 1
            self._look_soon()

    @contextlib.contextmanager
    def redaction_under_way(self) -> Generator[None]:
        """The same, and nothing has to be quiet for a while first: it changed all at once, and will not again."""
        with self.import_under_way():
            try:
                yield
            finally:
                self._is_urgent = True

    async def drop(self) -> None:
        """Remove the file of derived data, whatever is in it, to be built again soon."""
        async with self._building:
            await asyncio.to_thread(remove_derived, self._path)
            self._built, self._file = set(), None
        self._look_soon()

    def _look_soon(self) -> None:
        self._cancel_timer()
        self._timer = asyncio.get_running_loop().call_later(self._pace.after_import_s, self._wake.set)

    async def build(self) -> None:
        """Build all that is missing now, even where it was quiet for a short time only."""
        while await self._pass(is_urgent=True):
            pass

    async def close(self) -> None:
        self._cancel_timer()
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task
        if self._survey is not None:
            await asyncio.wait([self._survey])  # its connection has to be closed before the writer's

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    async def _run(self) -> None:
        await self._wait(self._pace.first_s)
        failures = 0
        while True:
            try:
                await self._pass(is_urgent=self._is_urgent)
                self._is_urgent = self._imports > 0 and self._is_urgent
                failures = 0
            except (StoreBusy, StoreUnusable, OSError, ChildFailed) as error:
                log.log(logging.DEBUG if failures else logging.WARNING, "segments were not built: %s", error)
                failures = min(failures + 1, _MOST_DOUBLINGS)
            await self._wait(self._pace.every_s * 2**failures)

    async def _wait(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):  # not wait_for: in Python 3.11 that may swallow a cancellation
                await self._wake.wait()
        self._wake.clear()

    async def _pass(self, *, is_urgent: bool) -> bool:
        """Build what is missing; whether anything was built."""
        async with self._building:
            if self._imports or not self._has_room():
                return False
            months, has_new_texts = await self._surveyed()
            is_damaged = damage_mark(self._path).exists()
            if is_damaged:
                self._built = set()
            wanted = [month for month in months if self._is_wanted(month, is_urgent)]
            if not wanted and not is_damaged and not has_new_texts:
                return False
            job = BuildJob(places=await self._seal(wanted), is_from_scratch=is_damaged)
            before, self._built, self._file = self._built, set(), None  # where it fails, the file is looked into again
            report = await run_builder(self._path, job)
            damage_mark(self._path).unlink(missing_ok=True)
            self._built = {*report.built} if report.is_new else {*before, *report.built}
            self._file = identity(derived_path(self._path))
            self._unfit.update(report.unfit)
            log.debug("segments of %d months were built", len(report.built))
            return bool(report.built)

    def _has_room(self) -> bool:
        """Whether derived data may be written: segments take a tenth of what is recorded, full text up to a third."""
        return shutil.disk_usage(self._path.parent).free > ROOM_LEFT + self._path.stat().st_size // 2

    async def _surveyed(self) -> tuple[list[ClosedMonth], bool]:
        self._survey = asyncio.ensure_future(asyncio.to_thread(self._look))
        return await asyncio.shield(self._survey)

    def _look(self) -> tuple[list[ClosedMonth], bool]:
        """The months that are over, and whether there are texts to be indexed.

        Looks into the file of derived data where it is not the one we know.
        """
        path = derived_path(self._path)
        with self._readers.transaction() as db:
            before = month_of(self._clock() - GRACE)
            months = closed_months(db, before=before, least_events=self._pace.least_events)
            epoch = epoch_of(db)
            marks = stored_texts(path, epoch=epoch)
            has_new_texts = has_texts_to_index(db, marks, least_values=self._pace.least_values)
        if identity(path) != self._file:
            self._file, self._built = identity(path), stored_places(path, epoch=epoch)
        return months, has_new_texts

    def _is_wanted(self, month: ClosedMonth, is_urgent: bool) -> bool:
        if month.bucket in self._unfit:
            return False
        if month.is_sealed:
            return month.place not in self._built
        return self._quiet.is_quiet(month) or is_urgent

    async def _seal(self, months: Sequence[ClosedMonth]) -> list[SegmentPlace]:
        places: list[SegmentPlace] = []
        for (bucket_id, key), group in groupby(months, key=lambda month: (month.bucket_id, month.bucket)):
            numbers = (month.month for month in group)
            while some := list(islice(numbers, MONTHS_A_CHANGE)):
                places += await self._writer.change(partial(_seal, bucket_id=bucket_id, key=key, months=some))
        return places


def _seal(changes: Changes, *, bucket_id: str, key: int, months: Sequence[int]) -> list[SegmentPlace]:
    return changes.seal(bucket_id, key, months)
