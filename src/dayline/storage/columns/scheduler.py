"""Schedules the building of segments: at intervals, while a large import runs and soon after any, less after failures.

   month        open ───────┤ closed    write      quiet
   sealed                     ▕▔▔▔▔▔▔▔▔▔▏            ▕▔▔▔▔▔▔▔
   segment                      version 0   stale       version 1

A separate process builds segments; its libraries are not loaded here. If there is nothing to do, a pass only reads the
table of months.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from functools import partial
from itertools import groupby, islice
from typing import Final, Protocol

from msgspec import Struct
from msgspec.structs import replace

from dayline.model.errors import Unavailable
from dayline.model.time import Microseconds, month_of, now_us
from dayline.runtime.background import BackgroundWorkers
from dayline.storage.columns.segment_plan import (
    GRACE,
    BuildReport,
    ClosedMonth,
    OnMonthImported,
    QuietMonths,
    SegmentKey,
    SegmentPace,
)
from dayline.storage.operations.children import ChildFailed

FOLLOW_S: Final = 0.2  # how often the months that an import has finished are looked for while others are built
MONTHS_A_CHANGE: Final = 12  # sealed together: the longest wait of a heartbeat
_MAX_RETRIES_APART: Final = 64  # intervals: a failing build may take long

log = logging.getLogger(__name__)


class MissingMonths(Struct, frozen=True, kw_only=True):
    """The closed months without a valid segment, by bucket, and whether something else has to be built."""

    months: Sequence[ClosedMonth]
    has_texts: bool = False  # that are not indexed
    is_damaged: bool = False  # the derived data has to be replaced


class ImportedMonths:
    """The months, by id of their bucket, that the imports in progress have finished."""

    def __init__(self) -> None:
        self._finished: set[tuple[str, int]] = set()
        self.events = 0
        self.waiting = 0  # events since the last pass

    def add(self, bucket_id: str, month: int, events: int) -> None:
        self._finished.add((bucket_id, month))
        self.events += events
        self.waiting += events

    def buildable(self, survey: MissingMonths) -> MissingMonths:
        """What to build while the import runs: its finished months, unless they change often; no texts yet."""
        months = [
            month for month in survey.months if month.changes == 0 and (month.bucket_id, month.month) in self._finished
        ]
        return replace(survey, months=months, has_texts=False)


class SegmentEngine(Protocol):
    """The derived data of one tenant."""

    def survey(self, *, before: int) -> MissingMonths | None:
        """Look at the months before this one; None if there is no disk space to build anything. Runs on a thread."""
        ...

    async def seal(self, bucket_id: str, bucket: int, months: Sequence[int]) -> list[SegmentKey]:
        """Seal months, so that their next change is counted; returns the state of those that need a segment.

        Nothing is sealed if the bucket was deleted.
        """
        ...

    async def build(self, places: Sequence[SegmentKey], survey: MissingMonths, *, follows: bool = False) -> BuildReport:
        """Build the segments of sealed months and what else the survey found. Raises ChildFailed.

        `follows`: also those of months that are sealed while it runs, until there are none for a moment.
        """
        ...


class SegmentScheduler:
    """The background task that builds segments. `start` begins it; `close` ends it and the build in progress.

    One pass at a time runs under `building`, which several tenants may share.
    """

    def __init__(
        self,
        engine: SegmentEngine,
        *,
        pace: SegmentPace,
        background: BackgroundWorkers,
        tenant: str = "",
        building: asyncio.Lock | None = None,
        clock: Callable[[], Microseconds] = now_us,
    ) -> None:
        self._engine = engine
        self._pace = pace
        self._clock = clock
        self._building = building or asyncio.Lock()
        self._survey: asyncio.Future[MissingMonths | None] | None = None
        self._quiet = QuietMonths()
        self._unpackable: set[int] = set()  # buckets whose data does not fit into columns
        self._imports = 0  # in progress
        self._imported = ImportedMonths()
        self._is_urgent = False
        self._timer: asyncio.TimerHandle | None = None
        self._task = background.task(
            "segment builder",
            self._run,
            interval_s=pace.interval_s,
            initial_delay_s=pace.initial_delay_s,
            retry_s=pace.interval_s,
            max_retry_s=_MAX_RETRIES_APART * pace.interval_s,
            tenant=tenant,
        )

    def start(self) -> None:
        """Call it on the event loop."""
        self._task.start()

    @contextlib.contextmanager
    def import_under_way(self) -> Generator[OnMonthImported]:
        """Pause building during an import, which would invalidate it at once, and run soon after.

        Yields the function that the import calls with each month it has finished: with many events, they are built
        while it runs, and the last ones at once after it.
        """
        self._imports += 1
        try:
            yield self._note_imported
        finally:
            self._imports -= 1
            if self._imported.events >= self._pace.imported_events:
                self._task.wake()
            else:
                self._look_soon()
            if not self._imports:
                self._imported = ImportedMonths()

    def _note_imported(self, bucket_id: str, month: int, events: int) -> None:
        self._imported.add(bucket_id, month, events)
        if self._imported.waiting >= self._pace.imported_events:
            self._imported.waiting = 0
            self._task.wake()

    @contextlib.contextmanager
    def redaction_under_way(self) -> Generator[None]:
        """Pause building during a redaction. Afterwards recently changed months are built too: they will not change
        again.
        """
        with self.import_under_way():
            try:
                yield
            finally:
                self._is_urgent = True

    @contextlib.asynccontextmanager
    async def between_builds(self) -> AsyncGenerator[None]:
        """Wait for the build in progress and allow no other, to delete derived data; build it again soon after."""
        async with self._building:
            yield
        self._look_soon()

    async def build(self) -> None:
        """Build everything that is missing now, including recently changed months."""
        while await self._pass(is_urgent=True):
            pass

    async def close(self) -> None:
        self._cancel_timer()
        await self._task.close()
        if self._survey is not None:
            await asyncio.wait([self._survey])  # its connection must be closed before the writer's

    def _look_soon(self) -> None:
        self._cancel_timer()
        self._timer = asyncio.get_running_loop().call_later(self._pace.after_import_s, self._task.wake)

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    async def _run(self) -> None:
        try:
            await self._pass(is_urgent=self._is_urgent)
        except ChildFailed as error:
            raise Unavailable(f"the segment builder failed: {error}") from error
        self._is_urgent = self._imports > 0 and self._is_urgent

    async def _pass(self, *, is_urgent: bool) -> bool:
        """Build what is missing, if `is_urgent` in recently changed months too; returns whether a segment was built."""
        async with self._building:
            if self._imports and not self._imported.events:
                return False
            survey = await self._surveyed()
            if survey is None:
                return False
            wanted = [month for month in survey.months if self._is_wanted(month, is_urgent=is_urgent)]
            places = await self._seal(wanted)
            if not places and not survey.has_texts and not survey.is_damaged:
                return False
            report = await self._built(places, survey)
            self._unpackable.update(report.unpackable)
            log.debug("Built segments of %d months", len(report.built))
            return bool(report.built)

    async def _surveyed(self) -> MissingMonths | None:
        before = month_of(self._clock() - GRACE)
        self._survey = asyncio.ensure_future(asyncio.to_thread(partial(self._engine.survey, before=before)))
        survey = await asyncio.shield(self._survey)
        return self._imported.buildable(survey) if self._imports and survey is not None else survey

    async def _built(self, places: Sequence[SegmentKey], survey: MissingMonths) -> BuildReport:
        """Build months; during an import, the builder also builds those that are finished while it runs."""
        if not self._imports:
            return await self._engine.build(places, survey)
        building = asyncio.ensure_future(self._engine.build(places, survey, follows=True))
        try:
            while not (await asyncio.wait({building}, timeout=FOLLOW_S))[0]:
                now = await self._surveyed()
                # Months that were built before wait until they are quiet.
                await self._seal([month for month in now.months if month.changes == 0] if now is not None else [])
            return await building
        finally:
            building.cancel()
            await asyncio.wait({building})

    def _is_wanted(self, month: ClosedMonth, *, is_urgent: bool) -> bool:
        """Whether to pack a month now. Call it once per pass."""
        if month.bucket in self._unpackable:
            return False
        return month.is_sealed or self._quiet.is_quiet(month) or is_urgent

    async def _seal(self, months: Sequence[ClosedMonth]) -> list[SegmentKey]:
        """Seal the open ones; returns the current state of all that need a segment."""
        places = [month.place for month in months if month.is_sealed]
        unsealed = (month for month in months if not month.is_sealed)
        for (bucket_id, bucket), group in groupby(unsealed, key=lambda month: (month.bucket_id, month.bucket)):
            numbers = (month.month for month in group)
            while some := list(islice(numbers, MONTHS_A_CHANGE)):
                places += await self._engine.seal(bucket_id, bucket, some)
        return places
