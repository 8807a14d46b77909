"""A source as somebody sees it who may read some of its buckets: as if the others did not exist."""

from collections.abc import Sequence

from dayline.model.errors import BucketNotFound
from dayline.model.keys import BucketNames
from dayline.model.timestamps import Microseconds
from dayline.storage.columns import ColumnSource, EventColumns, ReadReport, SourceBucket


class VisibleSource:
    """The ColumnSource of one caller."""

    def __init__(self, source: ColumnSource, names: BucketNames) -> None:
        self._source = source
        self._names = names

    def buckets(self) -> Sequence[SourceBucket]:
        return [bucket for bucket in self._source.buckets() if bucket.id in self._names]

    def events(self, bucket_id: str, start: Microseconds, end: Microseconds, report: ReadReport) -> EventColumns:
        self._check(bucket_id)
        return self._source.events(bucket_id, start, end, report)

    def count(self, bucket_id: str, start: Microseconds, end: Microseconds) -> int:
        self._check(bucket_id)
        return self._source.count(bucket_id, start, end)

    def _check(self, bucket_id: str) -> None:
        if bucket_id not in self._names:
            raise BucketNotFound(bucket_id)
