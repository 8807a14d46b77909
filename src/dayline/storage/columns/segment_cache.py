"""Decoded segments and packs of values, cached between queries. Only query processes import this."""

from collections.abc import Callable, Hashable, Iterable, Sequence

from dayline.storage.columns.cache import ColumnCache
from dayline.storage.columns.dictionaries import PackedDictionary
from dayline.storage.columns.months import MIN_SHARE, MonthSpan
from dayline.storage.columns.segment_plan import PackedPack, SegmentKey
from dayline.storage.columns.segments import Segment, unpack_segment
from dayline.storage.columns.value_packs import ValuePack


class SegmentCache:
    """Keeps what was decoded. `state` identifies the packs that the values of a segment belong to."""

    def __init__(self, cache: ColumnCache) -> None:
        self._cache = cache

    def wanted(self, state: Hashable | None, bucket: int, spans: Iterable[MonthSpan]) -> list[SegmentKey]:
        """The segments worth using for these parts of months. A segment that is cached is always worth it."""
        return [
            segment_key
            for span in spans
            if span.version is not None
            for segment_key in (SegmentKey(bucket, span.month, span.version),)
            if span.share >= MIN_SHARE or self._cache.get((state, segment_key), Segment) is not None
        ]

    def segments(
        self,
        state: Hashable,
        places: Sequence[SegmentKey],
        read: Callable[[Sequence[SegmentKey]], Iterable[tuple[SegmentKey, bytes]]],
    ) -> dict[int, Segment]:
        """The existing segments by month; `read` returns those that are not cached. Raises Damaged."""
        kept = {segment_key: self._cache.get((state, segment_key), Segment) for segment_key in places}
        segments = {segment_key.month: segment for segment_key, segment in kept.items() if segment is not None}
        for segment_key, packed in read([segment_key for segment_key in places if kept[segment_key] is None]):
            segment = segments[segment_key.month] = unpack_segment(packed, segment_key)
            self._cache.put((state, segment_key), segment)
        return segments

    def values(self, state: Hashable, bucket: int, read: Callable[[], Iterable[PackedPack]]) -> PackedDictionary:
        """The packed values of a bucket; `read` returns its packs. Raises Damaged."""
        dictionary = self._cache.get(state, PackedDictionary)
        if dictionary is None:
            dictionary = PackedDictionary(
                [ValuePack(packed, bucket=bucket, first=first) for first, _, packed in read()]
            )
            self._cache.put(state, dictionary)
        return dictionary
