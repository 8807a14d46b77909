"""Events as columns, from valid segments and otherwise from rows. Only query processes import this."""

from collections.abc import Callable, Generator, Hashable, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import groupby
from typing import Final

from msgspec import Struct

from dayline.model.data import CanonicalJson
from dayline.model.errors import BucketNotFound
from dayline.model.time import EARLIEST, LATEST, Microseconds, clamp, start_of_month
from dayline.storage.columns.cache import ColumnCache
from dayline.storage.columns.dictionaries import PackedSegments, ReadTexts, ValueColumns
from dayline.storage.columns.months import MonthSpan
from dayline.storage.columns.snapshot import MatchedValues, SpanColumns, cut, joined, row_columns
from dayline.storage.columns.source import ColumnSource, EventColumns, Ids, ReadReport, SourceBucket
from dayline.storage.postgres.columns.rows import (
    FEW_KEYS,
    BucketKeys,
    Rows,
    find_values,
    read_rows,
    read_texts,
    words_like,
)
from dayline.storage.postgres.columns.segments import SegmentColumns
from dayline.storage.postgres.columns.state import Owner, ReadState, ReplicaState
from dayline.storage.postgres.connection import Connection
from dayline.storage.postgres.rows.months import MonthFigures, count_spans, month_spans, months_of, row_spans
from dayline.transform.text import TextQuery


class ReadEvents(Struct, frozen=True, eq=False):
    """Events by month, and the segments that some of them come from."""

    parts: Sequence[SpanColumns]
    found: PackedSegments | None

    def having(self, chosen: MatchedValues) -> "ReadEvents":
        """The events with these values."""
        flags = None if self.found is None else chosen.among_packed(self.found.values)
        of_rows = (part if part.key is None else part.taken(chosen.among(part.key)) for part in self.parts)
        return ReadEvents([part.having(flags) for part in of_rows], self.found)


class EventReader:
    """Reads the events of one tenant, and caches decoded data."""

    def __init__(self, tenant: str, values: ValueColumns, segments: SegmentColumns) -> None:
        self._tenant = tenant
        self._values = values
        self._segments = segments

    def read(
        self,
        db: Connection,
        owner: Owner,
        months: Sequence[MonthFigures],
        period: tuple[Microseconds, Microseconds],
        keys: Ids | None = None,
    ) -> ReadEvents:
        """The events that overlap a period; those from rows optionally only with these values."""
        first, last = clamp(period[0]), clamp(period[1])
        spans = month_spans(months, first, last) if period[0] <= period[1] else []
        generation = next((month.generation for month in months if month.generation is not None), None)
        found = self._segments.find(db, owner, spans, generation)
        segments = found.segments if found is not None else {}
        parts: list[SpanColumns] = []
        for is_packed, some in groupby(spans, key=lambda span: span.month in segments):
            if is_packed:
                parts += [cut(segments[span.month], span, first) for span in some]
            else:
                rows = self.rows(db, owner, list(some), first, keys)
                parts.append(row_columns(rows.start, rows.duration, rows.id, rows.key))
        return ReadEvents(parts, found)

    def rows(
        self, db: Connection, owner: Owner, spans: Sequence[MonthSpan], first: Microseconds, keys: Ids | None = None
    ) -> Rows:
        """The rows of events that start within spans and end at `first` or later."""
        return read_rows(db, self.place(owner), row_spans(spans), first, keys)

    def columns(self, db: Connection, owner: Owner, read: ReadEvents, report: ReadReport) -> EventColumns:
        """The events with the dictionary of their values."""
        of_rows = [part.key for part in read.parts if part.key is not None]
        packed = [part.value for part in read.parts if part.value is not None]
        report.row_events += sum(map(len, of_rows))
        report.segment_events += sum(map(len, packed))
        report.segments += len(packed)
        dictionary, codes = self._values.codes(owner, read.found, of_rows, self._texts(db, owner))
        return joined(read.parts, codes, dictionary)

    def texts(self, db: Connection, owner: Owner) -> Callable[[Ids], list[CanonicalJson]]:
        """A function that returns the texts of some values."""
        return lambda keys: self._values.texts(owner, keys, self._texts(db, owner))

    def place(self, owner: Owner) -> BucketKeys:
        return BucketKeys(self._tenant, owner.bucket)

    def _texts(self, db: Connection, owner: Owner) -> ReadTexts:
        return partial(read_texts, db, self.place(owner))


_BUCKETS: Final = """
SELECT (SELECT value FROM meta WHERE key = 'epoch'), key, id, hostname, type, version, dictionary, ARRAY(
    SELECT alias.id FROM alias WHERE tenant = %(tenant)s AND bucket = bucket.key ORDER BY alias.id COLLATE "C"
) FROM bucket WHERE tenant = %(tenant)s AND deleted IS NULL ORDER BY key
"""
_COUNT: Final = """
SELECT count(*) FROM unnest(%s::bigint[], %s::bigint[]) AS span(low, high) JOIN event ON start BETWEEN low AND high
WHERE tenant = %s AND bucket = %s AND greatest(start, start + duration) >= %s::bigint
"""


