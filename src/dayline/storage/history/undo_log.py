"""An act as every store keeps it: something that was done, and can be undone."""

from collections.abc import Callable
from typing import Any, Final

import msgspec
from msgspec import Struct

from dayline.model.errors import Gone, NotFound
from dayline.model.time import Microseconds
from dayline.model.upkeep import ActKind, ActState

# In the detail of each deletion of several buckets at once: the number of the operation that they are undone by.
PART_OF: Final = "part_of"
ACT_FIELDS: Final = "key, kind, made, state, bucket, bucket_key, events, detail"


class Act(Struct, frozen=True, kw_only=True):
    """A row of the table."""

    key: int
    kind: ActKind
    made: Microseconds
    state: ActState
    bucket: str
    bucket_key: int | None
    events: int
    detail: dict[str, Any]

    @property
    def is_part(self) -> bool:
        """Whether it is undone, and shown, with the operation that it belongs to."""
        return PART_OF in self.detail


def act_of(row: object) -> Act:
    """A row of ACT_FIELDS."""
    key, kind, made, state, bucket, bucket_key, events, detail = msgspec.convert(
        row, tuple[int, ActKind, int, ActState, str, int | None, int, str]
    )
    return Act(
        key=key,
        kind=kind,
        made=made,
        state=state,
        bucket=bucket,
        bucket_key=bucket_key,
        events=events,
        detail=msgspec.json.decode(detail, type=dict[str, Any]),
    )


def whole(act: Act) -> Act:
    """The act, unless it is a part of another one. Raises NotFound."""
    if act.is_part:
        raise NotFound(
            f"{act.key} is a part of {act.detail[PART_OF]} and is undone with it",
            hint=f"POST /api/1/undo/{act.detail[PART_OF]}",
        )
    return act


def not_undone(number: int, found: Act | None, *, newest: Callable[[], int]) -> Act:
    """The act, if it can still be undone. Raises Gone, or NotFound for a number above the newest that was given."""
    if found is None:
        if 0 < number <= newest():
            raise Gone(f"what {number} would undo is no longer in the trash")
        raise NotFound(f"there is nothing to undo by the number {number}", hint="GET /api/1/trash lists what there is")
    if found.state in ("undoing", "undone"):
        raise Gone(f"{number} was undone already")
    return found
