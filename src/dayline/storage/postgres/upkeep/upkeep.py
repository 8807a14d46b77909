"""The Upkeep of one tenant: what its data take, and thinning. Giving room back is PostgreSQL's own business."""

import asyncio
from collections.abc import Callable, Mapping, Sequence

from dayline.model.errors import Unavailable
from dayline.model.time import Microseconds
from dayline.model.upkeep import Compacted, Compaction, DownsampledBucket, DownsamplingPreview
from dayline.storage.history.trash import TenantTrash
from dayline.storage.postgres.connection import Readers
from dayline.storage.postgres.upkeep.downsampling import Downsampler, preview
from dayline.storage.postgres.upkeep.space import measured
from dayline.storage.postgres.writing.writer import Scribe
from dayline.storage.retention.upkeep import Measured


class PostgresUpkeep:
    """`revision` counts what was written. Of several servers one thins at a time; the others wait for it."""

    def __init__(
        self,
        scribe: Scribe,
        readers: Readers,
        trash: TenantTrash,
        *,
        revision: Callable[[], int],
        clock: Callable[[], Microseconds],
    ) -> None:
        self._tenant = scribe.tenant
        self._readers = readers
        self._trash = trash
        self._revision = revision
        self._clock = clock
        self._thinner = Downsampler(scribe, readers, clock)

    async def measure(self) -> Measured:
        return await asyncio.to_thread(self._measured)

    def stamp(self) -> object:
        return self._revision()

    async def preview_downsampling(self, days: Mapping[str, int]) -> Sequence[DownsamplingPreview]:
        return await asyncio.to_thread(preview, self._readers, self._tenant, days, now=self._clock())

    async def thin(self, days: Mapping[str, int]) -> Sequence[DownsampledBucket]:
        thinned = await self._thinner.thin(days)
        self._trash.expire_if_disabled()
        return thinned

    async def compact(self) -> Compacted:
        raise Unavailable("PostgreSQL gives room back by itself", hint="see autovacuum in its manual")

    def compaction(self) -> Compaction:
        return Compaction(state="idle")

    def free_share(self) -> tuple[int, float]:
        return 0, 0.0

    def _measured(self) -> Measured:
        with self._readers.transaction(self._tenant) as db:
            return measured(db, self._tenant)
