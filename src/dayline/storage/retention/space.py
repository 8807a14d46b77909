"""Attributes the size of the database to buckets and other parts."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import msgspec
from msgspec import Struct

from dayline.model.upkeep.space import BucketSpace, FileParts, FileSpace, YearSpace
from dayline.storage.engine.aliases import BUCKETS
from dayline.storage.engine.tables import Table, Tables

_EPOCH_YEAR: Final = 1970
_MONTHS: Final = Table("month", ("bucket", "month", "events"))


class WeighedBucket(Struct):
    """A bucket and its contents. `texts` is the weight of its values."""

    id: str
    is_deleted: bool
    years: Counter[int] = msgspec.field(default_factory=Counter[int])
    values: int = 0
    texts: int = 0
    event_bytes: int = 0
    value_bytes: int = 0

    @property
    def events(self) -> int:
        return self.years.total()

    @property
    def bytes(self) -> int:
        return self.event_bytes + self.value_bytes


class OtherSizes(Struct, frozen=True, kw_only=True):
    """Sizes of everything but the events and values of buckets. `file` is the total."""

    file: int
    trash: int  # without deleted buckets
    redactions: int
    audit: int
    unused: int = 0
    free: int = 0


def divide(total: int, weights: Sequence[float]) -> list[int]:
    """Divide a number of bytes in proportion to weights; the parts add up to it."""
    whole, cuts, reached = sum(weights), [0], 0.0
    if not whole:
        return [0] * len(weights)
    for weight in weights:
        reached += weight
        cuts.append(round(total * (reached / whole)))
    cuts[-1] = total
    return [after - before for before, after in pairwise(cuts)]


def weighed_buckets(tx: Tables) -> dict[int, WeighedBucket]:
    """All buckets by key, with their events by year; nothing else of them is weighed yet."""
    buckets = {
        key: WeighedBucket(id=bucket_id, is_deleted=deleted is not None)
        for key, bucket_id, deleted in tx.select(BUCKETS, {})
    }
    for key, month, events in tx.select(_MONTHS, {"events >": 0}):
        if key in buckets:
            buckets[key].years[_EPOCH_YEAR + month // 12] += events
    return buckets


def share_events(buckets: Sequence[WeighedBucket], size: int) -> None:
    """Attribute the size of the events to buckets, by count: rows of all buckets are about the same size."""
    for bucket, part in zip(buckets, divide(size, [bucket.events for bucket in buckets]), strict=True):
        bucket.event_bytes = part


def share_values(buckets: Sequence[WeighedBucket], size: int, others: Sequence[int] = ()) -> list[int]:
    """Attribute the size of the values to buckets, by weight; returns the shares of `others`."""
    parts = divide(size, [*(bucket.texts for bucket in buckets), *others])
    for bucket, part in zip(buckets, parts, strict=False):
        bucket.value_bytes = part
    return parts[len(buckets) :]


def file_space(buckets: Sequence[WeighedBucket], other_sizes: OtherSizes, *, is_exact: bool) -> FileSpace:
    """The complete breakdown; `other` is what remains of the file."""
    live = [bucket for bucket in buckets if not bucket.is_deleted]
    deleted = sum(bucket.bytes for bucket in buckets if bucket.is_deleted)
    events, values = sum(bucket.event_bytes for bucket in live), sum(bucket.value_bytes for bucket in live)
    trash = deleted + other_sizes.trash
    named = events + values + trash + other_sizes.redactions + other_sizes.audit + other_sizes.unused + other_sizes.free
    return FileSpace(
        is_exact=is_exact,
        file=other_sizes.file,
        parts=FileParts(
            events=events,
            values=values,
            trash=trash,
            redactions=other_sizes.redactions,
            audit=other_sizes.audit,
            unused=other_sizes.unused,
            free=other_sizes.free,
            other=other_sizes.file - named,
        ),
        buckets=sorted(map(_bucket_space, live), key=lambda bucket: (-bucket.bytes, bucket.id)),
        years=_years(live),
    )


def _bucket_space(bucket: WeighedBucket) -> BucketSpace:
    return BucketSpace(
        id=bucket.id,
        events=bucket.events,
        values=bucket.values,
        event_bytes=bucket.event_bytes,
        value_bytes=bucket.value_bytes,
        bytes=bucket.bytes,
    )


def _years(buckets: Sequence[WeighedBucket]) -> list[YearSpace]:
    events, sizes = Counter[int](), Counter[int]()
    for bucket in buckets:
        years = sorted(bucket.years)
        for year, part in zip(years, divide(bucket.bytes, [bucket.years[year] for year in years]), strict=True):
            events[year] += bucket.years[year]
            sizes[year] += part
    return [YearSpace(year=year, events=events[year], bytes=sizes[year]) for year in sorted(events) if events[year]]
