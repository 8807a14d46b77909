"""The events of one query as columns, from valid segments and otherwise from rows. Only query processes import this.

Snapshot                            which months, segments or rows, matching values
──────── ColumnReader ────────
sqlite/columns/ postgres/columns/   SQL, transactions, where segments are stored
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial
from itertools import groupby
from typing import Any, Final, ParamSpec, Protocol, TypeVar

import numpy as np
from msgspec import Struct

from dayline.model.data import CanonicalJson
from dayline.model.time import EARLIEST, LATEST, Microseconds, clamp, start_of_month
from dayline.storage.columns.cache import ColumnCache
from dayline.storage.columns.dictionaries import PackedDictionary, PackedSegments, RowDictionary, ValueColumns
from dayline.storage.columns.months import MonthSpan, MonthStatistics, Span, count_spans, month_spans, row_spans
from dayline.storage.columns.segments import Integers, Segment
from dayline.storage.columns.source import (
    MISSING,
    Codes,
    Dictionary,
    EventColumns,
    Flags,
    Ids,
    ReadReport,
    SourceBucket,
    Times,
)
from dayline.transform.text import TextQuery

P = ParamSpec("P")
T = TypeVar("T")

_FEW_KEYS: Final = 2000  # values: with more, it is faster to read all rows and filter


class ValueOwner(Struct, frozen=True):
    """A bucket whose values are cached: in one history of changes, after this many changes of its texts."""

    epoch: Hashable
    bucket: int
    dictionary: int


class Rows(Struct, frozen=True, eq=False):
    """Events ordered by start and id, as stored; `key` is the key of their data."""

    start: Times
    duration: Times
    id: Ids
    key: Ids


class MatchedValues(Struct, frozen=True, eq=False, kw_only=True):
    """Keys of matching values, ascending; `is_rest` inverts it: all values of the bucket but these."""

    keys: Ids
    is_rest: bool
    looked_through: int  # values that were not in the index

    @property
    def is_nothing(self) -> bool:
        return not self.is_rest and not len(self.keys)

    @property
    def few_keys(self) -> Ids | None:
        """The keys if they are few enough to read only their rows."""
        return self.keys if not self.is_rest and len(self.keys) <= _FEW_KEYS else None

    def among(self, keys: Ids) -> Flags:
        """Which of these values match."""
        if not len(self.keys):
            return np.full(len(keys), self.is_rest)
        places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        is_named: Flags = self.keys[places] == keys
        return ~is_named if self.is_rest else is_named

    def among_packed(self, values: PackedDictionary) -> Flags:
        """Which packed values match, by their numbers."""
        flags = np.full(len(values), self.is_rest)
        codes: Codes = values.find(self.keys)
        flags[codes[codes != MISSING]] = not self.is_rest
        return flags


class ColumnReader(Protocol):
    """What an engine reads for one query. Every other method is called within `reading`.

    Raises StoreUnusable if the store cannot be read.
    """

    def reading(self) -> AbstractContextManager[object]:
        """The state of the store that the query reads; begins with the first call. Another state has another value."""
        ...

    def buckets(self) -> Sequence[SourceBucket]:
        """All buckets, in order of creation."""
        ...

    def owner(self, bucket_id: str) -> ValueOwner:
        """The bucket with this id, or else with this alias. Raises BucketNotFound."""
        ...

    def version(self, bucket: int) -> int | None:
        """A number that every change of the bucket increases; None if changes are not counted."""
        ...

    def months(self, bucket: int, first: Microseconds, last: Microseconds) -> Sequence[MonthStatistics]:
        """The months in which events that overlap first..last may start, ascending; it may return more."""
        ...

    def segments(self, owner: ValueOwner, spans: Sequence[MonthSpan]) -> PackedSegments | None:
        """The segments worth using for these parts of months; None if there are none."""
        ...

    def rows(self, bucket: int, spans: Sequence[Span], first: Microseconds, keys: Ids | None) -> Iterable[Rows]:
        """The events that start within ascending spans and end at `first` or later, in order; optionally of values."""
        ...

    def digest(self, bucket: int, spans: Sequence[Span], first: Microseconds) -> bytes:
        """A hash of what `rows` returns for all values."""
        ...

    def count(self, bucket: int, spans: Sequence[Span], first: Microseconds) -> int:
        """The number of events that start within spans and end at `first` or later."""
        ...

    def texts(self, bucket: int, keys: list[int]) -> Iterable[tuple[int, CanonicalJson]]:
        """The texts of the values with these keys, in any order."""
        ...

    def matched_values(self, owner: ValueOwner, query: TextQuery) -> MatchedValues:
        """The values of a bucket that match a query, which must have clauses."""
        ...

    def words_like(self, owner: ValueOwner, word: str) -> Sequence[tuple[str, int]]:
        """Indexed words with the same first letter and a similar length, with the number of values of each."""
        ...


class Snapshot:
    """The ColumnSource of one query."""

    def __init__(self, reader: ColumnReader, values: ValueColumns, cache: ColumnCache) -> None:
        self._reader = reader
        self._values = values
        self._cache = cache
        self._moment: object = None  # the state of the store that `_known` is of
        self._known: dict[Hashable, Any] = {}

    @property
    def cache(self) -> ColumnCache:
        return self._cache

    def buckets(self) -> Sequence[SourceBucket]:
        with self._reader.reading():
            return self._reader.buckets()

    def events(self, bucket_id: str, start: Microseconds, end: Microseconds, report: ReadReport) -> EventColumns:
        with self._reader.reading():
            return self._events(self._reader.owner(bucket_id), (start, end), report)

    def matching(
        self, bucket_id: str, start: Microseconds, end: Microseconds, query: TextQuery, report: ReadReport
    ) -> EventColumns:
        with self._reader.reading():
            owner = self._reader.owner(bucket_id)
            if not query.clauses:
                return self._events(owner, (start, end), report)
            matched = self._reader.matched_values(owner, query)
            report.looked_through += matched.looked_through
            period = (LATEST, EARLIEST) if matched.is_nothing else (start, end)
            return self._events(owner, period, report, matched)

    def words_like(self, bucket_id: str, word: str) -> Sequence[tuple[str, int]]:
        with self._reader.reading():
            return self._reader.words_like(self._reader.owner(bucket_id), word)

    def count(self, bucket_id: str, start: Microseconds, end: Microseconds) -> int:
        first, last = clamp(start), clamp(end)
        with self._reader.reading():
            bucket = self._reader.owner(bucket_id).bucket
            if start > end:
                return 0
            whole, spans = count_spans(self._reader.months(bucket, first, last), first, last)
            return whole + self._reader.count(bucket, spans, first) if spans else whole

    def extent(self, bucket_id: str) -> tuple[Microseconds, Microseconds] | None:
        return self._once(self._extent, bucket_id)

    def _extent(self, bucket_id: str) -> tuple[Microseconds, Microseconds] | None:
        months = self._reader.months(self._reader.owner(bucket_id).bucket, EARLIEST, LATEST)
        if not months:
            return None
        # The bound of a month is that of its durations, of which some are negative.
        last = max(start_of_month(months[-1].month + 1) - 1, *(month.reach for month in months))
        return start_of_month(months[0].month), last

    def state(self, bucket_id: str, start: Microseconds, end: Microseconds) -> Hashable | None:
        return self._once(self._state, bucket_id, start, end)

    def _state(self, bucket_id: str, start: Microseconds, end: Microseconds) -> Hashable | None:
        first, last = clamp(start), clamp(end)
        owner = self._reader.owner(bucket_id)
        if start > end:
            return owner
        bucket = owner.bucket
        months = [month for month in self._reader.months(bucket, first, last) if month.can_touch(first, last)]
        sealed = tuple((month.month, month.version, month.segment) for month in months if month.version is not None)
        others = month_spans((month for month in months if month.version is None), first, last)
        # The current month may have changed seconds ago, and months with few events are not always sealed: for few
        # rows, and for days that are over, compare the rows themselves.
        if all(span.is_short or span.is_part for span in others):
            return owner, sealed, self._reader.digest(bucket, row_spans(others), first)
        version = self._reader.version(bucket)
        return None if version is None else (owner, sealed, version)

    def _once(self, read: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What is read with these arguments, read once per state of the store: for many buckets it is asked often."""
        with self._reader.reading() as moment:
            if self._moment != moment:
                self._moment, self._known = moment, {}
            key = (read, args)
            if key not in self._known:
                self._known[key] = read(*args, **kwargs)
            value: T = self._known[key]
            return value

    def _events(
        self,
        owner: ValueOwner,
        period: tuple[Microseconds, Microseconds],
        report: ReadReport,
        matched: MatchedValues | None = None,
    ) -> EventColumns:
        """The events that overlap a range: all, or those with one of the matched values."""
        first, last = clamp(period[0]), clamp(period[1])
        months = self._reader.months(owner.bucket, first, last) if period[0] <= period[1] else ()
        spans = month_spans(months, first, last)
        segments = self._reader.segments(owner, spans)
        parts = list(self._parts(owner, spans, segments, first, matched))
        if segments is None and not any(len(part.start) for part in parts):
            return NO_EVENTS
        keys = [part.key for part in parts if part.key is not None]
        packed = [part.value for part in parts if part.value is not None]
        report.row_events += sum(map(len, keys))
        report.segment_events += sum(map(len, packed))
        report.segments += len(packed)
        dictionary, codes = self._values.codes(owner, segments, keys, partial(self._reader.texts, owner.bucket))
        return joined(parts, codes, dictionary)

    def _parts(
        self,
        owner: ValueOwner,
        spans: Sequence[MonthSpan],
        found: PackedSegments | None,
        first: Microseconds,
        matched: MatchedValues | None,
    ) -> "Iterator[SpanColumns]":
        segments = {} if found is None else found.segments
        flags = None if found is None or matched is None else matched.among_packed(found.values)
        few_keys = None if matched is None else matched.few_keys
        for is_packed, some in groupby(spans, key=lambda span: span.month in segments):
            if is_packed:
                yield from (cut(segments[span.month], span, first).having(flags) for span in some)
                continue
            for rows in self._reader.rows(owner.bucket, row_spans(some), first, few_keys):
                part = row_columns(rows)
                yield part if matched is None else part.taken(matched.among(rows.key))


