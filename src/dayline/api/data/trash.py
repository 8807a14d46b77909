"""`/api/1/trash` and `/api/1/undo`: operations that can be undone."""

from typing import Literal

from dayline.api.admin.demo import set_demo_categories
from dayline.api.http.call import Call
from dayline.api.http.inner import Trusted
from dayline.api.http.route import Answer, Parameter, Route
from dayline.model.errors import Conflict, Gone, Malformed, NotFound
from dayline.model.upkeep.undo import Emptied, TrashItem, Undone
from dayline.runtime.threads import in_thread


async def list_trash(call: Call) -> None:
    """The newest first. Each entry expires at its time `until`; it cannot be undone afterwards."""
    call.answer_value(await in_thread(call.store.trash.all))


async def undo_operation(call: Call) -> None:
    """Restores ids, times, data and metadata exactly as they were, all or nothing.

    The id comes from the header `Undo-Id` or the field `undo` of the call to undo, or from `GET /api/1/trash`. If the
    same data was changed again since, undo the later change first. If a deleted bucket was created again since, both
    are merged; with `conflict=refuse` the response is 409 instead.
    """
    wish = call.request.get_param("conflict", default="merge")
    if wish not in ("merge", "refuse"):
        raise Malformed(f"conflict must be merge or refuse (got {wish[:40]!r})", field="conflict")
    undone = await call.store.trash.undo(call.path_id("undo_id", _no_undo), is_merging=wish == "merge")
    if undone.kind == "delete_buckets":  # only the demo is deleted this way
        await set_demo_categories(call.tenant.store, call.app, Trusted(caller=call.caller, origin=call.origin))
    call.answer_value(undone)


async def undo_group(call: Call) -> None:
    """Undoes all operations that were made with the same header `Undo-Group`, the latest first.

    If one cannot be undone, the later ones stay undone, and the response is its error.
    """
    call.answer_value(await call.store.trash.undo_group(call.params["group"]))


async def restore_from_trash(call: Call) -> None:
    """The same as `POST /api/1/undo/{undo_id}`."""
    await undo_operation(call)


async def empty_trash(call: Call) -> None:
    """Deletes the entries permanently, including their data in the file. Redactions in the trash become final."""
    call.answer_value(Emptied(items=await call.store.trash.empty()))


async def remove_from_trash(call: Call) -> None:
    """Deletes the entry permanently, including its data in the file."""
    call.answer_value(Emptied(items=await call.store.trash.empty(call.path_id("undo_id", _no_undo))))


def _no_undo(text: str) -> NotFound:
    return NotFound(f"there is no undo entry {text[:40]!r}", hint="GET /api/1/trash lists the entries")


_CONFLICT = Parameter(
    name="conflict",
    type=Literal["merge", "refuse"],
    description="if a deleted bucket was created again: merge both (default), or answer 409",
)

CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/1/trash", handler=list_trash, tag="undo", scope="full",
        summary="List the trash", answer=Answer(type=list[TrashItem], description="the entries, the newest first"),
    ),
    Route(
        method="DELETE", path="/api/1/trash", handler=empty_trash, tag="undo", scope="full",
        is_destructive=True, summary="Empty the trash permanently",
        answer=Answer(type=Emptied, description="the number of entries deleted"),
    ),
    Route(
        method="DELETE", path="/api/1/trash/{undo_id}", handler=remove_from_trash, tag="undo", scope="full",
        is_destructive=True, summary="Delete an entry of the trash permanently",
        answer=Answer(type=Emptied, description="the number of entries deleted"), errors=(NotFound, Gone),
    ),
    Route(
        method="POST", path="/api/1/trash/{undo_id}/restore", handler=restore_from_trash, tag="undo",
        scope="full", is_destructive=True, summary="Restore an entry of the trash", parameters=(_CONFLICT,),
        answer=Answer(type=Undone, description="what was undone"), errors=(NotFound, Conflict, Gone),
    ),
    Route(
        method="POST", path="/api/1/undo/groups/{group}", handler=undo_group, tag="undo", scope="full",
        is_destructive=True, summary="Undo a group of operations",
        answer=Answer(type=list[Undone], description="what was undone, the latest first"),
        errors=(NotFound, Conflict, Gone),
    ),
    Route(
        method="POST", path="/api/1/undo/{undo_id}", handler=undo_operation, tag="undo", scope="full",
        is_destructive=True, summary="Undo an operation", parameters=(_CONFLICT,),
        answer=Answer(type=Undone, description="what was undone"), errors=(NotFound, Conflict, Gone),
    ),
)  # fmt: skip
