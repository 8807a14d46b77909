"""Undo: operations that deleted or changed something, kept in the trash for a while."""

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct

from dayline.model.time import Timestamp

_SharedKind: TypeAlias = Literal[
    "delete_bucket",
    "delete_buckets",
    "delete_events",
    "replace_events",
    "split_event",
    "insert_events",
    "update_bucket",
    "rename_bucket",
    "merge_buckets",
    "remove_alias",
    "redaction",
]
# As stored.
OperationKind: TypeAlias = Literal[_SharedKind, "change_host", "downsample_bucket", "fix_events", "import_events"]
TrashKind: TypeAlias = Literal[_SharedKind, "rehost_bucket", "thin_bucket", "mend_events"]  # as in the API
OperationState: TypeAlias = Literal["doing", "done", "undoing", "undone"]

UndoId = Annotated[int, Meta(ge=1, description="undo it with POST /api/1/undo/{undo_id}", examples=[1])]


def trash_kind(kind: OperationKind) -> TrashKind:
    """The kind of an operation as the API names it."""
    match kind:
        case "change_host":
            return "rehost_bucket"
        case "downsample_bucket":
            return "thin_bucket"
        case "fix_events":
            return "mend_events"
        case "import_events":
            raise AssertionError("an import is not listed")
        case _:
            return kind


class OperationProgress(Struct, frozen=True, kw_only=True):
    """What an unfinished operation is doing. `of` is null if the total is unknown."""

    text: Annotated[str, Meta(description="a sentence without a period")]
    done: Annotated[int, Meta(description="events so far")]
    of: Annotated[int | None, Meta(description="events in total")]


class TrashItem(Struct, frozen=True, kw_only=True):
    """An operation that can be undone. `events` counts the events that it deleted or changed."""

    id: UndoId
    kind: TrashKind
    bucket: Annotated[str, Meta(description="the bucket's id at that time; empty for several buckets")]
    other: Annotated[
        str, Meta(description="the id that it was renamed to or merged into, or the alias that was deleted")
    ]
    events: int
    made: Timestamp
    until: Annotated[Timestamp, Meta(description="when it expires")]
    state: OperationState
    progress: Annotated[OperationProgress | None, Meta(description="null if it is finished")] = None
    group: Annotated[
        str, Meta(description="operations with the same group are one change: POST /api/1/undo/groups/{group}")
    ] = ""
    by: Annotated[str, Meta(description="who made the change: `browser`, `command`, a client or a key")] = ""
    start: Annotated[Timestamp | None, Meta(description="start of the earliest event that it changed")] = None
    end: Annotated[Timestamp | None, Meta(description="end of the latest event that it changed")] = None


class JournalNote(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is noted with an operation for the list of changes. Times are microseconds since 1970."""

    by: str = ""
    group: str = ""
    start: int | None = None
    end: int | None = None


class Undone(Struct, frozen=True, kw_only=True):
    """What was undone. `merged`: the bucket had been created again, and its new events were kept."""

    id: UndoId
    kind: TrashKind
    bucket: str
    events: int
    merged: bool = False


class Emptied(Struct, frozen=True, kw_only=True):
    """The number of deleted undo entries."""

    items: int
