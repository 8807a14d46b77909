"""Events as columns, from valid segments and otherwise from rows. Only query processes import this."""

from collections.abc import Generator, Hashable, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import apsw
import msgspec

from dayline.model.time import Microseconds, clamp, start_of_month
from dayline.storage.columns.cache import ColumnCache
from dayline.storage.columns.dictionaries import ValueColumns
from dayline.storage.columns.months import MonthSpan
from dayline.storage.columns.snapshot import MatchedValues, SpanColumns, cut, joined, row_columns
from dayline.storage.columns.source import ColumnSource, EventColumns, ReadReport, SourceBucket
from dayline.storage.sqlite.columns.rows import (
    FEW_KEYS,
    Rows,
    TextColumns,
    Wanted,
    concatenated,
    last_place,
    read_page,
    read_texts,
)
from dayline.storage.sqlite.columns.segments import Owner, SegmentColumns
from dayline.storage.sqlite.columns.state import ReadState
from dayline.storage.sqlite.derived.file import epoch_of
from dayline.storage.sqlite.file.connection import open_reader, open_without_trace
from dayline.storage.sqlite.file.schema import ORIGIN
from dayline.storage.sqlite.rows.buckets import bucket_key
from dayline.storage.sqlite.rows.reader import spans_of
from dayline.transform.text import TextQuery

_BUCKETS = "SELECT key, id, hostname, type FROM bucket WHERE deleted IS NULL ORDER BY key"
_ALIASES = "SELECT bucket, id FROM alias ORDER BY id"
_DICTIONARY = "SELECT dictionary FROM bucket WHERE key = ?"
_EXTENT = "SELECT min(month), max(month), max(reach) FROM month WHERE bucket = ? AND events > 0"
_COUNT = """
SELECT count(*) FROM event
WHERE bucket = ? AND start BETWEEN ? AND ? AND max(start, start + duration) >= ?
"""