class PostgresColumns:
    """One tenant of a database in a query process. Caches decoded data within about `cache_bytes`."""

    def __init__(self, address: str, tenant: str, *, cache_bytes: int, replica: str | None = None) -> None:
        self._state = ReadState(address, tenant)
        self._replica = None if replica is None else ReplicaState(replica, tenant, self._state)
        self._tenant = tenant
        self._cache = ColumnCache(cache_bytes)
        self._segments = SegmentColumns(self._cache, tenant)
        values = ValueColumns(self._cache, max_bytes=cache_bytes // 8)
        self._reader = EventReader(tenant, values, self._segments)

    @contextmanager
    def snapshot(self, *, may_read_replica: bool = False) -> Generator[ColumnSource]:
        """A snapshot of the database for one query."""
        state = self._replica if may_read_replica and self._replica is not None else self._state
        try:
            yield _Snapshot(state, self._tenant, self._cache, self._reader)
        finally:
            state.release()
            self._segments.delete_damaged(self._state)
            self._cache.trim()

    def close(self) -> None:
        self._state.close()
        if self._replica is not None:
            self._replica.close()


class _Bucket(Struct, frozen=True):
    owner: Owner
    version: int
    source: SourceBucket


class _Snapshot:
    """The ColumnSource of one query."""

    def __init__(self, state: ReadState, tenant: str, cache: ColumnCache, reader: EventReader) -> None:
        self._state = state
        self._tenant = tenant
        self._cache = cache
        self._reader = reader
        # What was read of a state stays valid as long as the state.
        self._buckets: list[_Bucket] | None = None
        self._by_id: dict[str, _Bucket] = {}
        self._months: dict[int, list[MonthFigures]] = {}

    @property
    def cache(self) -> ColumnCache:
        return self._cache

    def buckets(self) -> Sequence[SourceBucket]:
        with self._state.reading() as db:
            return [bucket.source for bucket in self._known(db)]

    def events(self, bucket_id: str, start: Microseconds, end: Microseconds, report: ReadReport) -> EventColumns:
        with self._state.reading() as db:
            owner = self._bucket(db, bucket_id).owner
            read = self._reader.read(db, owner, self._months_of(db, owner), (start, end))
            return self._reader.columns(db, owner, read, report)

    def matching(
        self, bucket_id: str, start: Microseconds, end: Microseconds, query: TextQuery, report: ReadReport
    ) -> EventColumns:
        if not query.clauses:
            return self.events(bucket_id, start, end, report)
        with self._state.reading() as db:
            owner = self._bucket(db, bucket_id).owner
            found = find_values(db, self._reader.place(owner), owner.dictionary, query, self._reader.texts(db, owner))
            report.looked_through += found.looked_through
            period = (LATEST, EARLIEST) if found.is_nothing else (start, end)
            # Segments are read quickly; of rows, if few values match, only theirs are read.
            keys = found.keys if not found.is_rest and len(found.keys) <= FEW_KEYS else None
            read = self._reader.read(db, owner, self._months_of(db, owner), period, keys)
            return self._reader.columns(db, owner, read.having(found), report)

    def words_like(self, bucket_id: str, word: str) -> Sequence[tuple[str, int]]:
        with self._state.reading() as db:
            owner = self._bucket(db, bucket_id).owner
            return words_like(db, self._reader.place(owner), owner.dictionary, word)

    def count(self, bucket_id: str, start: Microseconds, end: Microseconds) -> int:
        first, last = clamp(start), clamp(end)
        with self._state.reading() as db:
            owner = self._bucket(db, bucket_id).owner
            if start > end:
                return 0
            whole, spans = count_spans(self._months_of(db, owner), first, last)
            if not spans:
                return whole
            lows, highs = [low for low, _ in spans], [high for _, high in spans]
            row = db.execute(_COUNT, (lows, highs, self._tenant, owner.bucket, first)).fetchone()
            return whole + int(row[0] if row is not None else 0)

    def extent(self, bucket_id: str) -> tuple[Microseconds, Microseconds] | None:
        with self._state.reading() as db:
            months = self._months_of(db, self._bucket(db, bucket_id).owner)
        if not months:
            return None
        # The bound of a month is that of its durations, of which some are negative.
        last = max(start_of_month(months[-1].month + 1) - 1, *(month.reach for month in months))
        return start_of_month(months[0].month), last

    def state(self, bucket_id: str, start: Microseconds, end: Microseconds) -> Hashable | None:
        first, last = clamp(start), clamp(end)
        with self._state.reading() as db:
            bucket = self._bucket(db, bucket_id)
            months = [month for month in self._months_of(db, bucket.owner) if month.can_touch(first, last)]
            sealed = [(month.month, month.version, month.generation) for month in months if month.version is not None]
            others = month_spans([month for month in months if month.version is None], first, last)
            if start > end:
                return bucket.owner
            # A bucket that is being recorded changes its version all the time: for few rows, compare the rows
            # themselves.
            if not all(span.is_short for span in others):
                return bucket.owner, tuple(sealed), bucket.version
            rows = self._reader.rows(db, bucket.owner, others, first)
            columns = (rows.start, rows.duration, rows.id, rows.key)
            return bucket.owner, tuple(sealed), tuple(column.tobytes() for column in columns)

    def _known(self, db: Connection) -> list[_Bucket]:
        if self._buckets is None:
            rows = db.execute(_BUCKETS, {"tenant": self._tenant}).fetchall()
            self._buckets = [
                _Bucket(
                    Owner(epoch, self._state.connections, key, dictionary),
                    version,
                    SourceBucket(id=bucket_id, hostname=hostname, type=kind, aliases=tuple(aliases)),
                )
                for epoch, key, bucket_id, hostname, kind, version, dictionary, aliases in rows
            ]
            aliased = {alias: bucket for bucket in self._buckets for alias in bucket.source.aliases}
            self._by_id = aliased | {bucket.source.id: bucket for bucket in self._buckets}
        return self._buckets

    def _bucket(self, db: Connection, bucket_id: str) -> _Bucket:
        self._known(db)
        try:
            return self._by_id[bucket_id]
        except KeyError:
            raise BucketNotFound(bucket_id) from None

    def _months_of(self, db: Connection, owner: Owner) -> list[MonthFigures]:
        months = self._months.get(owner.bucket)
        if months is None:
            months = self._months[owner.bucket] = months_of(db, self._tenant, owner.bucket)
        return months
