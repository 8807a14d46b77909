"""The committed buckets of a store, published by its writer and read from any thread."""

import threading
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final, Protocol

from msgspec import Struct, structs

from dayline.model.bucket import Bucket
from dayline.model.errors import BucketNotFound
from dayline.model.time import Microseconds

# A bucket and the range of its events; None if it is deleted.
Committed = tuple[Bucket, Microseconds | None, Microseconds | None] | None


class CommittedState(Protocol):
    """A bucket as its writer knows it, with the range of its events."""

    @property
    def key(self) -> int: ...
    @property
    def bucket(self) -> Bucket: ...
    @property
    def start(self) -> Microseconds | None: ...
    @property
    def end(self) -> Microseconds | None: ...


class BucketList(Struct, frozen=True):
    """Buckets by id in order of creation, and other ids under which some are found. It never changes."""

    by_id: Mapping[str, Bucket]
    aliases: Mapping[str, str]

    def own_id(self, bucket_id: str) -> str:
        """The own id of the bucket that is found under this one; the same if there is none."""
        return self.aliases.get(bucket_id, bucket_id)

    def find(self, bucket_id: str) -> Bucket:
        """The bucket of this id, or else the one that has it as an alias. Raises BucketNotFound."""
        bucket = self.by_id.get(self.own_id(bucket_id))
        if bucket is None:
            raise BucketNotFound(bucket_id)
        return bucket


_EMPTY: Final = BucketList(MappingProxyType({}), MappingProxyType({}))


class PublishedBuckets:
    """The current BucketList.

    Publications are merged into a new list by the next read, because heartbeats commit far more often than anything
    reads the list. A read sees every publication that returned before it. Only one thread publishes.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()  # of the readers, and of publications that they must not see in part
        self._published = 0  # counts publications
        self._merged = 0  # so many of them are in the current list, at least
        self._pending: dict[int, Committed] = {}  # replaced, and never emptied, by the publishing thread alone
        self._by_key: dict[int, Bucket] = {}
        self._by_id: dict[str, Bucket] = {}  # of the current list
        self._aliases = _EMPTY.aliases
        self._current = _EMPTY

    @property
    def current(self) -> BucketList:
        if self._merged != self._published:
            with self._lock:
                published = self._published  # read before the rest: what comes in between is merged once more
                self._current = self._merge(self._pending.copy())
                self._merged = published  # set last: until then others wait for the lock
        return self._current

    def own_id(self, bucket_id: str) -> str:
        """The same as that of the current list, which need not be merged for it: every heartbeat may ask."""
        return self._aliases.get(bucket_id, bucket_id)

    def publish(self, buckets: dict[int, Committed], aliases: Mapping[str, str] | None = None) -> None:
        """Replace the buckets of these keys, and all aliases if given: then a read sees all of it or nothing."""
        if self._merged == self._published:
            self._pending = {}
        if aliases is None:
            self._pending.update(buckets)
        else:
            with self._lock:
                self._pending.update(buckets)
                self._aliases = MappingProxyType(dict(aliases))
        self._published += 1

    def extend(self, states: Iterable[CommittedState]) -> None:
        """Replace these buckets, which all have the ids that they had. Every heartbeat pays for this."""
        if self._merged == self._published:
            self._pending = {}
        pending = self._pending
        for state in states:
            pending[state.key] = (state.bucket, state.start, state.end)
        self._published += 1

    def _merge(self, pending: dict[int, Committed]) -> BucketList:
        by_id, has_same_ids = self._by_id.copy(), True
        for key, committed in pending.items():
            former = self._by_key.pop(key, None)
            if committed is None:
                has_same_ids = False
                continue
            bucket, start, end = committed
            if (bucket.start, bucket.end) != (start, end):
                bucket = structs.replace(bucket, start=start, end=end)
            self._by_key[key] = by_id[bucket.id] = bucket
            has_same_ids &= former is not None and former.id == bucket.id
        if not has_same_ids:
            by_id = {bucket.id: bucket for _, bucket in sorted(self._by_key.items(), key=lambda item: item[0])}
        self._by_id = by_id
        return BucketList(MappingProxyType(by_id), self._aliases)
