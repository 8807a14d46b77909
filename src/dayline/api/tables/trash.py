"""The calls about what was deleted or changed, and the way back."""

from typing import Literal

from dayline.api import trash
from dayline.api.route import Answer, Parameter, Route
from dayline.model.errors import Conflict, Gone, NotFound
from dayline.model.trash import Emptied, TrashItem, Undone

_CONFLICT = Parameter(
    name="conflict",
    type=Literal["merge", "refuse"],
    description="what to do where a deleted bucket was made again: merge both, as by default, or answer 409",
)

CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/1/trash", handler=trash.list_trash, tag="care", scope="full",
        summary="List what can be undone", answer=Answer(type=list[TrashItem], description="the newest first"),
    ),
    Route(
        method="DELETE", path="/api/1/trash", handler=trash.empty_trash, tag="care", scope="full",
        is_destructive=True, summary="Empty the trash, for good",
        answer=Answer(type=Emptied, description="how much there was"),
    ),
    Route(
        method="DELETE", path="/api/1/trash/{undo_id}", handler=trash.remove_from_trash, tag="care", scope="full",
        is_destructive=True, summary="Remove something from the trash, for good",
        answer=Answer(type=Emptied, description="how much there was"), errors=(NotFound, Gone),
    ),
    Route(
        method="POST", path="/api/1/trash/{undo_id}/restore", handler=trash.restore_from_trash, tag="care",
        scope="full", is_destructive=True, summary="Restore something from the trash", parameters=(_CONFLICT,),
        answer=Answer(type=Undone, description="what was undone"), errors=(NotFound, Conflict, Gone),
    ),
    Route(
        method="POST", path="/api/1/undo/{undo_id}", handler=trash.undo_act, tag="care", scope="full",
        is_destructive=True, summary="Undo what was done", parameters=(_CONFLICT,),
        answer=Answer(type=Undone, description="what was undone"), errors=(NotFound, Conflict, Gone),
    ),
)  # fmt: skip
