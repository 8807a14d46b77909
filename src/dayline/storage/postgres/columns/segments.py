"""Reads segments and packs from their tables and caches them. If they are damaged, rows are read."""

import contextlib
import logging
from collections.abc import Sequence
from functools import partial

from dayline.model.errors import StoreUnusable
from dayline.storage.columns.cache import ColumnCache
from dayline.storage.columns.dictionaries import PackedDictionary, PackedSegments
from dayline.storage.columns.months import MIN_SHARE, MonthSpan, SegmentKey
from dayline.storage.columns.segments import Damaged, Segment, unpack_segment
from dayline.storage.columns.value_packs import ValuePack
from dayline.storage.postgres.columns.state import Owner, ReadState
from dayline.storage.postgres.connection import Connection
from dayline.storage.postgres.derived.segments import Packs, forget, packs_of, read_packs, read_segments

log = logging.getLogger(__name__)


class SegmentColumns:
    """The derived data of one tenant."""

    def __init__(self, cache: ColumnCache, tenant: str) -> None:
        self._cache = cache
        self._tenant = tenant
        self._damaged: set[tuple[int, int]] = set()  # buckets and generations

    def find(
        self, db: Connection, owner: Owner, spans: Sequence[MonthSpan], generation: int | None
    ) -> PackedSegments | None:
        """The segments worth using for these parts of months; None if there are none."""
        if generation is None or (owner.bucket, generation) in self._damaged:
            return None
        places = [
            place
            for span in spans
            if span.version is not None
            for place in (SegmentKey(owner.bucket, span.month, span.version),)
            if span.share >= MIN_SHARE or self._cache.get((owner, generation, place), Segment) is not None
        ]
        try:
            return self._read(db, owner, generation, places) if places else None
        except Damaged as error:
            log.warning("segments of bucket %d are damaged: %s", owner.bucket, error)
            self._damaged.add((owner.bucket, generation))
            return None

    def delete_damaged(self, state: ReadState) -> None:
        """Delete damaged segments, to be built again. Call it between two queries."""
        for bucket, generation in list(self._damaged):
            with contextlib.suppress(StoreUnusable):  # retried after the next query
                state.ask(partial(forget, tenant=self._tenant, bucket=bucket, generation=generation))
                self._damaged.discard((bucket, generation))

    def _read(
        self, db: Connection, owner: Owner, generation: int, places: Sequence[SegmentKey]
    ) -> PackedSegments | None:
        packs = packs_of(db, self._tenant, owner.bucket)
        if packs is None or packs.generation != generation:
            raise Damaged("their packs are missing")
        segments = self._segments(db, owner, generation, places)
        state = (owner, packs)
        dictionary = self._cache.get(state, PackedDictionary)
        if dictionary is None:
            dictionary = self._dictionary(db, owner, packs)
            self._cache.put(state, dictionary)
        return PackedSegments(segments, dictionary, state)

    def _segments(
        self, db: Connection, owner: Owner, generation: int, places: Sequence[SegmentKey]
    ) -> dict[int, Segment]:
        kept = {place: self._cache.get((owner, generation, place), Segment) for place in places}
        missing = [place for place in places if kept[place] is None]
        packed = read_segments(db, self._tenant, generation, missing)
        segments = {place.month: segment for place, segment in kept.items() if segment is not None}
        for place in missing:
            if place.month in packed:
                segment = segments[place.month] = unpack_segment(packed.pop(place.month), place)
                self._cache.put((owner, generation, place), segment)
        return segments

    def _dictionary(self, db: Connection, owner: Owner, packs: Packs) -> PackedDictionary:
        packed = read_packs(db, self._tenant, owner.bucket, packs.generation)
        return PackedDictionary([ValuePack(pack, bucket=owner.bucket, first=first) for first, _, pack in packed])
