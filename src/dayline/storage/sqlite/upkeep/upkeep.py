"""The Upkeep of one file: disk space, downsampling and compaction, one task at a time."""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from dayline.model.time import Microseconds
from dayline.model.upkeep.retention import DownsampledBucket, DownsamplingPreview
from dayline.model.upkeep.space import Compacted, Compaction, FileSpace
from dayline.runtime.background import BackgroundWorkers
from dayline.storage.history.trash import Trash
from dayline.storage.operations.children import ChildFunction
from dayline.storage.redaction.redactions import Redactions
from dayline.storage.retention.downsampling import Downsampler
from dayline.storage.retention.upkeep import Measured
from dayline.storage.sqlite.backup.process import stamp_of
from dayline.storage.sqlite.file.connection import ReaderPool
from dayline.storage.sqlite.rows.read_transaction import SqliteReaders
from dayline.storage.sqlite.upkeep.compaction import Compactor
from dayline.storage.sqlite.upkeep.space import sizes_beside
from dayline.storage.sqlite.writing.writer import FileWriter

_NICENESS: Final = 5  # low: their reads must not take long on a busy machine either

run_space = ChildFunction(
    "dayline.storage.sqlite.upkeep.space:space_of",
    FileSpace,
    niceness=_NICENESS,
    failure="cannot measure the disk space of the database",
)
run_preview = ChildFunction(
    "dayline.storage.sqlite.upkeep.downsampling:preview_file",
    list[DownsamplingPreview],
    niceness=_NICENESS,
    failure="cannot preview retention",
)


class SqliteUpkeep:
    """`start` begins to end interrupted downsampling, `close` stops that."""

    def __init__(
        self,
        path: Path,
        writer: FileWriter,
        readers: ReaderPool,
        redactions: Redactions,
        trash: Trash,
        clock: Callable[[], Microseconds],
        background: BackgroundWorkers,
    ) -> None:
        self._path = path
        self._writer = writer
        self._readers = readers
        self._trash = trash
        self._clock = clock
        self._one_at_a_time = asyncio.Lock()
        self._downsampler = Downsampler(SqliteReaders(readers), writer, lambda: redactions.exclusive, clock)
        self._compactor = Compactor(path, writer, readers, redactions.exclusive)
        self._settling = background.task("settling downsampling", self._settle, interval_s=None)

    def start(self) -> None:
        """Call it on the event loop."""
        self._settling.start()

    async def measure(self) -> Measured:
        path = self._path
        database = await run_space(path)
        segments, log = await asyncio.to_thread(sizes_beside, path)
        return Measured(database=database, segments=segments, log=log)

    def stamp(self) -> object:
        return stamp_of(self._path)

    async def preview_downsampling(self, days: Mapping[str, int]) -> list[DownsamplingPreview]:
        return await run_preview(self._path, dict(days), self._clock())

    async def downsample(self, days: Mapping[str, int]) -> list[DownsampledBucket]:
        async with self._one_at_a_time:
            downsampled = await self._downsampler.downsample(days)
        self._trash.expire_if_disabled()
        return downsampled

    async def compact(self) -> Compacted:
        async with self._one_at_a_time:
            return await self._compactor.compact()

    def compaction(self) -> Compaction:
        return self._compactor.progress

    def free_share(self) -> tuple[int, float]:
        size, free = self._compactor.pages()
        return free, free / max(size, 1)

    async def close(self) -> None:
        await self._settling.close()

    async def _settle(self) -> None:
        async with self._one_at_a_time:  # otherwise it would end a run in progress
            await self._downsampler.settle()
