"""What keeps the data small. PostgreSQL gives room back by itself; thinning is not made yet."""

from collections.abc import Mapping, Sequence

from dayline.model.compaction import Compacted, Compaction
from dayline.model.errors import Unavailable
from dayline.model.retention import BucketThinning, ThinnedBucket


class PostgresUpkeep:
    """The Upkeep of a database: it says what cannot be done here, and who does it."""

    async def preview_thinning(self, days: Mapping[str, int]) -> Sequence[BucketThinning]:
        raise _missing("old events are not thinned on PostgreSQL yet")

    async def thin(self, days: Mapping[str, int]) -> Sequence[ThinnedBucket]:
        raise _missing("old events are not thinned on PostgreSQL yet")

    async def compact(self) -> Compacted:
        raise _missing("PostgreSQL gives room back by itself", hint="see autovacuum in its manual")

    def compaction(self) -> Compaction:
        return Compaction(state="idle")

    def free_share(self) -> tuple[int, float]:
        return 0, 0.0


def _missing(message: str, *, hint: str = "a SQLite file does this") -> Unavailable:
    return Unavailable(message, hint=hint)
