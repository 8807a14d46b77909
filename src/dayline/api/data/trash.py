"""`/api/1/trash` and `/api/1/undo`: what was deleted or changed, and undoing it."""

from typing import Literal

from dayline.api.admin.demo import set_demo_categories
from dayline.api.http.call import Call
from dayline.api.http.inner import Trusted
from dayline.api.http.route import Answer, Parameter, Route
from dayline.model.errors import Conflict, Gone, Malformed, NotFound
from dayline.model.upkeep import Emptied, TrashItem, Undone
from dayline.runtime.threads import in_thread


async def list_trash(call: Call) -> None:
    """The newest first. The trash lets go of each at its time `until`; then it cannot be undone any more."""
    call.answer_value(await in_thread(call.store.trash.all))


async def undo_act(call: Call) -> None:
    """Restores ids, times, data and metadata exactly as they were, all or nothing.

    The id comes from the header `Undo-Id` or the field `undo` of the call that is to be undone, or from the trash.
    Where the same was changed again since, the later change has to be undone first. A bucket that was made again since
    it was deleted is merged with the restored one, or with `conflict=refuse` left alone: that is a 409 then.
    """
    await _undo(call)


async def restore_from_trash(call: Call) -> None:
    """The same as `POST /api/1/undo/{undo_id}`."""
    await _undo(call)


async def empty_trash(call: Call) -> None:
    """What was in it cannot be brought back, and its texts leave the file. Redactions in it become final."""
    call.answer_value(Emptied(items=await call.store.trash.empty()))


async def remove_from_trash(call: Call) -> None:
    """It cannot be brought back then, and its texts leave the file."""
    call.answer_value(Emptied(items=await call.store.trash.empty(_undo_id(call))))


async def _undo(call: Call) -> None:
    wish = call.request.get_param("conflict", default="merge")
    if wish not in ("merge", "refuse"):
        raise Malformed(f"conflict must be merge or refuse, not {wish[:40]!r}", field="conflict")
    undone = await call.store.trash.undo(_undo_id(call), is_merging=wish == "merge")
    if undone.kind == "delete_buckets":  # the demo, the only thing that is deleted in this way
        await set_demo_categories(call.tenant.store, call.app, Trusted(caller=call.caller, seen=call.seen))
    call.answer_value(undone)


def _undo_id(call: Call) -> int:
    number = call.path_number("undo_id")
    if number is not None:
        return number
    text = call.params["undo_id"]
    raise NotFound(f"there is nothing to undo by the number {text[:40]!r}", hint="GET /api/1/trash lists what there is")


# Routes.


_CONFLICT = Parameter(
    name="conflict",
    type=Literal["merge", "refuse"],
    description="what to do where a deleted bucket was made again: merge both, as by default, or answer 409",
)

CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/1/trash", handler=list_trash, tag="care", scope="full",
        summary="List what can be undone", answer=Answer(type=list[TrashItem], description="the newest first"),
    ),
    Route(
        method="DELETE", path="/api/1/trash", handler=empty_trash, tag="care", scope="full",
        is_destructive=True, summary="Empty the trash, for good",
        answer=Answer(type=Emptied, description="how much there was"),
    ),
    Route(
        method="DELETE", path="/api/1/trash/{undo_id}", handler=remove_from_trash, tag="care", scope="full",
        is_destructive=True, summary="Remove something from the trash, for good",
        answer=Answer(type=Emptied, description="how much there was"), errors=(NotFound, Gone),
    ),
    Route(
        method="POST", path="/api/1/trash/{undo_id}/restore", handler=restore_from_trash, tag="care",
        scope="full", is_destructive=True, summary="Restore something from the trash", parameters=(_CONFLICT,),
        answer=Answer(type=Undone, description="what was undone"), errors=(NotFound, Conflict, Gone),
    ),
    Route(
        method="POST", path="/api/1/undo/{undo_id}", handler=undo_act, tag="care", scope="full",
        is_destructive=True, summary="Undo what was done", parameters=(_CONFLICT,),
        answer=Answer(type=Undone, description="what was undone"), errors=(NotFound, Conflict, Gone),
    ),
)  # fmt: skip
