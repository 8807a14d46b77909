"""The undo log in the file: operations, and events before and after them."""

from collections.abc import Sequence
from typing import Final

import msgspec
from msgspec import Struct

from dayline.storage.engine.rows import EventChange, EventRow, LoggedEvent
from dayline.storage.history.undo_log import Operation
from dayline.storage.sqlite.file.schema import ORIGIN
from dayline.storage.sqlite.rows.buckets import FileRows

_LOG: Final = (
    "INSERT INTO operation_event(operation, id, bucket, start, duration, value, new_start, new_duration, new_value) "
    "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT(operation, id) DO UPDATE SET "
    "new_start = excluded.new_start, new_duration = excluded.new_duration, new_value = excluded.new_value"
)
# Each logged event before and after the operation, and its current state.
_LOGGED: Final = """
SELECT kept.id, kept.bucket, kept.start, kept.duration, kept.value, kept.new_start, kept.new_duration, kept.new_value,
    event.bucket, event.start, event.duration, event.value
FROM operation_event AS kept LEFT JOIN event ON event.id = kept.id
WHERE kept.operation = :operation AND kept.id > :after ORDER BY kept.id LIMIT :rows
"""


class _LoggedRow(Struct, frozen=True, array_like=True):
    id: int
    bucket: int
    start: int | None
    duration: int | None
    value: int | None
    new_start: int | None
    new_duration: int | None
    new_value: int | None
    current_bucket: int | None
    current_start: int | None
    current_duration: int | None
    current_value: int | None


class UndoLog(FileRows):
    """The part of a transaction that reads and writes logged events."""

    def log_events(self, operation: int, changes: Sequence[EventChange]) -> None:
        self.db.executemany(
            _LOG,
            [
                (operation, change.row.id, change.row.bucket, *_columns(change.before), *_columns(change.after))
                for change in changes
            ],
        )

    def newest_operation(self) -> int:
        return int(self.db.execute("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'operation'").get)

    def logged_events(self, operation: Operation, *, after: int = 0, rows: int) -> list[LoggedEvent]:
        bounds = {"operation": operation.key, "after": after, "rows": rows}
        logged = msgspec.convert(self.db.execute(_LOGGED, bounds).fetchall(), list[_LoggedRow])
        return [
            LoggedEvent(
                row.id,
                _event(row.id, row.bucket, row.start, row.duration, row.value),
                _event(row.id, row.bucket, row.new_start, row.new_duration, row.new_value),
                _event(row.id, row.current_bucket, row.current_start, row.current_duration, row.current_value),
            )
            for row in logged
        ]


def _columns(row: EventRow | None) -> tuple[int | None, int | None, int | None]:
    return (None, None, None) if row is None else (row.start - ORIGIN, row.duration, row.value)


def _event(
    event_id: int, bucket: int | None, start: int | None, duration: int | None, value: int | None
) -> EventRow | None:
    if bucket is None or start is None or duration is None or value is None:
        return None
    return EventRow(bucket, start + ORIGIN, event_id, duration, value)
