"""What takes up disk space: by bucket, by year, by table, and the files next to the database."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from time import monotonic
from typing import Final

import apsw
import msgspec
from msgspec import Struct

from dayline.model.upkeep import FileSpace
from dayline.storage.retention.space import OtherSizes, WeighedBucket, divide, file_space, share_events, share_values
from dayline.storage.sqlite.derived.file import derived_path
from dayline.storage.sqlite.file.connection import open_without_trace
from dayline.storage.sqlite.upkeep.value_use import BY_EVENTS, BY_TRASH, ValueUse


def sizes_beside(database: Path) -> tuple[int, int]:
    """Bytes of the segments, and of the write-ahead log."""
    derived = derived_path(database)
    segments = sum(_size(derived.with_name(f"{derived.name}{end}")) for end in ("", "-wal", "-shm", "-journal"))
    return segments, _size(database.with_name(f"{database.name}-wal"))


def _size(file: Path) -> int:
    """0 if there is none: files come and go while this runs."""
    try:
        return file.stat().st_size
    except OSError:
        return 0


# The size of each table and index: counted by pages, or estimated if that takes too long.


MAX_READ_S: Final = 4.0  # no read transaction lasts longer than five seconds
_STEPS: Final = 500  # SQLite steps between two checks of the clock: some dozens of pages
_SAMPLE: Final = 500  # rows at either end of a table
_ROW_OVERHEAD: Final = 5  # a cell pointer, lengths of record and header, the rowid or similar

# Columns of the tables that grow, and of their indexes.
_COLUMNS: Final[Mapping[str, tuple[str, str]]] = {
    "event": ("event", "bucket, start, id, duration, value"),
    "event_id": ("event", "id, bucket, start"),
    "value": ("value", "key, bucket, hash, json"),
    "value_hash": ("value", "hash, key"),
    "operation_event": (
        "operation_event",
        "operation, id, bucket, start, duration, value, new_start, new_duration, new_value",
    ),
    "operation_event_id": ("operation_event", "id, operation"),
    "redacted_value": ("redacted_value", "number, redaction, value, bucket, hash, json"),
    "redacted_event": ("redacted_event", "redaction, bucket, start, id, duration, value"),
    "audit": ("audit", "number, slot, who, key_id, address, call, bucket, status, first, last, count"),
    "audit_slot": ("audit", "slot, who, address, call, bucket, status, number"),
}


class TableSizes(Struct, frozen=True, kw_only=True):
    """Bytes by the names of tables and indexes; other pages belong to the file itself."""

    file: int
    free: int
    tables: dict[str, int]
    is_exact: bool

    def of(self, *names: str) -> int:
        return sum(self.tables.get(name, 0) for name in names)


def table_sizes(db: apsw.Connection, *, max_read_s: float = MAX_READ_S) -> TableSizes:
    """The sizes of the tables of a file. Call it outside a transaction; it makes its own, which is short."""
    db.execute("BEGIN")
    try:
        page, pages, free = (int(db.pragma(name)) for name in ("page_size", "page_count", "freelist_count"))
        counted = _counted(db, max_read_s)
    finally:
        db.execute("COMMIT")
    return TableSizes(
        file=page * pages,
        free=page * free,
        tables=_estimated(db, page * (pages - free)) if counted is None else counted,
        is_exact=counted is not None,
    )


def _counted(db: apsw.Connection, max_read_s: float) -> dict[str, int] | None:
    """By SQLite's dbstat table; None if it takes too long, or is not available."""
    deadline = monotonic() + max_read_s
    db.set_progress_handler(lambda: monotonic() > deadline, _STEPS)
    try:
        rows = db.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name").fetchall()
    except (apsw.InterruptError, apsw.SQLError):
        return None
    finally:
        db.set_progress_handler(None)
    return dict(msgspec.convert(rows, list[tuple[str, int]]))


def _estimated(db: apsw.Connection, used: int) -> dict[str, int]:
    """The used pages, in proportion to rows times their average size."""
    counts = {table: _rows(db, table) for table, _ in _COLUMNS.values()}
    weights = [counts[table] * _row_bytes(db, table, columns) for table, columns in _COLUMNS.values()]
    return dict(zip(_COLUMNS, divide(used, weights), strict=True))


def _rows(db: apsw.Connection, table: str) -> int:
    if table == "event":
        return int(db.execute("SELECT coalesce(sum(events), 0) FROM month").get)
    return int(db.execute(f"SELECT count(*) FROM {table}").get)


def _row_bytes(db: apsw.Connection, table: str, columns: str) -> float:
    ends = [f"SELECT {columns} FROM {table} ORDER BY 1 {order} LIMIT {_SAMPLE}" for order in ("ASC", "DESC")]
    rows = [row for statement in ends for row in db.execute(statement).fetchall()]
    return sum(map(_stored, rows)) / len(rows) if rows else 0.0


def _stored(row: Iterable[object]) -> int:
    """The approximate size of a row in SQLite's file format."""
    return _ROW_OVERHEAD + sum(1 + _content(value) for value in row)


def _content(value: object) -> int:
    if isinstance(value, int):
        size = (value.bit_length() + 8) // 8 if value not in (0, 1) else 0
        return {5: 6, 7: 8}.get(size, size)
    return len(value.encode()) if isinstance(value, str) else 0


# The size of each table is counted. A bucket's share of the events and their index is by count, since all rows are
# about the same size and those of one bucket are stored together; its share of the values is by the length of their
# texts. So the parts add up to the file.


_ROWS: Final = 20_000  # some hundredths of a second
_VALUE_OVERHEAD: Final = 16  # bytes of a value's row without its text
_EPOCH_YEAR: Final = 1970
_VALUES = "SELECT key, bucket, octet_length(json) FROM value WHERE key > ? ORDER BY key LIMIT ?"
_REDACTION_TABLES: Final = ("redaction", "redacted_value", "redacted_value_place", "redacted_event")
_OPERATION_TABLES: Final = ("operation", "operation_bucket", "operation_event", "operation_event_id")


def space_of(database: Path, *, max_read_s: float = MAX_READ_S) -> FileSpace:
    """Measure the file, in short transactions. Takes a while: call it in a child process."""
    db = open_without_trace(database)
    try:
        sizes = table_sizes(db, max_read_s=max_read_s)
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
        found = msgspec.convert(rows, list[tuple[int, int, int]])
        after = found[-1][0]
        yield from found


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
