"""Finds closed months of a tenant without a segment and texts that are not indexed, and starts the builders.

   month        open ───────┤ closed    write      quiet
   sealed                     ▕▔▔▔▔▔▔▔▔▔▏            ▕▔▔▔▔▔▔▔
   segment                      version 0   stale       version 1

A separate process builds them (builder.py); its libraries are not loaded here. Every server looks for missing ones, and
one of them builds.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from functools import partial
from itertools import groupby, islice
from typing import Final

from dayline.model.time import Microseconds, month_of
from dayline.runtime.background import BackgroundWorkers
from dayline.storage.columns.months import GRACE, ClosedMonth, SegmentKey, SegmentPace
from dayline.storage.columns.scheduler import SegmentScheduler, WantedMonths
from dayline.storage.postgres.connection import Readers
from dayline.storage.postgres.derived.job import BuildJob, WordJob, run_builder, run_indexer
from dayline.storage.postgres.derived.segments import missing_months, seal
from dayline.storage.postgres.derived.words import has_words_to_index
from dayline.storage.postgres.writing.writer import PostgresTenantWriter

MONTHS_A_CHANGE: Final = 12  # sealed together: the longest wait of a heartbeat

log = logging.getLogger(__name__)


class PostgresSegmentScheduler(SegmentScheduler):
    """Schedules the builder. `building` is shared by all tenants: a server runs one builder at a time."""

    def __init__(
        self,
        address: str,
        tenant_writer: PostgresTenantWriter,
        readers: Readers,
        *,
        pace: SegmentPace,
        clock: Callable[[], Microseconds],
        building: asyncio.Lock,
        background: BackgroundWorkers,
    ) -> None:
        super().__init__(self._pass, pace=pace, background=background, tenant=tenant_writer.tenant)
        self._address = address
        self._tenant_writer = tenant_writer
        self._readers = readers
        self._clock = clock
        self._building = building
        self._wanted = WantedMonths()
        self._survey: asyncio.Future[tuple[list[ClosedMonth], bool]] | None = None

    async def close(self) -> None:
        await super().close()
        if self._survey is not None:
            await asyncio.wait([self._survey])

    async def _pass(self, *, is_urgent: bool) -> bool:
        """Build what is missing; returns whether anything was built."""
        async with self._building:
            if self.is_held:
                return False
            months, has_new_words = await self._surveyed()
            if has_new_words:
                await run_indexer(WordJob(self._address, self._tenant_writer.tenant))
            wanted = [month for month in months if self._wanted.is_wanted(month, set(), is_urgent=is_urgent)]
            places = await self._seal(wanted)
            if not places:
                return False
            report = await run_builder(
                BuildJob(address=self._address, tenant=self._tenant_writer.tenant, places=places)
            )
            self._wanted.unpackable.update(report.unpackable)
            log.debug("built segments of %d months", len(report.built))
            return bool(report.built)

    async def _surveyed(self) -> tuple[list[ClosedMonth], bool]:
        self._survey = asyncio.ensure_future(asyncio.to_thread(self._look))
        return await asyncio.shield(self._survey)

    def _look(self) -> tuple[list[ClosedMonth], bool]:
        """The closed months, and whether there are words to index."""
        before, tenant, pace = month_of(self._clock() - GRACE), self._tenant_writer.tenant, self._pace
        with self._readers.transaction(tenant) as db:
            months = missing_months(db, tenant, before=before, min_events=pace.min_events)
            return months, has_words_to_index(db, tenant, min_values=pace.min_values)

    async def _seal(self, months: Sequence[ClosedMonth]) -> list[SegmentKey]:
        """Seal the open ones; returns their current state."""
        places = [month.place for month in months if month.is_sealed]
        for bucket, group in groupby((each for each in months if not each.is_sealed), key=lambda month: month.bucket):
            numbers = (month.month for month in group)
            while some := list(islice(numbers, MONTHS_A_CHANGE)):
                sealing = partial(seal, bucket=bucket, months=some, min_events=self._pace.min_events)
                places += await self._tenant_writer.change(sealing)
        return places
