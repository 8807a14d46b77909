"""The Upkeep of one tenant: disk space and downsampling. PostgreSQL reclaims space itself."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from typing import Final

from dayline.model.errors import Unavailable
from dayline.model.time import Microseconds
from dayline.model.upkeep.retention import DownsampledBucket, DownsamplingPreview
from dayline.model.upkeep.space import Compacted, Compaction
from dayline.storage.history.trash import Trash
from dayline.storage.operations.background import SlicePace
from dayline.storage.postgres.connection import Readers
from dayline.storage.postgres.rows.read_transaction import PostgresReaders
from dayline.storage.postgres.upkeep.space import measure_tenant, table_sizes
from dayline.storage.postgres.writing.writer import PostgresTenantWriter
from dayline.storage.retention.downsampling import Downsampler, preview
from dayline.storage.retention.upkeep import Measured

SLICE_S: Final = 0.03  # target duration of a slice: a heartbeat waits for at most one


class PostgresUpkeep:
    """`revision` counts writes. One server at a time downsamples; the others wait for it."""

    def __init__(
        self,
        tenant_writer: PostgresTenantWriter,
        readers: Readers,
        trash: Trash,
        *,
        revision: Callable[[], int],
        clock: Callable[[], Microseconds],
    ) -> None:
        self._tenant = tenant_writer.tenant
        self._readers = readers
        self._trash = trash
        self.stamp = revision
        self._clock = clock
        self._transactions = PostgresReaders(readers, self._tenant)
        self._downsampler = Downsampler(
            self._transactions, tenant_writer, nullcontext, clock, new_pace=partial(SlicePace, seconds=SLICE_S)
        )

    async def measure(self) -> Measured:
        return await asyncio.to_thread(self._measured)

    async def preview_downsampling(self, days: Mapping[str, int]) -> Sequence[DownsamplingPreview]:
        return await asyncio.to_thread(self._preview, days)

    async def downsample(self, days: Mapping[str, int]) -> Sequence[DownsampledBucket]:
        downsampled = await self._downsampler.downsample(days)
        self._trash.expire_if_disabled()
        return downsampled

    async def compact(self) -> Compacted:
        raise Unavailable(
            "PostgreSQL reclaims disk space automatically", hint="see autovacuum in the PostgreSQL manual"
        )

    def compaction(self) -> Compaction:
        return Compaction(state="idle")

    def free_share(self) -> tuple[int, float]:
        return 0, 0.0

    def _preview(self, days: Mapping[str, int]) -> Sequence[DownsamplingPreview]:
        with self._readers.transaction(self._tenant) as db:
            event_bytes = table_sizes(db, self._tenant).event_bytes
        return preview(self._transactions, days, now=self._clock(), event_bytes=event_bytes)

    def _measured(self) -> Measured:
        with self._readers.transaction(self._tenant) as db:
            return measure_tenant(db, self._tenant)
