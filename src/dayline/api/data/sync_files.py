"""`/api/1/sync/files`: the encrypted files of devices that sync through this server."""

import asyncio
from http import HTTPStatus

from dayline.api.http.call import Call, has_current, tag_of
from dayline.api.http.route import DONE, Answer, Body, Route
from dayline.maintenance.sync.spaces.views import MAX_FILE_BYTES, StoredNames, StoredSpace, tag_of_content
from dayline.model.errors import Invalid, NotFound, TooLarge, Unavailable, WrongType

BYTES = "application/octet-stream"


async def list_sync_files(call: Call) -> None:
    """The devices that store files here, with tags that change with their files.

    The ETag changes with any of them, so a device that has the current list gets a 304.
    """
    space = await asyncio.to_thread(call.tenant.sync.storage.space)
    tag = tag_of(space)
    call.response.set_header("ETag", tag)
    if has_current(call, tag):
        call.response.status = HTTPStatus.NOT_MODIFIED
        return
    call.answer_value(space)


async def list_sync_packs(call: Call) -> None:
    """Empty for a device that stores none."""
    call.answer_value(await asyncio.to_thread(call.tenant.sync.storage.packs, call.params["device"]))


async def get_sync_file(call: Call) -> None:
    """The server cannot decrypt it."""
    device, name = call.params["device"], call.params["file"]
    content = await asyncio.to_thread(call.tenant.sync.storage.read, device, name)
    if content is None:
        raise NotFound(f"there is no file {device}/{name}", field="file")
    call.response.content_type = BYTES
    tag = f'"{tag_of_content(content)}"'
    call.response.set_header("ETag", tag)
    if has_current(call, tag):
        call.response.status = HTTPStatus.NOT_MODIFIED
        return
    call.response.data = content


async def put_sync_file(call: Call) -> None:
    """Adds or replaces a file of at most 32 MiB. It is on disk when the response is sent; until then, readers get the
    old one. All files together may have `limits.sync_mib` MiB.
    """
    if call.content_kind != BYTES:
        raise WrongType(f"the Content-Type must be {BYTES}", hint=f"send the header Content-Type: {BYTES}")
    content = b"".join([chunk async for chunk in call.body_chunks(MAX_FILE_BYTES)])
    await asyncio.to_thread(call.tenant.sync.storage.put, call.params["device"], call.params["file"], content)
    call.answer_value({})


async def delete_sync_file(call: Call) -> None:
    """Succeeds also if there is none."""
    await asyncio.to_thread(call.tenant.sync.storage.delete, call.params["device"], call.params["file"])
    call.answer_value({})


_DEVICE = "/api/1/sync/files/{device}"
_FILE = f"{_DEVICE}/{{file}}"

CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/1/sync/files", handler=list_sync_files, tag="sync files", scope="sync",
        audience="all buckets", is_tagged=True, summary="List the devices that store files here",
        answer=Answer(type=StoredSpace, description="the devices"), errors=(Unavailable,),
    ),
    Route(
        method="GET", path=_DEVICE, handler=list_sync_packs, tag="sync files", scope="sync",
        audience="all buckets", summary="List the files of a device",
        answer=Answer(type=StoredNames, description="the names of its packs"), errors=(Invalid, Unavailable),
    ),
    Route(
        method="GET", path=_FILE, handler=get_sync_file, tag="sync files", scope="sync",
        audience="all buckets", is_tagged=True, summary="Download a file of a device",
        answer=Answer(type=bytes, description="the encrypted file", media=BYTES),
        errors=(Invalid, NotFound, Unavailable),
    ),
    Route(
        method="PUT", path=_FILE, handler=put_sync_file, tag="sync files", scope="sync",
        audience="all buckets", summary="Store a file of a device",
        body=Body(type=bytes, example="an encrypted file", media=BYTES), answer=DONE, errors=(TooLarge, Unavailable),
    ),
    Route(
        method="DELETE", path=_FILE, handler=delete_sync_file, tag="sync files", scope="sync",
        audience="all buckets", is_destructive=False, summary="Delete a file of a device",
        answer=DONE, errors=(Invalid, Unavailable),
    ),
)  # fmt: skip
