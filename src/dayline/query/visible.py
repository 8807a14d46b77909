"""A source as somebody sees it who may read some of its buckets: as if the others did not exist."""

from collections.abc import Hashable, Sequence

import msgspec

from dayline.model.errors import BucketNotFound
from dayline.model.keys import BucketNames
from dayline.model.timestamps import Microseconds
from dayline.storage.columns import Cache, ColumnSource, EventColumns, ReadReport, SourceBucket


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
