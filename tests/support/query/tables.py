"""Events in memory for tests of the query engine: as a store, and as tables and back."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
import numpy as np

from dayline.model.data import CanonicalJson, canonical_json
from dayline.model.errors import BucketNotFound
from dayline.model.time import Microseconds, Period
from dayline.query.columns.table import NO_ID, Table
from dayline.query.functions.ordering import concatenate
from dayline.query.language.environment import Context, Trace
from dayline.storage.columns.dictionaries import TextDictionary
from dayline.storage.columns.source import (
    Cache,
    Cacheable,
    Codes,
    EventColumns,
    Flags,
    Ids,
    K,
    ReadReport,
    SourceBucket,
    Times,
)
from dayline.transform.text import TextQuery, document_of, matches
from tests.query.reference.events import Event

StoredEvent = tuple[Microseconds, Microseconds, Mapping[str, Any], int]  # start, duration, data, id


class MemorySource:
    """A ColumnSource over the buckets given, in their order. Buckets without a hostname there have an empty one."""

    def __init__(
        self,
        buckets: Mapping[str, Iterable[StoredEvent]],
        hostnames: Mapping[str, str] | None = None,
        types: Mapping[str, str] | None = None,
    ) -> None:
        self._buckets = {bucket_id: _Stored(events) for bucket_id, events in buckets.items()}
        self._hostnames = hostnames or {}
        self._types = types or {}
        self._cache = MemoryCache()

    def buckets(self) -> Sequence[SourceBucket]:
        return [
            SourceBucket(id=name, hostname=self._hostnames.get(name, ""), type=self._types.get(name, ""))
            for name in self._buckets
        ]

    def events(self, bucket_id: str, start: Microseconds, end: Microseconds, report: ReadReport) -> EventColumns:
        stored = self._stored(bucket_id)
        touching = stored.touching(start, end)
        report.row_events += int(np.count_nonzero(touching))
        return EventColumns(
            stored.start[touching], stored.end[touching], stored.id[touching], stored.value[touching], stored.dictionary
        )

    def matching(
        self, bucket_id: str, start: Microseconds, end: Microseconds, query: TextQuery, report: ReadReport
    ) -> EventColumns:
        events = self.events(bucket_id, start, end, report)
        texts = events.dictionary.texts(np.arange(len(events.dictionary), dtype=np.int32))
        fits: Flags = np.array([matches(query, document_of(text)) for text in texts], dtype=np.bool_)
        which = np.flatnonzero(fits[events.value]) if len(fits) else np.zeros(0, dtype=np.int64)
        return EventColumns(
            events.start[which], events.end[which], events.id[which], events.value[which], events.dictionary
        )

    def words_like(self, bucket_id: str, word: str) -> Sequence[tuple[str, int]]:
        dictionary = self._stored(bucket_id).dictionary
        texts = dictionary.texts(np.arange(len(dictionary), dtype=np.int32))
        found = Counter(
            known
            for text in texts
            for known in {known for strings in document_of(text).values() for found in strings for known in found}
        )
        return [(known, count) for known, count in found.items() if known[0] == word[0]]

    def count(self, bucket_id: str, start: Microseconds, end: Microseconds) -> int:
        return int(np.count_nonzero(self._stored(bucket_id).touching(start, end)))

    def extent(self, bucket_id: str) -> tuple[Microseconds, Microseconds] | None:
        stored = self._stored(bucket_id)
        return (int(stored.start.min()), int(stored.end.max())) if len(stored.start) else None

    def state(self, bucket_id: str, start: Microseconds, end: Microseconds) -> Hashable | None:
        return id(self._stored(bucket_id)), start, end  # it never changes, and the cache is gone with it

    @property
    def cache(self) -> Cache:
        return self._cache

    def _stored(self, bucket_id: str) -> "_Stored":
        if bucket_id not in self._buckets:
            raise BucketNotFound(bucket_id)
        return self._buckets[bucket_id]


class MemoryCache:
    """Keeps everything."""

    def __init__(self) -> None:
        self._kept: dict[Hashable, Cacheable] = {}

    def get(self, key: Hashable, kind: type[K]) -> K | None:
        kept = self._kept.get(key)
        return kept if isinstance(kept, kind) else None

    def put(self, key: Hashable, thing: Cacheable) -> None:
        self._kept[key] = thing


class _Stored:
    """The events of one bucket, by start and then by id."""

    def __init__(self, events: Iterable[StoredEvent]) -> None:
        ordered = sorted(events, key=lambda event: (event[0], event[3]))
        codes: dict[CanonicalJson, int] = {}
        values = [codes.setdefault(canonical_json(data), len(codes)) for _, _, data, _ in ordered]
        self.start: Times = np.array([start for start, _, _, _ in ordered], dtype=np.int64)
        self.end: Times = np.array([start + max(duration, 0) for start, duration, _, _ in ordered], dtype=np.int64)
        self.id: Ids = np.array([number for _, _, _, number in ordered], dtype=np.int64)
        self.value: Codes = np.array(values, dtype=np.int32)
        self.dictionary = TextDictionary(list(codes))

    def touching(self, start: Microseconds, end: Microseconds) -> Flags:
        """Which events touch the closed range; none do where it ends before it begins."""
        if end < start:
            return np.zeros(len(self.start), dtype=np.bool_)
        return (self.start <= end) & (self.end >= start)


SECOND = 1_000_000


class Plain(NamedTuple):
    """An event in a form whose equality is exact: 1, 1.0 and true are three different things in its data."""

    start: int
    duration: int
    data: CanonicalJson
    id: int | None


def at(start: float, duration: float, data: dict[str, Any] | str | None = None, *, id: int | None = None) -> Event:
    """An event in seconds, as the vectors of the protocol are written; a letter is an app."""
    fields = {"app": data} if isinstance(data, str) else data or {}
    return Event(round(start * SECOND), round(duration * SECOND), fields, id)


def table_of(events: Iterable[Event]) -> Table:
    """The events in one table with one dictionary."""
    listed = list(events)
    codes: dict[CanonicalJson, int] = {}
    values = [codes.setdefault(canonical_json(event.data), len(codes)) for event in listed]
    start = np.array([event.start for event in listed], dtype=np.int64)
    duration = np.array([max(event.duration, 0) for event in listed], dtype=np.int64)
    ids = np.array([NO_ID if event.id is None else event.id for event in listed], dtype=np.int64)
    return Table(start, start + duration, ids, np.array(values, dtype=np.int32), TextDictionary(list(codes)))


def table_of_parts(parts: Sequence[Sequence[Event]]) -> Table:
    """The events in one table whose dictionary is joined from one for each part."""
    return concatenate([table_of(part) for part in parts])


def events_of(table: Table) -> list[Event]:
    """What is in a table."""
    texts = table.data.texts(table.value)
    return [
        Event(start, duration, msgspec.json.decode(text), None if number == NO_ID else number)
        for start, duration, text, number in zip(
            table.start.tolist(), table.duration.tolist(), texts, table.id.tolist(), strict=True
        )
    ]


def plain(events: Iterable[Event] | Table) -> list[Plain]:
    """Events for comparing."""
    listed = events_of(events) if isinstance(events, Table) else events
    return [Plain(event.start, event.duration, canonical_json(event.data), event.id) for event in listed]


def context_of(
    buckets: dict[str, list[Event]],
    *,
    period: Period | None = None,
    periods: Sequence[Period] = (),
    hostnames: dict[str, str] | None = None,
) -> Context:
    """A context over buckets in memory."""
    stored = {
        name: [(event.start, event.duration, event.data, event.id or 0) for event in events]
        for name, events in buckets.items()
    }
    whole = period or Period(0, 10**15)
    return Context(
        source=MemorySource(stored, hostnames),
        periods=periods or [whole],
        period=whole,
        trace=Trace(),
        printed=[],
    )
