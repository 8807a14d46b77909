"""The undo log inside a transaction: operations, and events before and after them."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Final

import msgspec
from msgspec.structs import replace

from dayline.model.time import Microseconds
from dayline.model.upkeep.undo import JournalNote, OperationKind, OperationState
from dayline.storage.engine.rows import EventChange, LoggedEvent
from dayline.storage.engine.tables import Table, Tables, Value
from dayline.storage.history.undo_log import (
    ALL_STATES,
    NOTE,
    NOTED_EVENTS,
    OPERATION_FIELDS,
    PART_OF,
    Operation,
    note_of,
    operation_from_row,
)

OPERATIONS: Final = Table("operation", OPERATION_FIELDS)
LOGGED: Final = Table("operation_event", ("operation", "id"))
_REDACTIONS: Final = Table("redaction", ("state", "buckets", "changed_events", "dropped_events"))


class UndoReads(Tables):
    """The part of a transaction that reads the undo log."""

    def operation(self, key: int) -> Operation | None:
        """An operation in any state; a write transaction locks it. None if there is none."""
        rows = self.select(OPERATIONS, {"key": key}, lock="wait")
        return operation_from_row(rows[0]) if rows else None

    @abstractmethod
    def newest_operation(self) -> int:
        """The highest operation number assigned so far."""

    def operations(self, states: Sequence[OperationState], *, before: Microseconds | None = None) -> list[Operation]:
        """The operations in these states, oldest first; `before`: made before this time."""
        made = {} if before is None else {"made <": before}
        return [operation_from_row(row) for row in self.select(OPERATIONS, {"state": states, **made}, order="key")]

    def parts(self, operation: int, states: Sequence[OperationState]) -> list[Operation]:
        """The deletions of single buckets that an operation consists of, in these states, oldest first."""
        rows = self.select(OPERATIONS, {"kind": "delete_bucket", "state": states}, order="key")
        return [part for part in map(operation_from_row, rows) if part.detail.get(PART_OF) == operation]

    @abstractmethod
    def logged_events(self, operation: Operation, *, after: int = 0, rows: int) -> list[LoggedEvent]:
        """Up to `rows` events of an operation with ids above `after`, ordered by id."""

    def redacted_buckets(self, *, since: Microseconds) -> list[set[str]]:
        """The bucket ids of each effective redaction since this time; an empty set means all buckets."""
        return [
            msgspec.json.decode(buckets, type=set[str])
            for state, buckets, changed, dropped in self.select(_REDACTIONS, {"made >": since})
            if state in ("applying", "undoing") or (state != "undone" and changed + dropped > 0)
        ]


class UndoWrites(UndoReads):
    """The part of a write transaction that changes the undo log. `begun` are the operations that it has added."""

    begun: list[int]

    def operation_number(self) -> int | None:
        """The number of a new operation; None if the table assigns it."""
        return None

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
        """Log an operation and return its number. `detail` is an object with everything that undoing needs."""
        values = (self.operation_number(), kind, now, state, bucket, bucket_key, events, _text(detail))
        key = int(self.insert_row(OPERATIONS, dict(zip(OPERATION_FIELDS, values, strict=True))))
        self.begun.append(key)
        return key

    def note_operations(self, keys: Sequence[int], note: JournalNote) -> None:
        """Note who made these operations, and with which others. Those made in slices get their time at their end."""
        for operation in filter(None, map(self.operation, keys)):
            if not operation.is_part:
                noted = note if operation.state == "doing" else self._with_time(operation, note)
                self.set_operation(operation.key, detail=operation.detail | {NOTE: noted})

    def _with_time(self, operation: Operation, note: JournalNote) -> JournalNote:
        """The note with the time of the events that the operation changed, unless it changed many."""
        if not 0 < operation.events <= NOTED_EVENTS:
            return note
        events = self.logged_events(operation, rows=NOTED_EVENTS)
        rows = [row for event in events for row in (event.before, event.after) if row is not None]
        if not rows:
            return note
        end = max(row.start + max(row.duration, 0) for row in rows)
        return replace(note, start=min(row.start for row in rows), end=end)

    def set_operation(
        self, key: int, *, state: OperationState | None = None, detail: object = None, events: int | None = None
    ) -> None:
        """Change an operation; None leaves a field as it is. A new detail keeps the note of the former one."""
        changes: dict[str, Value] = {} if state is None else {"state": state}
        if detail is not None:
            operation = self.operation(key)
            note = (
                {}
                if operation is None
                else {name: operation.detail[name] for name in (NOTE,) if name in operation.detail}
            )
            changes["detail"] = _text(note | msgspec.to_builtins(detail))
        if events is not None:
            changes["events"] = events
        self.update(OPERATIONS, changes, {"key": key})

    @abstractmethod
    def log_events(self, operation: int, changes: Sequence[EventChange]) -> None:
        """Log changes of events, each event once: an event that is already logged keeps its first `before`."""

    @abstractmethod
    def log_slice(self, operation: int, *, events: int) -> None:
        """Add the events of a slice to the operation's count and renew this server's claim on it."""

    @abstractmethod
    def is_under_way(self, operation: Operation) -> bool:
        """Whether a server is currently working on the operation."""

    def count_logged_events(self, operation: int) -> int:
        """Store the number of logged events with the operation, and return it."""
        events = self.count(LOGGED, {"operation": operation})
        self.set_operation(operation, events=events)
        return events

    def end_operation(self, key: int) -> None:
        """Mark an operation made in slices as done; delete it if it changed nothing."""
        operation = self.operation(key)
        if operation is None or operation.state != "doing":
            return
        events = self.count_logged_events(key)
        if not events:
            self.delete(OPERATIONS, {"key": key})
            return
        noted = (
            {NOTE: self._with_time(replace(operation, events=events), note_of(operation))}
            if NOTE in operation.detail
            else {}
        )
        self.set_operation(key, state="done", detail=noted)

    def end_undoing(self, key: int) -> None:
        """Mark an operation as undone and delete its logged events."""
        self.delete(LOGGED, {"operation": key})
        self.set_operation(key, state="undone")

    def forget_logged_events(self, operation: int, event_ids: Sequence[int]) -> None:
        """Delete these events of an operation from the log."""
        self.delete(LOGGED, {"operation": operation, "id": event_ids})

    def forget_operation(self, key: int) -> None:
        """Delete an operation and its parts. They can no longer be undone."""
        parts = self.parts(key, ALL_STATES)
        self.delete(OPERATIONS, {"key": [key, *(part.key for part in parts)]})

    def forget_operations(
        self, *, before: Microseconds, states: Sequence[OperationState], rows: int
    ) -> list[Operation]:
        """Delete up to `rows` operations made before this time in these states, and return them.

        Redactions are deleted only once they are undone. Operations locked by another transaction are skipped.
        """
        forgotten: list[Operation] = []
        undone = [state for state in states if state == "undone"]
        for which in ({"kind <>": "redaction", "state": states}, {"kind": "redaction", "state": undone}):
            left = rows - len(forgotten)
            page = self.select(OPERATIONS, {"made <": before, **which}, order="key", limit=left, lock="skip")
            forgotten += map(operation_from_row, page)
        self.delete(OPERATIONS, {"key": [operation.key for operation in forgotten]})
        return forgotten


def _text(detail: object) -> str:
    return "{}" if detail is None else msgspec.json.encode(detail).decode()
