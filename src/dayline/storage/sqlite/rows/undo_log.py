"""The undo log in the file: operations, and events before and after them."""

from collections.abc import Sequence
from typing import Final

import msgspec
from msgspec import Struct

from dayline.model.time import Microseconds
from dayline.model.upkeep.undo import OperationKind, OperationState
from dayline.storage.engine import EventChange, EventRow, LoggedEvent
from dayline.storage.history.undo_log import OPERATION_FIELDS, PART_OF, Operation, operation_from_row
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
_END: Final = """
UPDATE operation SET state = 'done', events = (SELECT count(*) FROM operation_event WHERE operation = :operation)
WHERE key = :operation AND state = 'doing'
"""
_FORGET: Final = f"DELETE FROM operation WHERE key = :operation OR json_extract(detail, '$.{PART_OF}') = :operation"
_OPERATIONS: Final = f"""
SELECT {OPERATION_FIELDS} FROM operation WHERE state IN (SELECT value FROM json_each(:states))
AND (:before IS NULL OR made < :before) AND (:part_of IS NULL OR json_extract(detail, '$.{PART_OF}') = :part_of)
ORDER BY key
"""
_FORGETTABLE: Final = f"""
SELECT {OPERATION_FIELDS} FROM operation WHERE made < ? AND state IN (SELECT value FROM json_each(?))
AND (kind <> 'redaction' OR state = 'undone') ORDER BY key LIMIT ?
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
    """The part of a transaction that reads and writes the undo log."""

    def add_operation(
        self,
        kind: OperationKind,
        *,
        now: Microseconds,
        bucket: str = "",
        bucket_key: int | None = None,
        events: int = 0,
        detail: object = None,
        state: OperationState = "done",
    ) -> int:
        self.db.execute(
            "INSERT INTO operation(kind, made, state, bucket, bucket_key, events, detail) VALUES(?, ?, ?, ?, ?, ?, ?)",
            (kind, now, state, bucket, bucket_key, events, _text(detail)),
        )
        return self.db.last_insert_rowid()

    def log_events(self, operation: int, changes: Sequence[EventChange]) -> None:
        self.db.executemany(
            _LOG,
            [
                (operation, change.row.id, change.row.bucket, *_columns(change.before), *_columns(change.after))
                for change in changes
            ],
        )

    def count_logged_events(self, operation: int) -> None:
        """Store the number of events that the operation changed."""
        self.db.execute(
            "UPDATE operation SET events = (SELECT count(*) FROM operation_event WHERE operation = :operation) "
            "WHERE key = :operation",
            {"operation": operation},
        )

    def set_operation_state(self, key: int, state: OperationState) -> None:
        self.db.execute("UPDATE operation SET state = ? WHERE key = ?", (state, key))

    def set_operation_detail(self, key: int, detail: object) -> None:
        self.db.execute("UPDATE operation SET detail = ? WHERE key = ?", (_text(detail), key))

    def end_operation(self, key: int) -> None:
        self.db.execute(_END, {"operation": key})
        if self.db.changes():
            self.db.execute("DELETE FROM operation WHERE key = ? AND events = 0", (key,))

    def end_undoing(self, key: int) -> None:
        self.db.execute("DELETE FROM operation_event WHERE operation = ?", (key,))
        self.set_operation_state(key, "undone")

    def forget_logged_events(self, operation: int, event_ids: Sequence[int]) -> None:
        forgotten = ((operation, event_id) for event_id in event_ids)
        self.db.executemany("DELETE FROM operation_event WHERE operation = ? AND id = ?", forgotten)

    def forget_operation(self, key: int) -> None:
        self.db.execute(_FORGET, {"operation": key})

    def forget_operations(
        self, *, before: Microseconds, states: Sequence[OperationState], rows: int
    ) -> list[Operation]:
        values = (before, msgspec.json.encode(states).decode(), rows)
        found = [operation_from_row(row) for row in self.db.execute(_FORGETTABLE, values).fetchall()]
        self.db.executemany("DELETE FROM operation WHERE key = ?", [(operation.key,) for operation in found])
        return found

    def operation(self, key: int) -> Operation | None:
        row = self.db.execute(f"SELECT {OPERATION_FIELDS} FROM operation WHERE key = ?", (key,)).fetchone()
        return None if row is None else operation_from_row(row)

    def newest_operation(self) -> int:
        return int(self.db.execute("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'operation'").get)

    def operations(
        self, states: Sequence[OperationState], *, before: Microseconds | None = None, part_of: int | None = None
    ) -> list[Operation]:
        values = {"states": msgspec.json.encode(states).decode(), "before": before, "part_of": part_of}
        return [operation_from_row(row) for row in self.db.execute(_OPERATIONS, values).fetchall()]

    def logged_events(self, operation: Operation, *, after: int = 0, rows: int) -> list[LoggedEvent]:
        place = {"operation": operation.key, "after": after, "rows": rows}
        found = msgspec.convert(self.db.execute(_LOGGED, place).fetchall(), list[_LoggedRow])
        return [
            LoggedEvent(
                row.id,
                _event(row.id, row.bucket, row.start, row.duration, row.value),
                _event(row.id, row.bucket, row.new_start, row.new_duration, row.new_value),
                _event(row.id, row.current_bucket, row.current_start, row.current_duration, row.current_value),
            )
            for row in found
        ]


def _text(detail: object) -> str:
    return "{}" if detail is None else msgspec.json.encode(detail).decode()


def _columns(row: EventRow | None) -> tuple[int | None, int | None, int | None]:
    return (None, None, None) if row is None else (row.start - ORIGIN, row.duration, row.value)


def _event(
    event_id: int, bucket: int | None, start: int | None, duration: int | None, value: int | None
) -> EventRow | None:
    if bucket is None or start is None or duration is None or value is None:
        return None
    return EventRow(bucket, start + ORIGIN, event_id, duration, value)
