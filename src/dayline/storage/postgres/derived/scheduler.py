"""Keeps segments of a tenant's closed months and the index of words, in the recording process: has them built.

    month        open ───────┤ closed    write      quiet
    sealed                     ▕▔▔▔▔▔▔▔▔▔▏            ▕▔▔▔▔▔▔▔
    segment                      version 0   stale       version 1

A process of its own builds them (builder.py); what that needs is not loaded here. Every server looks, and of
those that find something missing one builds it.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
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
from dayline.storage.postgres.writing.writer import Scribe

MONTHS_A_CHANGE: Final = 12  # sealed together: a heartbeat waits for that at most

log = logging.getLogger(__name__)


class PostgresSegmentScheduler:
    """Keeps them at a pace. `building` is one for all tenants: a server has one process that builds."""

    def __init__(
        self,
        address: str,
        scribe: Scribe,
        readers: Readers,
        *,
        pace: SegmentPace,
        clock: Callable[[], Microseconds],
        building: asyncio.Lock,
        background: BackgroundWorkers,
    ) -> None:
        self._address = address
        self._scribe = scribe
        self._readers = readers
        self._pace = pace
        self._clock = clock
        self._building = building
        self._wanted = WantedMonths()
        self._survey: asyncio.Future[tuple[list[ClosedMonth], bool]] | None = None
        self._keeping = SegmentScheduler(self._pass, pace=pace, background=background, tenant=scribe.tenant)

    def start(self) -> None:
        """Begin to look for missing segments. Called on the event loop."""
        self._keeping.start()

    def import_under_way(self) -> AbstractContextManager[None]:
        """Build nothing meanwhile."""
        return self._keeping.import_under_way()

    def redaction_under_way(self) -> AbstractContextManager[None]:
        """The same, and everything soon after."""
        return self._keeping.redaction_under_way()

    async def build(self) -> None:
        """Build all that is missing now, even where it was quiet for a short time only."""
        await self._keeping.build()

    async def close(self) -> None:
        await self._keeping.close()
        if self._survey is not None:
            await asyncio.wait([self._survey])

    async def _pass(self, *, is_urgent: bool) -> bool:
        """Build what is missing; whether anything was built."""
        async with self._building:
            if self._keeping.is_held:
                return False
            months, has_new_words = await self._surveyed()
            if has_new_words:
                await run_indexer(WordJob(self._address, self._scribe.tenant))
            wanted = [month for month in months if self._wanted.is_wanted(month, set(), is_urgent=is_urgent)]
            places = await self._seal(wanted)
            if not places:
                return False
            report = await run_builder(BuildJob(address=self._address, tenant=self._scribe.tenant, places=places))
            self._wanted.unpackable.update(report.unpackable)
            log.debug("segments of %d months were built", len(report.built))
            return bool(report.built)

    async def _surveyed(self) -> tuple[list[ClosedMonth], bool]:
        self._survey = asyncio.ensure_future(asyncio.to_thread(self._look))
        return await asyncio.shield(self._survey)

    def _look(self) -> tuple[list[ClosedMonth], bool]:
        """The months that are over, and whether there are words to be indexed."""
        before, tenant, pace = month_of(self._clock() - GRACE), self._scribe.tenant, self._pace
        with self._readers.transaction(tenant) as db:
            months = missing_months(db, tenant, before=before, min_events=pace.min_events)
            return months, has_words_to_index(db, tenant, min_values=pace.min_values)

    async def _seal(self, months: Sequence[ClosedMonth]) -> list[SegmentKey]:
        """Seal those that are not, and say how they are then."""
        places = [month.place for month in months if month.is_sealed]
        for bucket, group in groupby((each for each in months if not each.is_sealed), key=lambda month: month.bucket):
            numbers = (month.month for month in group)
            while some := list(islice(numbers, MONTHS_A_CHANGE)):
                sealing = partial(seal, bucket=bucket, months=some, min_events=self._pace.min_events)
                places += await self._scribe.change(sealing)
        return places
