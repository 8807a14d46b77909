"""Reads segments and packs from their tables. If they are damaged, rows are read."""

import contextlib
import logging
from collections.abc import Sequence
from functools import partial

from dayline.model.errors import StoreUnusable
from dayline.storage.columns.dictionaries import PackedSegments
from dayline.storage.columns.months import MonthSpan
from dayline.storage.columns.segment_cache import SegmentCache
from dayline.storage.columns.segment_plan import SegmentKey
from dayline.storage.columns.segments import Damaged
from dayline.storage.columns.snapshot import ValueOwner
from dayline.storage.postgres.columns.state import ReadState
from dayline.storage.postgres.connection import Connection
from dayline.storage.postgres.derived.segments import forget, packs_of, read_packs, read_segments

log = logging.getLogger(__name__)


class SegmentColumns:
    """The derived data of one tenant."""

    def __init__(self, cache: SegmentCache, tenant: str) -> None:
        self._cache = cache
        self._tenant = tenant
        self._damaged: set[tuple[int, int]] = set()  # buckets and generations

    def find(
        self, db: Connection, owner: ValueOwner, spans: Sequence[MonthSpan], generation: int | None
    ) -> PackedSegments | None:
        """The segments worth using for these parts of months; None if there are none."""
        if generation is None or (owner.bucket, generation) in self._damaged:
            return None
        places = self._cache.wanted((owner, generation), owner.bucket, spans)
        try:
            return self._read(db, owner, generation, places) if places else None
        except Damaged as error:
            log.warning("Segments of bucket %d are damaged: %s", owner.bucket, error)
            self._damaged.add((owner.bucket, generation))
            return None

    def delete_damaged(self, state: ReadState) -> None:
        """Delete damaged segments, to be built again. Call it between two queries."""
        for bucket, generation in list(self._damaged):
            with contextlib.suppress(StoreUnusable):  # retried after the next query
                state.ask(partial(forget, tenant=self._tenant, bucket=bucket, generation=generation))
                self._damaged.discard((bucket, generation))

    def _read(
        self, db: Connection, owner: ValueOwner, generation: int, places: Sequence[SegmentKey]
    ) -> PackedSegments | None:
        tenant, bucket = self._tenant, owner.bucket
        packs = packs_of(db, tenant, bucket)
        if packs is None or packs.generation != generation:
            raise Damaged("their packs are missing")
        segments = self._cache.segments((owner, generation), places, partial(read_segments, db, tenant, generation))
        state = (owner, packs)
        values = self._cache.values(state, bucket, lambda: read_packs(db, tenant, bucket, generation))
        return PackedSegments(segments, values, state)
