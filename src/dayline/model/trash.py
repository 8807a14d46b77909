"""What can be undone: acts that destroyed or changed something, kept in the trash for a while."""

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct

from dayline.model.timestamps import Timestamp

ActKind: TypeAlias = Literal[
    "delete_bucket",
    "delete_buckets",
    "delete_events",
    "replace_events",
    "split_event",
    "insert_events",
    "update_bucket",
    "rename_bucket",
    "merge_buckets",
    "rehost_bucket",
    "remove_alias",
    "thin_bucket",
    "mend_events",
    "redaction",
]
ActState: TypeAlias = Literal["doing", "done", "undoing", "undone"]

UndoId = Annotated[int, Meta(ge=1, description="what undoes it: POST /api/1/undo/{undo_id}", examples=[1])]


class TrashItem(Struct, frozen=True, kw_only=True):
    """An act that can be undone. `events` counts the events that it removed or changed."""

    id: UndoId
    kind: ActKind
    bucket: Annotated[str, Meta(description="the bucket's id when it was done; empty where it was several")]
    other: Annotated[
        str, Meta(description="the id that it was renamed to or merged into, or the alias that was removed")
    ]
    events: int
    made: Timestamp
    until: Annotated[Timestamp, Meta(description="when the trash lets go of it")]
    state: ActState


class Undone(Struct, frozen=True, kw_only=True):
    """What was undone. `merged` says that the bucket had been made again, and what was recorded there is kept."""

    id: UndoId
    kind: ActKind
    bucket: str
    events: int
    merged: bool = False


class Emptied(Struct, frozen=True, kw_only=True):
    """How much the trash has let go of."""

    items: int
