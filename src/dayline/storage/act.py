"""An act as every store keeps it: something that was done, and can be undone."""

from collections.abc import Callable
from typing import Any, Final

import msgspec
from msgspec import Struct

from dayline.model.errors import Gone, NotFound
from dayline.model.timestamps import Microseconds
from dayline.model.trash import ActKind, ActState

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


def not_undone(number: int, found: Act | None, *, newest: Callable[[], int]) -> Act:
    """The act, if it can still be undone. Raises Gone, or NotFound for a number above the newest that was given."""
    if found is None:
        if 0 < number <= newest():
            raise Gone(f"what {number} would undo is no longer in the trash")
        raise NotFound(f"there is nothing to undo by the number {number}", hint="GET /api/1/trash lists what there is")
    if found.state in ("undoing", "undone"):
        raise Gone(f"{number} was undone already")
    return found
