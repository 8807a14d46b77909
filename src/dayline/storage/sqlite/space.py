"""What takes room in the database file: per bucket, per year, and for all that is no bucket's.

The bytes of each table are counted. What one bucket has of a table is its share: of the events and their index by
count, since the rows of all buckets are much alike and those of one lie together; of the values by the length of their
texts. So the parts add up to the file.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import apsw
import msgspec
from msgspec import Struct

from dayline.model.space import BucketSpace, FileParts, FileSpace, YearSpace
from dayline.storage.sqlite.connection import open_reader
from dayline.storage.sqlite.table_sizes import LONGEST_S, TableSizes, shared, table_sizes
from dayline.storage.sqlite.value_use import BY_EVENTS, BY_TRASH, ValueUse

_ROWS: Final = 20_000  # some hundredths of a second
_VALUE_OVERHEAD: Final = 16  # bytes of a value's row besides its text
_EPOCH_YEAR: Final = 1970
_VALUES = "SELECT key, bucket, octet_length(json) FROM value WHERE key > ? ORDER BY key LIMIT ?"
_REDACTION_TABLES: Final = (
    "redaction", "redacted_value", "redacted_value_place", "redacted_event", "replaced_event",
)  # fmt: skip
_ACT_TABLES: Final = ("act", "act_bucket", "act_event", "act_event_id")


class _Bucket(Struct):
    """A bucket and what it holds. `texts` is the weight of its values."""

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


def space_of(database: Path, *, longest_s: float = LONGEST_S) -> FileSpace:
    """Measure the file. Takes a while, in short transactions: for a process of its own."""
    db = open_reader(database)
    try:
        sizes = table_sizes(db, longest_s=longest_s)
        buckets = _buckets(db)
        kept, unused = _weigh_values(db, buckets)
    finally:
        db.close()
    trash_values, redaction_values, unused_values = _share(sizes, buckets, kept, unused)
    return _put_together(sizes, list(buckets.values()), trash_values, redaction_values, unused_values)


def _buckets(db: apsw.Connection) -> dict[int, _Bucket]:
    rows = db.execute("SELECT key, id, deleted IS NOT NULL FROM bucket").fetchall()
    buckets = {
        key: _Bucket(id=bucket_id, is_deleted=bool(deleted))
        for key, bucket_id, deleted in msgspec.convert(rows, list[tuple[int, str, int]])
    }
    months = db.execute("SELECT bucket, month, events FROM month").fetchall()
    for key, month, events in msgspec.convert(months, list[tuple[int, int, int]]):
        if key in buckets:
            buckets[key].years[_EPOCH_YEAR + month // 12] += events
    return buckets


def _weigh_values(db: apsw.Connection, buckets: dict[int, _Bucket]) -> tuple[dict[int, int], int]:
    """Weigh the values of each bucket; and by who else has them those that no event has, and those nobody has."""
    use = ValueUse(db)
    kept: dict[int, int] = defaultdict(int)
    unused = 0
    for key, bucket_key, length in _values(db):
        bucket, by, weight = buckets.get(bucket_key), use.of(key), length + _VALUE_OVERHEAD
        if bucket is None or not by:
            unused += weight
        elif by & BY_EVENTS or bucket.is_deleted:
            bucket.values += 1
            bucket.texts += weight
        else:
            kept[by] += weight
    return kept, unused


def _values(db: apsw.Connection) -> Iterator[tuple[int, int, int]]:
    after = 0
    while rows := db.execute(_VALUES, (after, _ROWS)).fetchall():
        found = msgspec.convert(rows, list[tuple[int, int, int]])
        after = found[-1][0]
        yield from found


def _share(sizes: TableSizes, buckets: dict[int, _Bucket], kept: dict[int, int], unused: int) -> tuple[int, int, int]:
    """Give each bucket its bytes; what is left are the values of the trash, of redactions, and of nobody."""
    all_of_them = list(buckets.values())
    for bucket, size in zip(
        all_of_them, shared(sizes.of("event", "event_id"), [b.events for b in all_of_them]), strict=True
    ):
        bucket.event_bytes = size
    of_trash = sum(weight for by, weight in kept.items() if by & BY_TRASH)
    of_redactions = sum(weight for by, weight in kept.items() if not by & BY_TRASH)
    weights = [*(bucket.texts for bucket in all_of_them), of_trash, of_redactions, unused]
    *of_buckets, trash, redactions, of_nobody = shared(sizes.of("value", "value_hash"), weights)
    for bucket, size in zip(all_of_them, of_buckets, strict=True):
        bucket.value_bytes = size
    return trash, redactions, of_nobody


def _put_together(
    sizes: TableSizes, buckets: list[_Bucket], trash_values: int, redaction_values: int, unused_values: int
) -> FileSpace:
    live = [bucket for bucket in buckets if not bucket.is_deleted]
    deleted = sum(bucket.event_bytes + bucket.value_bytes for bucket in buckets if bucket.is_deleted)
    events, values = sum(bucket.event_bytes for bucket in live), sum(bucket.value_bytes for bucket in live)
    trash = deleted + trash_values + sizes.of(*_ACT_TABLES)
    redactions = redaction_values + sizes.of(*_REDACTION_TABLES)
    audit = sizes.of("audit", "audit_slot")
    named = events + values + trash + redactions + audit + unused_values + sizes.free
    return FileSpace(
        is_exact=sizes.is_exact,
        file=sizes.file,
        parts=FileParts(
            events=events,
            values=values,
            trash=trash,
            redactions=redactions,
            audit=audit,
            unused=unused_values,
            free=sizes.free,
            other=sizes.file - named,
        ),
        buckets=sorted(map(_bucket_space, live), key=lambda bucket: (-bucket.bytes, bucket.id)),
        years=_years(live),
    )


def _bucket_space(bucket: _Bucket) -> BucketSpace:
    return BucketSpace(
        id=bucket.id,
        events=bucket.events,
        values=bucket.values,
        event_bytes=bucket.event_bytes,
        value_bytes=bucket.value_bytes,
        bytes=bucket.event_bytes + bucket.value_bytes,
    )


def _years(buckets: list[_Bucket]) -> list[YearSpace]:
    events, sizes = Counter[int](), Counter[int]()
    for bucket in buckets:
        years = sorted(bucket.years)
        size = bucket.event_bytes + bucket.value_bytes
        for year, part in zip(years, shared(size, [bucket.years[year] for year in years]), strict=True):
            events[year] += bucket.years[year]
            sizes[year] += part
    return [YearSpace(year=year, events=events[year], bytes=sizes[year]) for year in sorted(events) if events[year]]
