"""What every backend promises about keeping data small: telling what takes room, thinning, giving back what is free."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from msgspec import Struct

from dayline.model.upkeep import BucketThinning, Compacted, Compaction, FileSpace, ThinnedBucket


class Measured(Struct, frozen=True, kw_only=True):
    """What takes room: the database, in bytes what is derived from it and kept beside it, and the write-ahead log."""

    database: FileSpace
    segments: int
    log: int


class Upkeep(Protocol):
    """Long work in short slices, while recording goes on."""

    async def measure(self) -> Measured:
        """What takes room now. Raises Unavailable."""
        ...

    def stamp(self) -> object:
        """Something that is not the same any more when anything was written. Read on a thread."""
        ...

    async def preview_thinning(self, days: Mapping[str, int]) -> Sequence[BucketThinning]:
        """What thinning would make of buckets that are thinned after so many days. Nothing is changed."""
        ...

    async def thin(self, days: Mapping[str, int]) -> Sequence[ThinnedBucket]:
        """Merge events of equal data within one hour (UTC) that are older than so many days; by bucket.

        What was done can be undone, by bucket. Interrupted, what is done by then stays so, and can be undone.
        """
        ...

    async def compact(self) -> Compacted:
        """Remove values that nobody has, and give free room back. Raises Unavailable, also where the engine does it."""
        ...

    def compaction(self) -> Compaction:
        """How far compaction is."""
        ...

    def free_share(self) -> tuple[int, float]:
        """How many bytes of the file hold nothing, and their share of it. Read on a thread."""
        ...
