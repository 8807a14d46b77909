"""`/api/1/trash` and `/api/1/undo`: what was deleted or changed, and the way back."""

from dayline.api.call import Call, in_thread
from dayline.api.demo_making import set_demo_categories
from dayline.api.inner import Trusted
from dayline.model.errors import Malformed, NotFound
from dayline.model.trash import Emptied


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
        await set_demo_categories(call.services.store, call.app, Trusted(caller=call.caller, seen=call.seen))
    call.answer_value(undone)


def _undo_id(call: Call) -> int:
    number = call.path_number("undo_id")
    if number is not None:
        return number
    text = call.params["undo_id"]
    raise NotFound(f"there is nothing to undo by the number {text[:40]!r}", hint="GET /api/1/trash lists what there is")
