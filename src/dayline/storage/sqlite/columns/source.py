"""Reads columns of one file. Only query processes import this."""

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import TypeAlias

import apsw
import msgspec

from dayline.model.data import CanonicalJson
from dayline.model.time import EARLIEST, LATEST, Microseconds
from dayline.model.upkeep.mirror import is_device_creator
from dayline.storage.columns.cache import ColumnCache
from dayline.storage.columns.dictionaries import PackedSegments, ValueColumns
from dayline.storage.columns.months import MonthSpan, MonthStatistics, Span
from dayline.storage.columns.segment_cache import SegmentCache
from dayline.storage.columns.snapshot import MatchedValues, Rows, Snapshot, ValueOwner
from dayline.storage.columns.source import ColumnSource, Ids, SourceBucket, with_plain_ids
from dayline.storage.sqlite.columns.rows import Wanted, count_rows, last_place, read_page, read_texts, rows_text
from dayline.storage.sqlite.columns.segments import SegmentColumns
from dayline.storage.sqlite.columns.state import ReadState
from dayline.storage.sqlite.columns.text_search import find_values, words_like
from dayline.storage.sqlite.derived.file import epoch_of
from dayline.storage.sqlite.file.connection import open_reader, open_without_trace
from dayline.storage.sqlite.rows.buckets import bucket_key
from dayline.storage.sqlite.rows.reader import months_of
from dayline.transform.text import TextQuery

_BUCKETS = "SELECT key, id, hostname, type, dictionary, creator FROM bucket WHERE deleted IS NULL ORDER BY key"
_BucketRow: TypeAlias = tuple[int, str, str, str, int, str | None]
_ALIASES = "SELECT bucket, id FROM alias ORDER BY id"
_DICTIONARY = "SELECT dictionary FROM bucket WHERE key = ?"


class SqliteColumns:
    """One database in a query process. Caches decoded data within about `cache_bytes`.

    `is_still`: no process has the database open, and reading must leave no files behind.
    """

    def __init__(self, path: Path, *, cache_bytes: int, is_still: bool = False) -> None:
        self._state = ReadState(path, opened=open_without_trace if is_still else open_reader)
        self._cache = ColumnCache(cache_bytes)
        self._segments = SegmentColumns(path, SegmentCache(self._cache))
        self._values = ValueColumns(self._cache, max_bytes=cache_bytes // 8)

    @contextmanager
    def snapshot(self, *, may_read_replica: bool = False) -> Generator[ColumnSource]:
        """A snapshot of the database for one query; after 5 s a newer one. A file has no replica."""
        try:
            reader = SqliteColumnReader(self._state, self._segments, self._cache)
            yield Snapshot(reader, self._values, self._cache)
        finally:
            self._state.release()
            self._cache.trim()

    def close(self) -> None:
        self._state.close()
        self._segments.close()


class SqliteColumnReader:
    """See ColumnReader. Keeps what it read of the store until the next transaction: a long query reads several."""

    def __init__(self, state: ReadState, segments: SegmentColumns, cache: ColumnCache) -> None:
        self._state = state
        self._segments = segments
        self._cache = cache
        self._db: apsw.Connection
        self._transaction = 0
        self._owners: dict[str, ValueOwner] = {}
        self._months: dict[int, list[MonthStatistics]] = {}
        self._buckets: list[SourceBucket] | None = None

    @contextmanager
    def reading(self) -> Generator[int]:
        with self._state.reading() as self._db:
            if self._transaction != self._state.transactions:
                self._transaction = self._state.transactions
                self._owners, self._months, self._buckets = {}, {}, None
            yield self._transaction

    def buckets(self) -> Sequence[SourceBucket]:
        if self._buckets is None:
            rows = msgspec.convert(self._db.execute(_BUCKETS).fetchall(), list[_BucketRow])
            aliases: dict[int, list[str]] = {}
            for key, alias in msgspec.convert(self._db.execute(_ALIASES).fetchall(), list[tuple[int, str]]):
                aliases.setdefault(key, []).append(alias)
            epoch = epoch_of(self._db)
            buckets: list[SourceBucket] = []
            for key, bucket_id, hostname, kind, dictionary, creator in rows:
                self._owners[bucket_id] = ValueOwner(epoch, key, dictionary)
                others = tuple(aliases.get(key, ()))
                is_own = not is_device_creator(creator)
                buckets.append(
                    SourceBucket(id=bucket_id, hostname=hostname, type=kind, aliases=others, is_mirror=not is_own)
                )
            self._buckets = with_plain_ids(buckets)
        return self._buckets

    def owner(self, bucket_id: str) -> ValueOwner:
        owner = self._owners.get(bucket_id)
        if owner is None:
            bucket = bucket_key(self._db, self._mirrored(bucket_id))
            owner = ValueOwner(epoch_of(self._db), bucket, int(self._db.execute(_DICTIONARY, (bucket,)).get))
            self._owners[bucket_id] = owner
        return owner

    def _mirrored(self, bucket_id: str) -> str:
        """The id of the mirror that is read under this id; otherwise the same id."""
        return next((each.id for each in self.buckets() if each.is_mirror and bucket_id in each.aliases), bucket_id)

    def version(self, bucket: int) -> None:
        """Changes of a bucket are not counted."""

    def months(self, bucket: int, first: Microseconds, last: Microseconds) -> Sequence[MonthStatistics]:
        """All months: they are read once."""
        months = self._months.get(bucket)
        if months is None:
            months = self._months[bucket] = months_of(self._db, bucket, EARLIEST, LATEST)
        return months

    def segments(self, owner: ValueOwner, spans: Sequence[MonthSpan]) -> PackedSegments | None:
        return self._segments.find(owner, spans)

    def rows(self, bucket: int, spans: Sequence[Span], first: Microseconds, keys: Ids | None) -> Iterator[Rows]:
        few = None if keys is None else tuple(keys.tolist())
        for low, high in spans:
            wanted = Wanted(bucket=bucket, low=low, high=high, touching=first, keys=few)
            after, is_last = None, False
            while not is_last:
                with self._state.reading() as self._db:  # a new transaction if it takes too long
                    rows = read_page(self._db, wanted, after)
                yield rows
                after = last_place(rows)
                is_last = after is None

    def digest(self, bucket: int, spans: Sequence[Span], first: Microseconds) -> bytes:
        return blake2b(b"".join(rows_text(self._db, bucket, span, first) for span in spans)).digest()

    def count(self, bucket: int, spans: Sequence[Span], first: Microseconds) -> int:
        return sum(count_rows(self._db, bucket, span, first) for span in spans)

    def texts(self, bucket: int, keys: list[int]) -> Iterable[tuple[int, CanonicalJson]]:
        return read_texts(self._db, keys)

    def matched_values(self, owner: ValueOwner, query: TextQuery) -> MatchedValues:
        return find_values(self._state, self._segments, self._cache, owner, query)

    def words_like(self, owner: ValueOwner, word: str) -> Sequence[tuple[str, int]]:
        return words_like(self._segments, owner, word)
