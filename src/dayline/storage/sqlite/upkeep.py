"""The Upkeep of one file: thinning and compaction, one after the other."""

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from pathlib import Path

from dayline.model.compaction import Compacted, Compaction
from dayline.model.retention import BucketThinning, ThinnedBucket
from dayline.model.timestamps import Microseconds
from dayline.storage.sqlite.compaction import Compactor
from dayline.storage.sqlite.connection import ReaderPool
from dayline.storage.sqlite.redactions import SqliteRedactions
from dayline.storage.sqlite.thinning import Thinner
from dayline.storage.sqlite.thinning_preview import PreviewJob, run_preview
from dayline.storage.sqlite.trash import SqliteTrash
from dayline.storage.sqlite.writer import Writer


class SqliteUpkeep:
    """`close` ends what is under way; that leaves nothing to be mended."""

    def __init__(
        self,
        path: Path,
        writer: Writer,
        readers: ReaderPool,
        redactions: SqliteRedactions,
        trash: SqliteTrash,
        clock: Callable[[], Microseconds],
    ) -> None:
        self._path = path
        self._trash = trash
        self._clock = clock
        self._one_at_a_time = asyncio.Lock()
        self._thinner = Thinner(writer, readers, redactions.alone, clock)
        self._compactor = Compactor(path, writer, readers, redactions.alone)
        self._settling = asyncio.get_running_loop().create_task(self._thinner.settle_patiently())

    async def preview_thinning(self, days: Mapping[str, int]) -> list[BucketThinning]:
        return await run_preview(self._path, PreviewJob(now=self._clock(), days=dict(days)))

    async def thin(self, days: Mapping[str, int]) -> list[ThinnedBucket]:
        async with self._one_at_a_time:
            thinned = await self._thinner.thin(days)
        self._trash.look()
        return thinned

    async def compact(self) -> Compacted:
        async with self._one_at_a_time:
            return await self._compactor.compact()

    def compaction(self) -> Compaction:
        return self._compactor.progress

    def free_share(self) -> tuple[int, float]:
        size, free = self._compactor.pages()
        return free, free / max(size, 1)

    def move(self, path: Path) -> None:
        """Look after another file from now on."""
        self._path = path
        self._compactor.move(path)

    async def close(self) -> None:
        self._settling.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._settling
