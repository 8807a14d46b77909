"""Events as columns, read from PostgreSQL. Only query processes import this."""

from collections.abc import Generator, Hashable, Sequence
from contextlib import contextmanager
from typing import Final

import numpy as np
from msgspec import Struct

from dayline.model.errors import BucketNotFound
from dayline.model.timestamps import Microseconds, clamp, start_of_month
from dayline.storage.column_cache import ColumnCache
from dayline.storage.columns import ColumnSource, EventColumns, Ids, ReadReport, SourceBucket
from dayline.storage.postgres.connection import Connection
from dayline.storage.postgres.month_figures import MonthFigures, count_spans, months_of, row_spans
from dayline.storage.postgres.read_state import ReadState
from dayline.storage.postgres.row_columns import FEW_KEYS, Place, Rows, read_keys, read_rows
from dayline.storage.postgres.value_columns import Owner, ValueColumns
from dayline.transform.text_query import TextQuery

_BUCKETS: Final = """
SELECT (SELECT value FROM meta WHERE key = 'epoch'), key, id, hostname, type, version, dictionary, ARRAY(
    SELECT alias.id FROM alias WHERE tenant = %(tenant)s AND bucket = bucket.key ORDER BY alias.id COLLATE "C"
) FROM bucket WHERE tenant = %(tenant)s AND deleted IS NULL ORDER BY key
"""
_COUNT: Final = """
SELECT count(*) FROM unnest(%s::bigint[], %s::bigint[]) AS span(low, high) JOIN event ON start BETWEEN low AND high
WHERE tenant = %s AND bucket = %s AND greatest(start, start + duration) >= %s::bigint
"""
_FEW_EVENTS: Final = 100_000  # of which the values are quicker looked at than all values of a bucket


class PostgresColumns:
    """One tenant of a database for one query process. Keeps what it decoded within about `cache_bytes`."""

    def __init__(self, address: str, tenant: str, *, cache_bytes: int) -> None:
        self._state = ReadState(address, tenant)
        self._tenant = tenant
        self._cache = ColumnCache(cache_bytes)
        self._values = ValueColumns(self._cache, tenant, most_bytes=cache_bytes // 8)

    @contextmanager
    def snapshot(self) -> Generator[ColumnSource]:
        """One state of the database for one query."""
        try:
            yield _Snapshot(self._state, self._tenant, self._cache, self._values)
        finally:
            self._state.let_go()
            self._cache.trim()

    def close(self) -> None:
        self._state.close()


class _Bucket(Struct, frozen=True):
    owner: Owner
    version: int
    source: SourceBucket


class _Snapshot:
    """The ColumnSource of one query."""

    def __init__(self, state: ReadState, tenant: str, cache: ColumnCache, values: ValueColumns) -> None:
        self._state = state
        self._tenant = tenant
        self._cache = cache
        self._values = values
        # What has been read of a state stays so as long as it does.
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
            bucket = self._bucket(db, bucket_id)
            return self._columns(db, bucket.owner, self._rows(db, bucket.owner, (start, end)), report)

    def matching(
        self, bucket_id: str, start: Microseconds, end: Microseconds, query: TextQuery, report: ReadReport
    ) -> EventColumns:
        if not query.clauses:
            return self.events(bucket_id, start, end, report)
        with self._state.reading() as db:
            owner = self._bucket(db, bucket_id).owner
            first, last = clamp(start), clamp(end)
            months = [month for month in self._months_of(db, owner) if month.can_touch(first, last)]
            is_little = start > end or sum(month.events for month in months) <= _FEW_EVENTS
            rows = self._rows(db, owner, (start, end)) if is_little else None
            keys = read_keys(db, self._place(owner)) if rows is None else np.unique(rows.key)
            report.looked_through += len(keys)
            found = self._values.having(db, owner, keys, query)
            if rows is None:
                rows = self._rows(db, owner, (start, end), found if len(found) <= FEW_KEYS else None)
            return self._columns(db, owner, rows.taken(np.isin(rows.key, found)), report)

    def words_like(self, bucket_id: str, word: str) -> Sequence[tuple[str, int]]:
        """None are at hand: there is no index of words."""
        with self._state.reading() as db:
            self._bucket(db, bucket_id)
        return []

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
        # The reach of a month is that of its durations, of which some are negative.
        last = max(start_of_month(months[-1].month + 1) - 1, *(month.reach for month in months))
        return start_of_month(months[0].month), last

    def state(self, bucket_id: str, start: Microseconds, end: Microseconds) -> Hashable | None:
        first, last = clamp(start), clamp(end)
        with self._state.reading() as db:
            bucket = self._bucket(db, bucket_id)
            months = self._months_of(db, bucket.owner)
            # A bucket that is being recorded has a new version all the time; what has no events has none to change.
            is_empty = start > end or not any(month.can_touch(first, last) for month in months)
            return bucket.owner, None if is_empty else bucket.version

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

    def _rows(
        self, db: Connection, owner: Owner, period: tuple[Microseconds, Microseconds], keys: Ids | None = None
    ) -> Rows:
        first, last = clamp(period[0]), clamp(period[1])
        spans = row_spans(self._months_of(db, owner), first, last) if period[0] <= period[1] else []
        return read_rows(db, self._place(owner), spans, first, keys)

    def _columns(self, db: Connection, owner: Owner, rows: Rows, report: ReadReport) -> EventColumns:
        report.row_events += len(rows.start)
        keys, codes = np.unique(rows.key, return_inverse=True)
        dictionary = self._values.dictionary(db, owner, keys)
        end = rows.start + np.maximum(rows.duration, 0)
        return EventColumns(rows.start, end, rows.id, codes.astype(np.int32), dictionary)

    def _place(self, owner: Owner) -> Place:
        return Place(self._tenant, owner.bucket)
