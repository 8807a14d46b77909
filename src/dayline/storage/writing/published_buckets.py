"""The committed buckets of a store, published by its writer and read from any thread."""

import threading
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final, Protocol

from msgspec import Struct, structs

from dayline.model.bucket import Bucket
from dayline.model.errors import BucketNotFound
from dayline.model.time import Microseconds
from dayline.model.upkeep.mirror import is_mirror, plain_id

# A bucket and the range of its events; None if the bucket is deleted.
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
    """An immutable list of buckets by id, in order of creation, with their aliases.

    `mirrors` has the ids of mirrors by their ids at the origin, under which they are read while no other bucket has
    them. Recording and changes do not use them.
    """

    by_id: Mapping[str, Bucket]
    aliases: Mapping[str, str]
    mirrors: Mapping[str, str]

    def own_id(self, bucket_id: str) -> str:
        """Resolve an alias to the bucket's own id; an unknown id is returned unchanged."""
        return self.aliases.get(bucket_id, bucket_id)

    def read_id(self, bucket_id: str) -> str:
        """Like `own_id`, for reading: a mirror is also found under its id at the origin."""
        own = self.own_id(bucket_id)
        return own if own in self.by_id else self.mirrors.get(bucket_id, own)

    def find(self, bucket_id: str) -> Bucket:
        """The bucket with this id or alias, or that mirrors the bucket with this id. Raises BucketNotFound."""
        bucket = self.by_id.get(self.read_id(bucket_id))
        if bucket is None:
            raise BucketNotFound(bucket_id)
        return bucket


_EMPTY: Final = BucketList(MappingProxyType({}), MappingProxyType({}), MappingProxyType({}))


class PublishedBuckets:
    """The current BucketList.

    The next read merges publications into a new list, because heartbeats commit far more often than the list is read. A
    read sees every publication that returned before it. Only one thread publishes.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()  # for readers, and for publications that must be seen whole
        self._published = 0  # counts publications
        self._merged = 0  # the number of publications in the current list, at least
        self._pending: dict[int, Committed] = {}  # only the publishing thread replaces it; it is never emptied
        self._by_key: dict[int, Bucket] = {}
        self._by_id: dict[str, Bucket] = {}  # of the current list
        self._aliases = _EMPTY.aliases
        self._mirrors = _EMPTY.mirrors
        self._current = _EMPTY

    @property
    def current(self) -> BucketList:
        if self._merged != self._published:
            with self._lock:
                published = self._published  # read first: anything published from here on is merged again next time
                self._current = self._merge(self._pending.copy())
                self._merged = published  # set last: until then other readers wait for the lock
        return self._current

    def own_id(self, bucket_id: str) -> str:
        """Like `BucketList.own_id`, without merging pending publications: this runs for every heartbeat."""
        return self._aliases.get(bucket_id, bucket_id)

    def publish(self, buckets: dict[int, Committed], aliases: Mapping[str, str] | None = None) -> None:
        """Replace the buckets with these keys, and all aliases if given. A read sees all of it or nothing."""
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
        """Replace buckets whose ids have not changed. This runs for every heartbeat."""
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
            mirrors = [bucket for bucket in by_id.values() if is_mirror(bucket)]
            self._mirrors = MappingProxyType({plain_id(bucket): bucket.id for bucket in reversed(mirrors)})
        self._by_id = by_id
        return BucketList(MappingProxyType(by_id), self._aliases, self._mirrors)
