"""What every backend promises about renaming, merging and rehosting buckets."""

from typing import Protocol

from dayline.model.bucket import Alias, Merged, Rehosted, Renamed


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

    async def preview_merge(self, bucket_id: str, into: str) -> Merged:
        """What merging would do. Raises BucketNotFound, or Conflict for a bucket and itself."""
        ...

    async def merge(self, bucket_id: str, into: str, *, is_forced: bool = False) -> Merged:
        """Move all events into another bucket, in short slices, and let its id be an alias of that.

        Answers when it is done. Interrupted, it goes on by itself. Raises BucketNotFound, or Conflict: for a bucket and
        itself, for different types unless `is_forced`, and while one of them is being merged already.
        """
        ...

    async def rehost(self, bucket_id: str, hostname: str, *, renames: bool = True, merges: bool = False) -> Rehosted:
        """Give a bucket another host name, and the id that goes with it. Raises BucketNotFound or Conflict."""
        ...

    async def preview_rehost(self, bucket_id: str, hostname: str, *, renames: bool = True) -> Rehosted:
        """What rehosting would do. Raises BucketNotFound."""
        ...
