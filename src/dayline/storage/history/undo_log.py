"""Rows of the undo log, and the checks before an operation is undone."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec
from msgspec import Struct

from dayline.model.errors import Gone, NotFound
from dayline.model.time import Microseconds
from dayline.model.upkeep.undo import JournalNote, OperationKind, OperationState

# In the detail of each deletion of several buckets at once: the number of the operation that undoes all of them.
PART_OF: Final = "part_of"
# In the detail of an operation that gave new ids to events whose ids were used twice: the former id by new id.
RENUMBERED: Final = "renumbered"
# In the detail of an operation: who made it, and which others it was made with.
NOTE: Final = "note"
NOTED_EVENTS: Final = 1000  # an operation on more has no time in its note
ALL_STATES: Final[Sequence[OperationState]] = ("doing", "done", "undoing", "undone")
UNDOABLE_STATES: Final[Sequence[OperationState]] = ("doing", "done", "undoing")
UNFINISHED_STATES: Final[Sequence[OperationState]] = ("doing", "undoing")
OPERATION_FIELDS: Final = ("key", "kind", "made", "state", "bucket", "bucket_key", "events", "detail")


class Operation(Struct, frozen=True, kw_only=True):
    """A logged operation. `bucket_key` is None if it concerns several buckets."""

    key: int
    kind: OperationKind
    made: Microseconds
    state: OperationState
    bucket: str
    bucket_key: int | None
    events: int
    detail: dict[str, Any]

    @property
    def is_part(self) -> bool:
        """Whether it belongs to another operation, with which it is listed and undone."""
        return PART_OF in self.detail

    @property
    def is_listed(self) -> bool:
        """Whether it is in the list of what can be undone."""
        return not self.is_part and self.kind != "import_events"


def note_of(operation: Operation) -> JournalNote:
    """What was noted with the operation."""
    return msgspec.convert(operation.detail.get(NOTE, {}), JournalNote)


def operation_from_row(row: object) -> Operation:
    """Decode a row of OPERATION_FIELDS."""
    key, kind, made, state, bucket, bucket_key, events, detail = msgspec.convert(
        row, tuple[int, OperationKind, int, OperationState, str, int | None, int, str]
    )
    return Operation(
        key=key,
        kind=kind,
        made=made,
        state=state,
        bucket=bucket,
        bucket_key=bucket_key,
        events=events,
        detail=msgspec.json.decode(detail, type=dict[str, Any]),
    )


def require_whole(operation: Operation) -> Operation:
    """Return the operation unless it is a part of another one, or an import. Raises NotFound."""
    if operation.kind == "import_events":
        raise NotFound(f"operation {operation.key} is an import, which cannot be undone")
    if operation.is_part:
        raise NotFound(
            f"operation {operation.key} is part of {operation.detail[PART_OF]} and can only be undone with it",
            hint=f"POST /api/1/undo/{operation.detail[PART_OF]}",
        )
    return operation


def require_undoable(number: int, found: Operation | None, *, newest: Callable[[], int]) -> Operation:
    """Return the operation if it can still be undone. Raises Gone, or NotFound for a number above `newest()`."""
    if found is None:
        if 0 < number <= newest():
            raise Gone(f"undo entry {number} has expired or was deleted")
        raise NotFound(f"no undo entry {number}", hint="list them with GET /api/1/trash")
    if found.state in ("undoing", "undone"):
        raise Gone(f"operation {number} was already undone")
    return found
