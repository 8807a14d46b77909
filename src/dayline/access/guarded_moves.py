"""Renaming, merging and rehosting by somebody who may use some of the buckets."""

from dayline.model.errors import BucketNotFound, Forbidden, NotFound
from dayline.model.keys import BucketNames
from dayline.model.moves import Alias, Merged, Rehosted, Renamed
from dayline.storage.history.moves import BucketMoves
from dayline.storage.store import Store


class GuardedMoves:
    """The BucketMoves of one caller: from and to buckets that it may use."""

    def __init__(self, store: Store, names: BucketNames) -> None:
        self._store = store
        self._moves: BucketMoves = store.moves
        self._names = names

    def aliases(self) -> list[Alias]:
        return [alias for alias in self._moves.aliases() if alias.id in self._names and alias.bucket in self._names]

    async def remove_alias(self, alias: str) -> int:
        if not self._may_use(alias):
            raise NotFound(f"there is no alias {alias!r}", hint="GET /api/1/aliases lists them")
        return await self._moves.remove_alias(alias)

    async def rename(self, bucket_id: str, new_id: str, *, keeps_alias: bool = True) -> Renamed:
        self._check(bucket_id)
        self._check_new(new_id)
        return await self._moves.rename(bucket_id, new_id, keeps_alias=keeps_alias)

    async def preview_merge(self, bucket_id: str, into: str) -> Merged:
        self._check(bucket_id)
        self._check(into)
        return await self._moves.preview_merge(bucket_id, into)

    async def merge(self, bucket_id: str, into: str, *, is_forced: bool = False) -> Merged:
        self._check(bucket_id)
        self._check(into)
        return await self._moves.merge(bucket_id, into, is_forced=is_forced)

    async def preview_rehost(self, bucket_id: str, hostname: str, *, renames: bool = True) -> Rehosted:
        self._check(bucket_id)
        preview = await self._moves.preview_rehost(bucket_id, hostname, renames=renames)
        self._check_new(preview.id)
        return preview

    async def rehost(self, bucket_id: str, hostname: str, *, renames: bool = True, merges: bool = False) -> Rehosted:
        await self.preview_rehost(bucket_id, hostname, renames=renames)
        return await self._moves.rehost(bucket_id, hostname, renames=renames, merges=merges)

    def _may_use(self, bucket_id: str) -> bool:
        return bucket_id in self._names and self._store.own_id(bucket_id) in self._names

    def _check(self, bucket_id: str) -> None:
        if not self._may_use(bucket_id):
            raise BucketNotFound(bucket_id)

    def _check_new(self, bucket_id: str) -> None:
        """Raise Forbidden where the caller could not use the bucket any more, or would learn what there is."""
        if not self._may_use(bucket_id):
            raise Forbidden(
                f"the key is not for the bucket {bucket_id!r}", hint=f"it is for {', '.join(self._names.names)}"
            )
