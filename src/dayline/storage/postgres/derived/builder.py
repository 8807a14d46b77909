"""Builds segments, in a child process with the lowest priority.

One builder per tenant works at a time: it holds an advisory lock, which ends with its connection.
"""

import secrets
from functools import partial
from itertools import groupby
from typing import Final

from dayline.model.time import EARLIEST, start_of_month
from dayline.storage.columns.builder import PackBuilding, SegmentBuilding
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
_SEALED: Final = """
SELECT 1 FROM month WHERE tenant = %s AND bucket = %s AND month = %s AND is_sealed AND changes = %s
"""


def build(address: str, tenant: str, places: list[SegmentKey]) -> BuildReport:
    """Build these sealed months of a tenant, unless they have changed; nothing while another builder works."""
    report = BuildReport()
    with connect(address) as db:
        db.execute("SET max_parallel_workers_per_gather = 0")  # nothing waits for it
        db.execute("SELECT set_config('dayline.tenant', %s, false)", (f"={tenant}",))
        if db.execute("SELECT pg_try_advisory_lock(%s, hashtext(%s))", (_LOCK, tenant)).fetchone() != (True,):
            return report
        for bucket, months in groupby(sorted(places, key=_order), key=lambda place: place.bucket):
            _build_bucket(db, BucketKeys(tenant, bucket), list(months), report)
    return report


def _build_bucket(db: Connection, place: BucketKeys, months: list[SegmentKey], report: BuildReport) -> None:
    try:
        report.built.extend(BucketBuild(db, place).run(months))
    except BucketChanged:
        pass  # so did its months: they come again
    except TooManyFields:
        _forget(db, place)
        report.unpackable.append(place.bucket)
    except Damaged:
        _forget(db, place)  # it is built from scratch the next time


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
