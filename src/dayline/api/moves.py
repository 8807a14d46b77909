"""`/api/1/buckets/<id>/rename` and its like: buckets under other ids, and their aliases."""

import msgspec

from dayline.api.call import Call, in_thread
from dayline.model.moves import AliasRemoved, RenameRequest
from dayline.model.wire import decode_body

_rename = msgspec.json.Decoder(RenameRequest)


async def rename_bucket(call: Call) -> None:
    """Nothing but the id changes, however many events there are.

    With `alias`, as by default, the bucket is found under its old id too, by every call: a watcher that still uses it
    goes on, and so do queries. Lists show the bucket once, under its new id.
    """
    request = decode_body(await call.json_body(), _rename)
    moves = call.store.moves
    call.answer_value(await moves.rename(call.params["bucket_id"], request.id, keeps_alias=request.alias))


async def list_aliases(call: Call) -> None:
    """In order of their ids. Renaming, merging and rehosting make them."""
    call.answer_value(await in_thread(call.store.moves.aliases))


async def remove_alias(call: Call) -> None:
    """A watcher that uses it has to create a bucket of its own then."""
    call.answer_value(AliasRemoved(undo=await call.store.moves.remove_alias(call.params["alias"])))
