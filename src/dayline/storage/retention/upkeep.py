"""The Upkeep protocol: disk space, downsampling and compaction."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from msgspec import Struct

from dayline.model.upkeep.retention import DownsampledBucket, DownsamplingPreview
from dayline.model.upkeep.space import Compacted, Compaction, FileSpace


class Measured(Struct, frozen=True, kw_only=True):
    """Disk space used: the database, its derived data in bytes, and the write-ahead log."""

    database: FileSpace
    segments: int
    log: int


class Upkeep(Protocol):
    """Long maintenance work in short slices, while recording continues."""

    async def measure(self) -> Measured:
        """The disk space used now. Raises Unavailable."""
        ...

    def stamp(self) -> object:
        """Opaque value that changes with every write. Call it on a thread."""
        ...

    async def preview_downsampling(self, days: Mapping[str, int]) -> Sequence[DownsamplingPreview]:
        """What downsampling buckets after this many days would do. Nothing is changed."""
        ...

    async def downsample(self, days: Mapping[str, int]) -> Sequence[DownsampledBucket]:
        """Merge events of equal data within a quarter of an hour that are older than this many days, per bucket.

        Every total stays the same. Each bucket can be undone. If interrupted, what was done stays and can be undone.
        """
        ...

    async def compact(self) -> Compacted:
        """Delete unused values and return free disk space. Raises Unavailable, also if the engine does this
        automatically.
        """
        ...

    def compaction(self) -> Compaction:
        """The progress of compaction."""
        ...

    def free_share(self) -> tuple[int, float]:
        """The free bytes in the file, and their share of it. Call it on a thread."""
        ...
