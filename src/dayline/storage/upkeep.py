"""What every backend promises about keeping its data small: thinning what is old, giving back what nobody needs."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from dayline.model.compaction import Compacted, Compaction
from dayline.model.retention import BucketThinning, ThinnedBucket


class Upkeep(Protocol):
    """Long work in short slices, while recording goes on."""

    async def preview_thinning(self, days: Mapping[str, int]) -> Sequence[BucketThinning]:
        """What thinning would make of buckets that are thinned after so many days. Nothing is changed."""
        ...

    async def thin(self, days: Mapping[str, int]) -> Sequence[ThinnedBucket]:
        """Merge events of equal data within one hour (UTC) that are older than so many days; by bucket.

        What was done can be undone, by bucket. Interrupted, what is done by then stays so, and can be undone.
        """
        ...

    async def compact(self) -> Compacted:
        """Remove values that nobody has, and give free room back to the system. Raises Unavailable."""
        ...

    def compaction(self) -> Compaction:
        """How far compaction is."""
        ...

    def free_share(self) -> tuple[int, float]:
        """How many bytes of the file hold nothing, and their share of it. Read on a thread."""
        ...