class SpanColumns(Struct, frozen=True, eq=False):
    """The events of one span. Has either `value`, the numbers of packed values, or `key`, the store's keys."""

    start: Times
    duration: Integers
    id: Integers
    value: Codes | None = None
    key: Ids | None = None

    def taken(self, flags: Flags) -> "SpanColumns":
        """The flagged events."""
        which = np.flatnonzero(flags)
        return SpanColumns(
            self.start[which],
            self.duration[which],
            self.id[which],
            value=None if self.value is None else self.value[which],
            key=None if self.key is None else self.key[which],
        )

    def having(self, packed: Flags | None) -> "SpanColumns":
        """The events with flagged packed values."""
        return self if packed is None or self.value is None else self.taken(packed.take(self.value))


def row_columns(rows: Rows) -> SpanColumns:
    """Events from rows. Negative durations are replaced by 0."""
    return SpanColumns(rows.start, np.maximum(rows.duration, 0), rows.id, key=rows.key)


def cut(segment: Segment, span: MonthSpan, first: Microseconds) -> SpanColumns:
    """The events of a segment that start in a span and end at `first` or later."""
    low = int(np.searchsorted(segment.start, span.low, side="left"))
    high = int(np.searchsorted(segment.start, span.high, side="right"))
    which: slice | Ids = slice(low, high)
    if span.low < first:
        early = min(high, int(np.searchsorted(segment.start, first, side="left")))
        reaching = segment.start[low:early] + segment.duration[low:early] >= first
        which = np.concatenate([np.flatnonzero(reaching) + low, np.arange(early, high)])
    return SpanColumns(segment.start[which], segment.duration[which], segment.id[which], value=segment.value[which])


def joined(parts: Sequence[SpanColumns], codes: Sequence[Codes], dictionary: Dictionary) -> EventColumns:
    """All parts as one; row parts use the codes that their keys have in the dictionary."""
    size = sum(len(part.start) for part in parts)
    start, end, ids = (np.empty(size, dtype=np.int64) for _ in range(3))
    value = np.empty(size, dtype=np.int32)
    low, of_rows = 0, iter(codes)
    for part in parts:
        high = low + len(part.start)
        start[low:high], ids[low:high] = part.start, part.id
        np.add(part.start, part.duration, out=end[low:high])
        value[low:high] = part.value if part.value is not None else next(of_rows)
        low = high
    return EventColumns(start, end, ids, value, dictionary)


NO_EVENTS: Final = joined((), (), RowDictionary(()))
