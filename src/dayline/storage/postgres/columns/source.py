"""Reads columns of one tenant, on the primary or on a standby. Only query processes import this."""

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from hashlib import blake2b
from typing import Final

from msgspec import Struct

from dayline.model.data import CanonicalJson
from dayline.model.errors import BucketNotFound
from dayline.model.time import Microseconds
from dayline.model.upkeep.mirror import is_device_creator
from dayline.storage.columns.cache import ColumnCache
from dayline.storage.columns.dictionaries import PackedSegments, ValueColumns
from dayline.storage.columns.months import MonthSpan, MonthStatistics, Span
from dayline.storage.columns.segment_cache import SegmentCache
from dayline.storage.columns.snapshot import MatchedValues, Rows, Snapshot, ValueOwner
from dayline.storage.columns.source import ColumnSource, Ids, SourceBucket, with_plain_ids
from dayline.storage.postgres.columns.rows import BucketKeys, count_rows, read_rows, read_texts
from dayline.storage.postgres.columns.segments import SegmentColumns
from dayline.storage.postgres.columns.state import ReadState, ReplicaState
from dayline.storage.postgres.columns.text_search import find_values, words_like
from dayline.storage.postgres.connection import Connection
from dayline.storage.postgres.rows.months import months_of
from dayline.transform.text import TextQuery

_BUCKETS: Final = """
SELECT (SELECT value FROM meta WHERE key = 'epoch'), key, id, hostname, type, version, dictionary, creator, ARRAY(
    SELECT alias.id FROM alias WHERE tenant = %(tenant)s AND bucket = bucket.key ORDER BY alias.id COLLATE "C"
) FROM bucket WHERE tenant = %(tenant)s AND deleted IS NULL ORDER BY key
"""


class PostgresColumns:
    """One tenant of a database in a query process. Caches decoded data within about `cache_bytes`."""

    def __init__(self, address: str, tenant: str, *, cache_bytes: int, replica: str | None = None) -> None:
        self._state = ReadState(address, tenant)
        self._replica = None if replica is None else ReplicaState(replica, tenant, self._state)
        self._tenant = tenant
        self._cache = ColumnCache(cache_bytes)
        self._segments = SegmentColumns(SegmentCache(self._cache), tenant)
        self._values = ValueColumns(self._cache, max_bytes=cache_bytes // 8)

    @contextmanager
    def snapshot(self, *, may_read_replica: bool = False) -> Generator[ColumnSource]:
        """A snapshot of the database for one query."""
        state = self._replica if may_read_replica and self._replica is not None else self._state
        reader = PostgresColumnReader(state, self._tenant, self._segments, self._values)
        try:
            yield Snapshot(reader, self._values, self._cache)
        finally:
            state.release()
            self._segments.delete_damaged(self._state)
            self._cache.trim()

    def close(self) -> None:
        self._state.close()
        if self._replica is not None:
            self._replica.close()


class _Bucket(Struct, frozen=True):
    owner: ValueOwner
    version: int
    source: SourceBucket


class PostgresColumnReader:
    """See ColumnReader. What was read of a state stays valid as long as the state."""

    def __init__(self, state: ReadState, tenant: str, segments: SegmentColumns, values: ValueColumns) -> None:
        self._state = state
        self._tenant = tenant
        self._segments = segments
        self._values = values
        self._db: Connection
        self._buckets: dict[int, _Bucket] | None = None
        self._by_id: dict[str, _Bucket] = {}
        self._months: dict[int, list[MonthStatistics]] = {}

    @contextmanager
    def reading(self) -> Generator[None]:
        with self._state.reading() as self._db:
            yield

    def buckets(self) -> Sequence[SourceBucket]:
        return [bucket.source for bucket in self._by_key().values()]

    def owner(self, bucket_id: str) -> ValueOwner:
        self._by_key()
        try:
            return self._by_id[bucket_id].owner
        except KeyError:
            raise BucketNotFound(bucket_id) from None

    def version(self, bucket: int) -> int:
        return self._by_key()[bucket].version

    def months(self, bucket: int, first: Microseconds, last: Microseconds) -> Sequence[MonthStatistics]:
        """All months: they are read once."""
        months = self._months.get(bucket)
        if months is None:
            months = self._months[bucket] = months_of(self._db, self._tenant, bucket)
        return months

    def segments(self, owner: ValueOwner, spans: Sequence[MonthSpan]) -> PackedSegments | None:
        months = self._months.get(owner.bucket, ())
        generation = next((month.segment for month in months if month.segment is not None), None)
        return self._segments.find(self._db, owner, spans, generation)

    def rows(self, bucket: int, spans: Sequence[Span], first: Microseconds, keys: Ids | None) -> Iterator[Rows]:
        return (read_rows(self._db, self._place(bucket), span, first, keys) for span in spans)

    def digest(self, bucket: int, spans: Sequence[Span], first: Microseconds) -> bytes:
        digest = blake2b()
        for rows in self.rows(bucket, spans, first, None):
            digest.update(b"%d rows" % len(rows.start))
            for column in (rows.start, rows.duration, rows.id, rows.key):
                digest.update(column.tobytes())
        return digest.digest()

    def count(self, bucket: int, spans: Sequence[Span], first: Microseconds) -> int:
        return count_rows(self._db, self._place(bucket), spans, first)

    def texts(self, bucket: int, keys: list[int]) -> Iterable[tuple[int, CanonicalJson]]:
        return read_texts(self._db, self._place(bucket), keys)

    def matched_values(self, owner: ValueOwner, query: TextQuery) -> MatchedValues:
        def cached_texts(keys: Ids) -> list[CanonicalJson]:
            return self._values.texts(owner, keys, partial(self.texts, owner.bucket))

        return find_values(self._db, self._place(owner.bucket), owner.dictionary, query, cached_texts)

    def words_like(self, owner: ValueOwner, word: str) -> Sequence[tuple[str, int]]:
        return words_like(self._db, self._place(owner.bucket), owner.dictionary, word)

    def _by_key(self) -> dict[int, _Bucket]:
        if self._buckets is None:
            owners: list[tuple[ValueOwner, int]] = []
            sources: list[SourceBucket] = []
            for epoch, key, bucket_id, hostname, kind, version, dictionary, creator, aliases in self._db.execute(
                _BUCKETS, {"tenant": self._tenant}
            ).fetchall():
                # Another connection may lead to another server (see ReadState).
                owners.append((ValueOwner((epoch, self._state.connections), key, dictionary), version))
                sources.append(
                    SourceBucket(
                        id=bucket_id,
                        hostname=hostname,
                        type=kind,
                        aliases=tuple(aliases),
                        is_mirror=is_device_creator(creator),
                    )
                )
            buckets = self._buckets = {
                owner.bucket: _Bucket(owner, version, source)
                for (owner, version), source in zip(owners, with_plain_ids(sources), strict=True)
            }
            self._by_id = {alias: bucket for bucket in buckets.values() for alias in bucket.source.aliases}
            self._by_id |= {bucket.source.id: bucket for bucket in buckets.values()}
        return self._buckets

    def _place(self, bucket: int) -> BucketKeys:
        return BucketKeys(self._tenant, bucket)
