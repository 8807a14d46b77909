"""What every backend promises about renaming, merging and rehosting buckets."""

from typing import Protocol

from dayline.model.moves import Alias, Renamed


class BucketMoves(Protocol):
    """Buckets under other ids. Each change leaves an act in the trash that undoes it."""

    def aliases(self) -> list[Alias]:
        """Every alias of a bucket, by id. Read on a thread."""
        ...

    async def remove_alias(self, alias: str) -> int:
        """Let a bucket no longer be found under this id; what undoes it. Raises NotFound."""
        ...

    async def rename(self, bucket_id: str, new_id: str, *, keeps_alias: bool = True) -> Renamed:
        """Give a bucket another id. Raises BucketNotFound, Invalid, or Conflict where the new id is taken."""
        ...
