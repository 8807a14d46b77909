"""What takes up disk space: by bucket, by year, by table, and the files that belong to it."""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import apsw
import msgspec

from dayline.config.data_folder import beside
from dayline.model.upkeep.space import FileSpace
from dayline.storage.retention.space import (
    OtherSizes,
    WeighedBucket,
    file_space,
    share_events,
    share_values,
    weighed_buckets,
)
from dayline.storage.sqlite.derived.file import derived_path
from dayline.storage.sqlite.file.connection import open_without_trace
from dayline.storage.sqlite.rows.read_transaction import SqliteReadTransaction
from dayline.storage.sqlite.upkeep.table_sizes import MAX_READ_S, TableSizes, table_sizes
from dayline.storage.sqlite.upkeep.value_use import BY_EVENTS, BY_TRASH, ValueUse

# The size of each table is counted. A bucket's share of the events and their index is by count, since all rows are
# about the same size and those of one bucket are stored together; its share of the values is by the length of their
# texts. So the parts add up to the file.
_ROWS: Final = 20_000  # some hundredths of a second
_VALUE_OVERHEAD: Final = 16  # bytes of a value's row without its text
_VALUES = "SELECT key, bucket, octet_length(json) FROM value WHERE key > ? ORDER BY key LIMIT ?"
_REDACTION_TABLES: Final = ("redaction", "redacted_value", "redacted_value_place", "redacted_event")
_OPERATION_TABLES: Final = ("operation", "operation_bucket", "operation_event", "operation_event_id")


def sizes_beside(database: Path) -> tuple[int, int]:
    """Bytes of the segments, and of the write-ahead log."""
    derived = derived_path(database)
    segments = sum(_size(beside(derived, end)) for end in ("", "-wal", "-shm", "-journal"))
    return segments, _size(beside(database, "-wal"))


def _size(file: Path) -> int:
    """0 if there is none: files come and go while this runs."""
    try:
        return file.stat().st_size
    except OSError:
        return 0


def space_of(database: Path, *, max_read_s: float = MAX_READ_S) -> FileSpace:
    """Measure the file, in short transactions. Takes a while: call it in a child process."""
    db = open_without_trace(database)
    try:
        sizes = table_sizes(db, max_read_s=max_read_s)
        buckets = weighed_buckets(SqliteReadTransaction(db))
        kept, unused = _weigh_values(db, buckets)
    finally:
        db.close()
    return _put_together(sizes, list(buckets.values()), kept, unused)


def _weigh_values(db: apsw.Connection, buckets: dict[int, WeighedBucket]) -> tuple[dict[int, int], int]:
    """Weigh the values of each bucket; and those no event uses, by user, and the unused ones."""
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
        page = msgspec.convert(rows, list[tuple[int, int, int]])
        after = page[-1][0]
        yield from page


def _put_together(sizes: TableSizes, buckets: list[WeighedBucket], kept: dict[int, int], unused: int) -> FileSpace:
    of_trash = sum(weight for by, weight in kept.items() if by & BY_TRASH)
    of_redactions = sum(weight for by, weight in kept.items() if not by & BY_TRASH)
    share_events(buckets, sizes.of("event", "event_id"))
    trash, redactions, unused_bytes = share_values(
        buckets, sizes.of("value", "value_hash"), (of_trash, of_redactions, unused)
    )
    other_sizes = OtherSizes(
        file=sizes.file,
        trash=trash + sizes.of(*_OPERATION_TABLES),
        redactions=redactions + sizes.of(*_REDACTION_TABLES),
        audit=sizes.of("audit", "audit_slot"),
        unused=unused_bytes,
        free=sizes.free,
    )
    return file_space(buckets, other_sizes, is_exact=sizes.is_exact)
