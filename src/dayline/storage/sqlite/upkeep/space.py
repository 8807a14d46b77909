"""What takes room in the database file: per bucket, per year, and for all that is no bucket's.

The bytes of each table are counted. What one bucket has of a table is its share: of the events and their index by
count, since the rows of all buckets are much alike and those of one lie together; of the values by the length of their
texts. So the parts add up to the file.
"""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import apsw
import msgspec

from dayline.model.space import FileSpace
from dayline.storage.retention.space_shares import Besides, WeighedBucket, file_space, share_events, share_values
from dayline.storage.sqlite.file.connection import open_without_trace
from dayline.storage.sqlite.upkeep.table_sizes import LONGEST_S, TableSizes, table_sizes
from dayline.storage.sqlite.upkeep.value_use import BY_EVENTS, BY_TRASH, ValueUse

_ROWS: Final = 20_000  # some hundredths of a second
_VALUE_OVERHEAD: Final = 16  # bytes of a value's row besides its text
_EPOCH_YEAR: Final = 1970
_VALUES = "SELECT key, bucket, octet_length(json) FROM value WHERE key > ? ORDER BY key LIMIT ?"
_REDACTION_TABLES: Final = (
    "redaction", "redacted_value", "redacted_value_place", "redacted_event", "replaced_event",
)  # fmt: skip
_ACT_TABLES: Final = ("act", "act_bucket", "act_event", "act_event_id")


def space_of(database: Path, *, longest_s: float = LONGEST_S) -> FileSpace:
    """Measure the file. Takes a while, in short transactions: for a process of its own."""
    db = open_without_trace(database)
    try:
        sizes = table_sizes(db, longest_s=longest_s)
        buckets = _buckets(db)
        kept, unused = _weigh_values(db, buckets)
    finally:
        db.close()
    return _put_together(sizes, list(buckets.values()), kept, unused)


def _buckets(db: apsw.Connection) -> dict[int, WeighedBucket]:
    rows = db.execute("SELECT key, id, deleted IS NOT NULL FROM bucket").fetchall()
    buckets = {
        key: WeighedBucket(id=bucket_id, is_deleted=bool(deleted))
        for key, bucket_id, deleted in msgspec.convert(rows, list[tuple[int, str, int]])
    }
    months = db.execute("SELECT bucket, month, events FROM month").fetchall()
    for key, month, events in msgspec.convert(months, list[tuple[int, int, int]]):
        if key in buckets:
            buckets[key].years[_EPOCH_YEAR + month // 12] += events
    return buckets


def _weigh_values(db: apsw.Connection, buckets: dict[int, WeighedBucket]) -> tuple[dict[int, int], int]:
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


def _put_together(sizes: TableSizes, buckets: list[WeighedBucket], kept: dict[int, int], unused: int) -> FileSpace:
    of_trash = sum(weight for by, weight in kept.items() if by & BY_TRASH)
    of_redactions = sum(weight for by, weight in kept.items() if not by & BY_TRASH)
    share_events(buckets, sizes.of("event", "event_id"))
    trash, redactions, of_nobody = share_values(
        buckets, sizes.of("value", "value_hash"), (of_trash, of_redactions, unused)
    )
    besides = Besides(
        file=sizes.file,
        trash=trash + sizes.of(*_ACT_TABLES),
        redactions=redactions + sizes.of(*_REDACTION_TABLES),
        audit=sizes.of("audit", "audit_slot"),
        unused=of_nobody,
        free=sizes.free,
    )
    return file_space(buckets, besides, is_exact=sizes.is_exact)
