"""The size of each table and index: counted by pages, or estimated if that takes too long."""

from collections.abc import Iterable, Mapping
from time import monotonic
from typing import Final

import apsw
import msgspec
from msgspec import Struct

from dayline.storage.retention.space import divide

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
