"""The buckets that a caller of the store may use: the others are hidden from it. Mirrors are read-only for all."""

from typing import Final

from dayline.model.access import ALL_BUCKETS, BucketNames
from dayline.model.errors import BucketNotFound, Forbidden, MirrorReadOnly
from dayline.model.upkeep.mirror import is_mirror
from dayline.model.upkeep.undo import TrashItem
from dayline.storage.writing.published_buckets import PublishedBuckets


class Guard:
    """Admits a caller to some buckets, or to all. Each public method of the store starts with one of its checks.

    For recording, an alias is an id like any other, so that a watcher with the old id keeps working. Everything else
    also needs access to the bucket's own id; otherwise a key for an old id could read events that were merged from
    elsewhere.
    """

    def __init__(self, names: BucketNames, published: PublishedBuckets) -> None:
        self._names = names
        self._published = published
        self.is_all = names.is_all

    def may_list(self, bucket_id: str) -> bool:
        """Whether a list includes a bucket or an alias."""
        return bucket_id in self._names

    def may_use(self, bucket_id: str) -> bool:
        if self.is_all:
            return True
        return bucket_id in self._names and self._published.current.read_id(bucket_id) in self._names

    def may_undo(self, item: TrashItem) -> bool:
        return self.may_list(item.bucket) and (not item.other or self.may_list(item.other))

    def check(self, *bucket_ids: str) -> None:
        """Raise BucketNotFound for a bucket of others."""
        for bucket_id in bucket_ids:
            if not self.may_use(bucket_id):
                raise BucketNotFound(bucket_id)

    def check_change(self, *bucket_ids: str) -> None:
        """Like `check`, and raise MirrorReadOnly for the bucket of another device."""
        self.check(*bucket_ids)
        for bucket_id in bucket_ids:
            self._check_own(bucket_id)

    def check_recording(self, bucket_id: str) -> None:
        """Raise BucketNotFound if the caller may not record to this id or alias, and MirrorReadOnly."""
        if not self.is_all and bucket_id not in self._names:
            raise BucketNotFound(bucket_id)
        if "@" in bucket_id:  # as the id of every mirror: this runs for every heartbeat
            self._check_own(bucket_id)

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

    def _check_own(self, bucket_id: str) -> None:
        current = self._published.current
        bucket = current.by_id.get(current.own_id(bucket_id))
        if bucket is not None and is_mirror(bucket):
            raise MirrorReadOnly(bucket.hostname)


# Without the check for mirrors: for code that works on buckets of this device.
FULL_ACCESS: Final = Guard(ALL_BUCKETS, PublishedBuckets())
