"""`/api/1/buckets/<id>/rename` and its like: buckets under other ids, and their aliases."""

import msgspec

from dayline.api.call import Call, in_thread
from dayline.model.moves import AliasRemoved, MergeRequest, RehostRequest, RenameRequest
from dayline.model.wire import decode_body

_rename = msgspec.json.Decoder(RenameRequest)
_merge = msgspec.json.Decoder(MergeRequest)
_rehost = msgspec.json.Decoder(RehostRequest)


async def rename_bucket(call: Call) -> None:
    """Nothing but the id changes, however many events there are.

    With `alias`, as by default, the bucket is found under its old id too, by every call: a watcher that still uses it
    goes on, and so do queries. Lists show the bucket once, under its new id.
    """
    request = decode_body(await call.json_body(), _rename)
    moves = call.store.moves
    call.answer_value(await moves.rename(call.params["bucket_id"], request.id, keeps_alias=request.alias))


async def merge_bucket(call: Call) -> None:
    """All its events go over, under new ids; what is there already is skipped, as by an import.

    The bucket itself goes into the trash, and its id becomes an alias of the other: what its watcher sends from then on
    goes there. Recording goes on meanwhile. Undoing it removes from the other what came with it, and brings the bucket
    back as it was. With `dry_run` nothing is done, and the answer tells what would be.
    """
    request = decode_body(await call.json_body(), _merge)
    bucket_id, moves = call.params["bucket_id"], call.store.moves
    if request.dry_run:
        call.answer_value(await moves.preview_merge(bucket_id, request.into))
    else:
        call.answer_value(await moves.merge(bucket_id, request.into, is_forced=request.force))


async def rehost_bucket(call: Call) -> None:
    """For a computer that has another name now: its history must not be split.

    Where the id ends in the old host name, it is renamed, and its old id is an alias. Where there is a bucket of the
    new id already, it is merged into that if `merge` says so, and refused if not.
    """
    request = decode_body(await call.json_body(), _rehost)
    bucket_id, moves = call.params["bucket_id"], call.store.moves
    if request.dry_run:
        preview = await moves.preview_rehost(bucket_id, request.hostname, renames=request.rename)
        call.answer_value(preview)
    else:
        call.answer_value(await moves.rehost(bucket_id, request.hostname, renames=request.rename, merges=request.merge))


async def list_aliases(call: Call) -> None:
    """In order of their ids. Renaming, merging and rehosting make them."""
    call.answer_value(await in_thread(call.store.moves.aliases))


async def remove_alias(call: Call) -> None:
    """A watcher that uses it has to create a bucket of its own then."""
    call.answer_value(AliasRemoved(undo=await call.store.moves.remove_alias(call.params["alias"])))
