"""Builds segments, in a child process with the lowest priority.

One builder per tenant works at a time: it holds an advisory lock, which ends with its connection.
"""

import secrets
from collections.abc import Sequence
from functools import partial
from itertools import groupby
from typing import Final

from dayline.model.time import EARLIEST, start_of_month
from dayline.storage.columns.builder import PackBuilding, SegmentBuilding, with_following
from dayline.storage.columns.segment_plan import BuildReport, SegmentKey
from dayline.storage.columns.segments import Damaged
from dayline.storage.columns.snapshot import Rows
from dayline.storage.columns.value_packs import TooManyFields
from dayline.storage.postgres.columns.rows import BucketKeys, read_rows, read_texts
from dayline.storage.postgres.connection import Connection, connect, transaction
from dayline.storage.postgres.derived.segments import (
    Built,
    dictionary_of,
    forget,
    keep,
    packs_of,
    read_packs,
    segment_places,
)

_LOCK: Final = 0x7365676D  # "segm": the advisory lock, together with a tenant's number
_SEALED_MONTHS: Final = """
SELECT bucket, month, changes FROM month
WHERE tenant = %(tenant)s AND is_sealed AND events >= %(least)s AND NOT EXISTS (
    SELECT 1 FROM segment WHERE segment.tenant = %(tenant)s AND segment.bucket = month.bucket
    AND segment.month = month.month AND segment.version = month.changes
)
"""
_SEALED: Final = """
SELECT 1 FROM month WHERE tenant = %s AND bucket = %s AND month = %s AND is_sealed AND changes = %s
"""


def build(address: str, tenant: str, places: list[SegmentKey], *, min_events: int | None = None) -> BuildReport:
    """Build these sealed months of a tenant, unless they have changed; nothing while another builder works.

    With `min_events`, months of as many events that are sealed while it runs are built too.
    """
    with connect(address) as db:
        db.execute("SET max_parallel_workers_per_gather = 0")  # nothing waits for it
        db.execute("SELECT set_config('dayline.tenant', %s, false)", (f"={tenant}",))
        months = _Months(db, tenant)
        if db.execute("SELECT pg_try_advisory_lock(%s, hashtext(%s))", (_LOCK, tenant)).fetchone() == (True,):
            sealed = partial(_sealed, db, tenant, min_events)
            for some in [places] if min_events is None else with_following(places, sealed):
                months.build(some)
    return BuildReport(built=months.built, unpackable=sorted(months.unpackable))


def _sealed(db: Connection, tenant: str, min_events: int | None) -> list[SegmentKey]:
    """The sealed months with at least as many events and without a segment."""
    rows = db.execute(_SEALED_MONTHS, {"tenant": tenant, "least": min_events}).fetchall()
    return [SegmentKey(*row) for row in rows]


class _Months:
    """Builds months of buckets, and keeps what it knows of the values of a bucket for its next months."""

    def __init__(self, db: Connection, tenant: str) -> None:
        self._db = db
        self._tenant = tenant
        self._of_buckets: dict[int, BucketBuild] = {}
        self.built: list[SegmentKey] = []
        self.unpackable: set[int] = set()

    def build(self, places: Sequence[SegmentKey]) -> None:
        for bucket, months in groupby(sorted(places, key=_order), key=lambda place: place.bucket):
            if bucket not in self.unpackable:
                self._build(BucketKeys(self._tenant, bucket), list(months))

    def _build(self, place: BucketKeys, months: list[SegmentKey]) -> None:
        build = self._of_buckets.pop(place.bucket, None)
        try:
            build = build or BucketBuild(self._db, place)
            self.built += build.run(months)
            self._of_buckets[place.bucket] = build
        except BucketChanged:
            pass  # so did its months: they come again
        except TooManyFields:
            _forget(self._db, place)
            self.unpackable.add(place.bucket)
        except Damaged:
            _forget(self._db, place)  # it is built from scratch the next time


def _forget(db: Connection, place: BucketKeys) -> None:
    packs = packs_of(db, place.tenant, place.bucket)
    if packs is not None:
        forget(db, place.tenant, place.bucket, packs.generation)


class BucketChanged(Exception):
    """The bucket has changed since its months were read."""


class BucketBuild(SegmentBuilding):
    """The segments of one bucket of a tenant."""

    def __init__(self, db: Connection, place: BucketKeys) -> None:
        self._db = db
        self._place = place
        with transaction(db, place.tenant, is_snapshot=True):
            dictionary = dictionary_of(db, place.tenant, place.bucket)
            packs = packs_of(db, place.tenant, place.bucket)
            packed = [] if packs is None else read_packs(db, place.tenant, place.bucket, packs.generation)
            self._stored = segment_places(db, place.tenant, place.bucket)
        if dictionary is None:
            raise BucketChanged
        self._dictionary = dictionary
        self._generation = secrets.randbits(62) if packs is None else packs.generation
        self._counts = {} if packs is None else dict(packs.places)  # of values, by the first value of a pack
        read = partial(read_texts, db, place)
        super().__init__(PackBuilding(place.bucket, packed, read, has_changes=dictionary > 0))

    def read(self, place: SegmentKey) -> Rows | None:
        if place in self._stored:
            return None
        tenant, bucket = self._place.tenant, self._place.bucket
        span = (start_of_month(place.month), start_of_month(place.month + 1) - 1)
        with transaction(self._db, tenant, is_snapshot=True):
            if self._db.execute(_SEALED, (tenant, bucket, place.month, place.version)).fetchone() is None:
                return None
            return read_rows(self._db, self._place, span, EARLIEST)

    def keep(self, segments: list[tuple[SegmentKey, bytes]]) -> None:
        packs = self.packs.taken()
        built = Built(
            generation=self._generation,
            dictionary=self._dictionary,
            extended=list(self._counts.items()),
            packs=packs,
            segments=segments,
        )
        if not keep(self._db, self._place.tenant, self._place.bucket, built):
            raise BucketChanged
        self._counts |= {first: count for first, count, _ in packs}


def _order(place: SegmentKey) -> tuple[int, int]:
    return place.bucket, place.month
