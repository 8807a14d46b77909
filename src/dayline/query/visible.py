"""Views of a source: some of its buckets, as if the others did not exist, or all of them with another cache."""

from collections.abc import Hashable, Sequence

import msgspec

from dayline.model.errors import BucketNotFound
from dayline.model.keys import BucketNames
from dayline.model.timestamps import Microseconds
from dayline.storage.columns.source import Cache, ColumnSource, EventColumns, K, Kept, ReadReport, SourceBucket
from dayline.transform.text_query import TextQuery


class VisibleSource:
    """The ColumnSource of one caller."""

    def __init__(self, source: ColumnSource, names: BucketNames) -> None:
        self._source = source
        self._names = names

    def buckets(self) -> Sequence[SourceBucket]:
        return [
            msgspec.structs.replace(bucket, aliases=tuple(alias for alias in bucket.aliases if alias in self._names))
            for bucket in self._source.buckets()
            if bucket.id in self._names
        ]

    def events(self, bucket_id: str, start: Microseconds, end: Microseconds, report: ReadReport) -> EventColumns:
        self._check(bucket_id)
        return self._source.events(bucket_id, start, end, report)

    def matching(
        self, bucket_id: str, start: Microseconds, end: Microseconds, query: TextQuery, report: ReadReport
    ) -> EventColumns:
        self._check(bucket_id)
        return self._source.matching(bucket_id, start, end, query, report)

    def words_like(self, bucket_id: str, word: str) -> Sequence[tuple[str, int]]:
        self._check(bucket_id)
        return self._source.words_like(bucket_id, word)

    def count(self, bucket_id: str, start: Microseconds, end: Microseconds) -> int:
        self._check(bucket_id)
        return self._source.count(bucket_id, start, end)

    def extent(self, bucket_id: str) -> tuple[Microseconds, Microseconds] | None:
        self._check(bucket_id)
        return self._source.extent(bucket_id)

    def state(self, bucket_id: str, start: Microseconds, end: Microseconds) -> Hashable | None:
        self._check(bucket_id)
        return self._source.state(bucket_id, start, end)

    @property
    def cache(self) -> Cache:
        return self._source.cache

    def _check(self, bucket_id: str) -> None:
        # By its own id or an alias, and both have to be allowed.
        if not any(bucket_id == bucket.id or bucket_id in bucket.aliases for bucket in self.buckets()):
            raise BucketNotFound(bucket_id)


class WithCache:
    """A source with another cache."""

    def __init__(self, source: ColumnSource, cache: Cache) -> None:
        self._source = source
        self.cache = cache

    def buckets(self) -> Sequence[SourceBucket]:
        return self._source.buckets()

    def events(self, bucket_id: str, start: Microseconds, end: Microseconds, report: ReadReport) -> EventColumns:
        return self._source.events(bucket_id, start, end, report)

    def matching(
        self, bucket_id: str, start: Microseconds, end: Microseconds, query: TextQuery, report: ReadReport
    ) -> EventColumns:
        return self._source.matching(bucket_id, start, end, query, report)

    def words_like(self, bucket_id: str, word: str) -> Sequence[tuple[str, int]]:
        return self._source.words_like(bucket_id, word)

    def count(self, bucket_id: str, start: Microseconds, end: Microseconds) -> int:
        return self._source.count(bucket_id, start, end)

    def extent(self, bucket_id: str) -> tuple[Microseconds, Microseconds] | None:
        return self._source.extent(bucket_id)

    def state(self, bucket_id: str, start: Microseconds, end: Microseconds) -> Hashable | None:
        return self._source.state(bucket_id, start, end)


def without_rules(source: ColumnSource, skipped: frozenset[str]) -> ColumnSource:
    """A source that keeps what follows from rules apart from what was kept before these patterns were skipped."""
    return WithCache(source, _PrefixedCache(source.cache, skipped)) if skipped else source


class _PrefixedCache:
    def __init__(self, cache: Cache, prefix: Hashable) -> None:
        self._cache = cache
        self._prefix = prefix

    def get(self, key: Hashable, kind: type[K]) -> K | None:
        return self._cache.get((self._prefix, key), kind)

    def put(self, key: Hashable, thing: Kept) -> None:
        self._cache.put((self._prefix, key), thing)
