"""The buckets that a caller of the store may use: the others are hidden from it."""

from collections.abc import Callable
from typing import Final

from dayline.model.access import ALL_BUCKETS, BucketNames
from dayline.model.errors import BucketNotFound, Forbidden
from dayline.model.upkeep.undo import TrashItem


class Guard:
    """Admits a caller to some buckets, or to all. Each public method of the store starts with one of its checks.

    For recording, an alias is an id like any other, so that a watcher with the old id keeps working. Everything else
    also needs access to the bucket's own id; otherwise a key for an old id could read events that were merged from
    elsewhere.
    """

    def __init__(self, names: BucketNames, own_id: Callable[[str], str]) -> None:
        self._names = names
        self._own_id = own_id
        self.is_all = names.is_all

    def may_list(self, bucket_id: str) -> bool:
        """Whether a list includes a bucket or an alias."""
        return bucket_id in self._names

    def may_use(self, bucket_id: str) -> bool:
        return self.is_all or (bucket_id in self._names and self._own_id(bucket_id) in self._names)

    def may_undo(self, item: TrashItem) -> bool:
        return self.may_list(item.bucket) and (not item.other or self.may_list(item.other))

    def check(self, *bucket_ids: str) -> None:
        """Raise BucketNotFound for a bucket of others."""
        for bucket_id in bucket_ids:
            if not self.may_use(bucket_id):
                raise BucketNotFound(bucket_id)

    def check_recording(self, bucket_id: str) -> None:
        """Raise BucketNotFound if the caller may not record to this id or alias."""
        if not self.is_all and bucket_id not in self._names:
            raise BucketNotFound(bucket_id)

    def check_new(self, bucket_id: str) -> None:
        """Raise Forbidden if the caller has no access to the bucket, or would learn that it exists."""
        if not self.may_use(bucket_id):
            raise Forbidden(
                f"this key has no access to bucket {bucket_id!r}",
                hint=f"it has access to {', '.join(self._names.names)}",
            )

    def check_all(self) -> None:
        """Raise Forbidden if the caller is limited to some buckets: the method concerns the whole store."""
        if not self.is_all:
            raise Forbidden(
                "this affects the whole server, and this key is limited to some buckets",
                hint="use a key for all buckets",
            )


FULL_ACCESS: Final = Guard(ALL_BUCKETS, str)