class SqliteColumns:
    """One database in a query process. Caches decoded data within about `cache_bytes`.

    `is_still`: no process has the database open, and reading must leave no files behind.
    """

    def __init__(self, path: Path, *, cache_bytes: int, is_still: bool = False) -> None:
        self._state = ReadState(path, opened=open_without_trace if is_still else open_reader)
        self._cache = ColumnCache(cache_bytes)
        self._segments = SegmentColumns(path, self._cache)
        self._values = ValueColumns(self._cache, max_bytes=cache_bytes // 8)
        self._texts = TextColumns(self._state, self._segments)

    @contextmanager
    def snapshot(self, *, may_read_replica: bool = False) -> Generator[ColumnSource]:
        """A snapshot of the database for one query; after 5 s a newer one. A file has no replica."""
        try:
            yield _Snapshot(self._state, self._segments, self._values, self._texts, self._cache)
        finally:
            self._state.release()
            self._cache.trim()

    def close(self) -> None:
        self._state.close()
        self._segments.close()


class _Snapshot:
    """The ColumnSource of one query."""

    def __init__(
        self,
        state: ReadState,
        segments: SegmentColumns,
        values: ValueColumns,
        texts: TextColumns,
        cache: ColumnCache,
    ) -> None:
        self._state = state
        self._cache = cache
        self._segments = segments
        self._values = values
        self._texts = texts

    def buckets(self) -> Sequence[SourceBucket]:
        with self._state.reading() as db:
            rows = msgspec.convert(db.execute(_BUCKETS).fetchall(), list[tuple[int, str, str, str]])
            aliases = msgspec.convert(db.execute(_ALIASES).fetchall(), list[tuple[int, str]])
        return [
            SourceBucket(
                id=bucket_id,
                hostname=hostname,
                type=kind,
                aliases=tuple(alias for key, alias in aliases if key == bucket),
            )
            for bucket, bucket_id, hostname, kind in rows
        ]

    def events(self, bucket_id: str, start: Microseconds, end: Microseconds, report: ReadReport) -> EventColumns:
        with self._state.reading() as db:
            return self._events(db, self._owner(db, bucket_id), (start, end), report, None)

    def matching(
        self, bucket_id: str, start: Microseconds, end: Microseconds, query: TextQuery, report: ReadReport
    ) -> EventColumns:
        with self._state.reading() as db:
            owner = self._owner(db, bucket_id)
            chosen = self._texts.find(owner, query) if query.clauses else None
            report.looked_through += chosen.looked_through if chosen is not None else 0
            return self._events(db, owner, (start, end), report, chosen)

    def words_like(self, bucket_id: str, word: str) -> Sequence[tuple[str, int]]:
        with self._state.reading() as db:
            return self._texts.words_like(self._owner(db, bucket_id), word)

    def _owner(self, db: apsw.Connection, bucket_id: str) -> Owner:
        bucket = bucket_key(db, bucket_id)
        return Owner(epoch_of(db), bucket, int(db.execute(_DICTIONARY, (bucket,)).get))

    def _events(
        self,
        db: apsw.Connection,
        owner: Owner,
        period: tuple[Microseconds, Microseconds],
        report: ReadReport,
        chosen: MatchedValues | None,
    ) -> EventColumns:
        """The events that overlap a range: all, or those with one of the matched values."""
        first, last = clamp(period[0]), clamp(period[1])
        is_empty = period[0] > period[1] or (chosen is not None and chosen.is_nothing)
        spans = [] if is_empty else spans_of(db, owner.bucket, first, last)
        found = self._segments.find(owner, spans)
        segments = found.segments if found is not None else {}
        flags = chosen.among_packed(found.values) if chosen is not None and found is not None else None
        parts: list[SpanColumns] = []
        for span in spans:
            segment = segments.get(span.month)
            if segment is None:
                parts.append(self._row_part(owner.bucket, span, first, chosen))
                report.row_events += len(parts[-1].start)
            else:
                parts.append(cut(segment, span, first).having(flags))
                report.segments += 1
                report.segment_events += len(parts[-1].start)
        keys = [part.key for part in parts if part.key is not None]
        dictionary, codes = self._values.codes(owner, found, keys, partial(read_texts, db))
        return joined(parts, codes, dictionary)

    def count(self, bucket_id: str, start: Microseconds, end: Microseconds) -> int:
        first, last = clamp(start), clamp(end)
        with self._state.reading() as db:
            bucket = bucket_key(db, bucket_id)
            spans = spans_of(db, bucket, first, last) if start <= end else []
            return sum(_count(db, bucket, span, first) for span in spans)

    def extent(self, bucket_id: str) -> tuple[Microseconds, Microseconds] | None:
        with self._state.reading() as db:
            bucket = bucket_key(db, bucket_id)
            row = db.execute(_EXTENT, (bucket,)).fetchone()
        first, last, reach = msgspec.convert(row, tuple[int | None, int | None, int | None])
        if first is None or last is None or reach is None:
            return None
        # The bound of a month is that of its durations, of which some are negative.
        return start_of_month(first), max(start_of_month(last + 1) - 1, reach + ORIGIN)

    def state(self, bucket_id: str, start: Microseconds, end: Microseconds) -> Hashable | None:
        first, last = clamp(start), clamp(end)
        with self._state.reading() as db:
            owner = self._owner(db, bucket_id)
            bucket = owner.bucket
            spans = spans_of(db, bucket, first, last) if start <= end else []
            # Months with few events have no segments, and the current one may have changed seconds ago: for few rows,
            # compare the rows themselves.
            short = [span for span in spans if span.version is None and span.is_short]
            rows = [self._rows(Wanted(bucket=bucket, low=span.low, high=span.high, touching=first)) for span in short]
            segments = self._segments.state(owner, [span for span in spans if span not in short])
        if segments is None:
            return None
        return segments, tuple(
            column.tobytes() for row in rows for column in (row.start, row.duration, row.id, row.key)
        )

    @property
    def cache(self) -> ColumnCache:
        return self._cache

    def _row_part(self, bucket: int, span: MonthSpan, first: Microseconds, chosen: MatchedValues | None) -> SpanColumns:
        wanted = Wanted(bucket=bucket, low=span.low, high=span.high, touching=first)
        if chosen is not None and not chosen.is_rest and len(chosen.keys) <= FEW_KEYS:
            wanted = msgspec.structs.replace(wanted, keys=tuple(chosen.keys.tolist()))
        rows = self._rows(wanted)
        part = row_columns(rows.start, rows.duration, rows.id, rows.key)
        return part if chosen is None else part.taken(chosen.among(rows.key))

    def _rows(self, wanted: Wanted) -> Rows:
        pages: list[Rows] = []
        after = None
        while not pages or after is not None:
            with self._state.reading() as db:  # a new transaction if it takes too long
                pages.append(read_page(db, wanted, after))
            after = last_place(pages[-1])
        return concatenated(pages)


def _count(db: apsw.Connection, bucket: int, span: MonthSpan, first: Microseconds) -> int:
    is_whole = span.low >= first and (span.low, span.high + 1) == (
        start_of_month(span.month), start_of_month(span.month + 1),
    )  # fmt: skip
    if is_whole:
        return span.events
    place = (bucket, span.low - ORIGIN, span.high - ORIGIN, first - ORIGIN)
    return int(db.execute(_COUNT, place).get)
