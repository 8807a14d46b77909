"""The Upkeep of one tenant: disk space and downsampling. PostgreSQL reclaims space itself."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext

from dayline.model.errors import Unavailable
from dayline.model.time import Microseconds
from dayline.model.upkeep.retention import DownsampledBucket, DownsamplingPreview
from dayline.model.upkeep.space import Compacted, Compaction
from dayline.storage.history.trash import Trash
from dayline.storage.postgres.connection import Readers
from dayline.storage.postgres.upkeep.downsampling import PostgresDownsampling
from dayline.storage.postgres.upkeep.space import measure_tenant
from dayline.storage.postgres.writing.writer import PostgresTenantWriter
from dayline.storage.retention.downsampling import Downsampler, preview
from dayline.storage.retention.upkeep import Measured


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
        self._downsampling = PostgresDownsampling(tenant_writer, readers)
        self._downsampler = Downsampler(self._downsampling, tenant_writer, nullcontext, clock)

    async def measure(self) -> Measured:
        return await asyncio.to_thread(self._measured)

    async def preview_downsampling(self, days: Mapping[str, int]) -> Sequence[DownsamplingPreview]:
        return await asyncio.to_thread(preview, self._downsampling, days, now=self._clock())

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

    def _measured(self) -> Measured:
        with self._readers.transaction(self._tenant) as db:
            return measure_tenant(db, self._tenant)
