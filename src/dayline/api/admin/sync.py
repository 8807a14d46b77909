"""`/api/1/sync`: several devices that have each other's buckets."""

from typing import Annotated, Final, TypeVar

from msgspec import Meta, Struct
from msgspec.structs import replace

from dayline.api.http.call import Call
from dayline.api.http.parameters import text_parameter
from dayline.api.http.route import Answer, Body, Nothing, Parameter, Route
from dayline.maintenance.sources.report import SourceList, SourceReport
from dayline.maintenance.sync.report import Adoption, Invite, PassReport, Recovered, SyncPreview, SyncStatus
from dayline.maintenance.sync.spaces.views import THIS_SERVER, SpaceAccess
from dayline.model.errors import Conflict, Invalid, Malformed, NotFound, Unavailable
from dayline.model.time import format_timestamp
from dayline.runtime.threads import in_thread

Location = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=4096,
        description="the absolute path of a folder, the address of a Dayline server such as `https://diary:5600`, "
        "`webdav+https://user@host/path`, or `this-server` for the files that this server stores for others",
    ),
]
ServerKey = Annotated[
    Annotated[str, Meta(min_length=1, max_length=4096)] | None,
    Meta(description="the key of that Dayline server, with scope `sync`, or the password of the WebDAV user; stored"),
]
Fingerprint = Annotated[
    Annotated[str, Meta(min_length=1, max_length=200)] | None,
    Meta(description="the SHA-256 fingerprint of its certificate, if the system does not know its authority"),
]


class SpaceLocation(Struct, frozen=True, kw_only=True):
    """Where devices exchange files."""

    location: Location
    server_key: ServerKey = None
    fingerprint: Fingerprint = None

    @property
    def access(self) -> SpaceAccess:
        return SpaceAccess(key=self.server_key, fingerprint=self.fingerprint)


class InvitedLocation(SpaceLocation, frozen=True, kw_only=True):
    """A space, and the invite that opens it."""

    invite: Annotated[str, Meta(min_length=1, max_length=256, description="the text that another device shows")]


class Leaving(Struct, frozen=True, kw_only=True):
    """Whether to keep the mirrors, read-only and unchanged."""

    keep_mirrors: Annotated[bool, Meta(description="whether the mirrors stay; otherwise they are deleted")] = False
    new_identity: Annotated[
        bool, Meta(description="whether to become another device of the same space instead; mirrors stay then")
    ] = False


_SOURCE: Final = "/home/anna/ActivityWatchSync"
_MAX_PATH: Final = 4096
FolderPath = Annotated[
    str, Meta(min_length=1, max_length=_MAX_PATH, description="the absolute path of the folder", examples=[_SOURCE])
]


class NewSource(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A folder of ActivityWatch."""

    path: FolderPath


class Adopting(Struct, frozen=True, kw_only=True):
    """Whether to adopt, or to show what that would do."""

    dry_run: Annotated[bool, Meta(description="whether nothing is changed")] = False


class Removing(Struct, frozen=True, kw_only=True):
    """Whether to delete the mirrors of the device here."""

    delete_mirrors: Annotated[
        bool, Meta(description="whether its mirrors here are deleted; otherwise they stay as they are")
    ] = False


_Location = TypeVar("_Location", bound=SpaceLocation)


async def get_sync(call: Call) -> None:
    """The result of the last pass: which devices are identical, what is missing, what was rejected and why."""
    status = await call.tenant.sync.sync.status()
    call.answer_value(replace(status, sources=await _sources(call, runs=False)))


async def start_sync(call: Call) -> None:
    """Creates a space, publishes this device there, and answers with the invite for other devices.

    A folder is created if only it is missing, not its parent.

    On a database with several tenants, the location for those with a name is `this-server`.

    If this device is in that space already, everything is published again: for a folder that was emptied, or with
    another key of the server.
    """
    body = await _decoded(call, SpaceLocation)
    await call.store.begin()
    call.answer_value(await call.tenant.sync.sync.start(body.location, body.access))


async def preview_sync(call: Call) -> None:
    """The devices of a space that the invite opens. Nothing is written."""
    body = await _decoded(call, InvitedLocation)
    call.answer_value(await call.tenant.sync.sync.preview(body.location, body.invite, body.access))


async def join_sync(call: Call) -> None:
    """Publishes this device in a space, and mirrors the others. The response is sent when both are done."""
    body = await _decoded(call, InvitedLocation)
    await call.store.begin()
    call.answer_value(await call.tenant.sync.sync.join(body.location, body.invite, body.access))


async def run_sync(call: Call) -> None:
    """Publishes what has changed here, and applies what others have published. The server does this every
    4 minutes with a folder, every minute with WebDAV, and every 5 seconds with a Dayline server.

    Folders of ActivityWatch are read as well, which the server does every minute.
    """
    await _run(call, is_verifying=False)


async def verify_sync(call: Call) -> None:
    """The same, with the digests of all events computed again: of this device, and of every mirror."""
    await _run(call, is_verifying=True)


async def recover_sync(call: Call) -> None:
    """For a database that was restored from a backup: publishing stops, because it is older than what it has published.

    Published events win, up to the restore; events that were recorded later are added. Undo it with
    `POST /api/1/undo/groups/{group}`. If the response is lost, send it again with a new `Idempotency-Key`.
    """
    await call.store.begin()
    call.answer_value(await call.tenant.sync.sync.recover())


async def adopt_device(call: Call) -> None:
    """For a device that is gone: its mirrors become buckets of this one, or their events are added to those that have
    the same type and the plain id. The events get new ids. Other devices have them from this one then.

    With `dry_run` nothing is changed, and the response shows what would
    be. Undo it with `POST /api/1/undo/groups/{group}`.
    """
    body = await call.decoded(Adopting)
    if not body.dry_run:
        await call.store.begin()
    call.answer_value(await call.tenant.sync.sync.adopt(call.params["device"], is_dry_run=body.dry_run))


async def confirm_device(call: Call) -> None:
    """A device that has joined after this one is new, and a problem in the health report, until it is confirmed here.
    Its buckets are mirrored in the meantime. If it is not yours, remove it.
    """
    call.answer_value(await call.tenant.sync.sync.confirm(call.params["device"]))


async def remove_device(call: Call) -> None:
    """Gives the space a new key, which all other devices get, and publishes with it from then on.

    What is published later cannot be read by the device, nor with an invite that was shown before. Its mirrors stay,
    and can be adopted, unless `delete_mirrors` is true; send it again to delete them later. The response is sent when a
    pass is done.
    """
    body = await call.decoded(Removing)
    await call.store.begin()
    sync = call.tenant.sync.sync
    call.answer_value(await sync.remove(call.params["device"], deletes_mirrors=body.delete_mirrors))


async def get_invite(call: Call) -> None:
    """Anyone with the invite can read everything that is synced."""
    call.answer_value(await call.tenant.sync.sync.invite())


async def leave_sync(call: Call) -> None:
    """Nothing in the space changes: other devices keep their mirrors of this one. Mirrors here are deleted.

    With `new_identity`, this device becomes another one of the same space: for the copy of a disk, whose original is
    the device that it was before. It publishes its buckets again.
    """
    body = await call.decoded(Leaving)
    await call.store.begin()
    if body.new_identity:
        await call.tenant.sync.sync.renew_identity()
    else:
        await call.tenant.sync.sync.leave(keeps_mirrors=body.keep_mirrors)
    call.answer_value({})


async def list_sync_sources(call: Call) -> None:
    """The sync folders of aw-sync and aw-android whose devices are mirrored here."""
    call.answer_value(SourceList(sources=await _sources(call, runs=False)))


async def add_sync_source(call: Call) -> None:
    """Mirrors the devices in the sync folder of aw-sync or aw-android, read-only, from now on.

    Repeated events are stored once. The folder is never written to, and nothing that is missing in it is deleted here.
    Sync need not be on, and other devices do not get these mirrors. The response is sent when the files have been read.
    """
    body = await call.decoded(NewSource)
    await call.store.begin()
    call.answer_value(await call.tenant.sync.sources.add(body.path))


async def remove_sync_source(call: Call) -> None:
    """Stops reading a folder. Its mirrors stay, read-only, until this is called with `delete_mirrors`."""
    path = text_parameter(call, "path", "", max_length=_MAX_PATH)
    if not path:
        raise Malformed("path is required", field="path")
    deletes_mirrors = call.flag("delete_mirrors", default=False)
    await call.store.begin()
    await call.tenant.sync.sources.remove(path, deletes_mirrors=deletes_mirrors)
    call.answer_value({})


async def _decoded(call: Call, kind: type[_Location]) -> _Location:
    """The body. Raises Invalid if a tenant names a folder of the server, or what can be reached from it."""
    body = await call.decoded(kind)
    if call.caller.tenant and body.location != THIS_SERVER:
        raise Invalid(
            "a tenant of this server can sync only through it", hint=f"use the location {THIS_SERVER}", field="location"
        )
    return body


async def _run(call: Call, *, is_verifying: bool) -> None:
    sources = await _sources(call, runs=True)
    sync = call.tenant.sync.sync
    if sources and not (await sync.status()).is_on:
        now = format_timestamp(call.server.clock())
        call.answer_value(PassReport(began=now, ended=now, sources=sources))
    else:
        call.answer_value(replace(await sync.run(is_verifying=is_verifying), sources=sources))


async def _sources(call: Call, *, runs: bool) -> list[SourceReport]:
    if not await in_thread(lambda: call.tenant.sync.has_sources):  # their code is not loaded then
        return []
    return await (call.tenant.sync.sources.run() if runs else call.tenant.sync.sources.reports())


_FOLDER = "/home/anna/Sync/dayline"
_INVITED = {"location": _FOLDER, "invite": "dayline-sync_k7f3q2ab_…"}
_DEVICE = "/api/1/sync/devices/{device}"
_REPORT = Answer(type=PassReport, description="the report of the pass")

CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/1/sync", handler=get_sync, tag="sync", scope="read", audience="all buckets",
        summary="Show the state of sync", answer=Answer(type=SyncStatus, description="the state of sync"),
    ),
    Route(
        method="POST", path="/api/1/sync/start", handler=start_sync, tag="sync", scope="full",
        audience="all buckets", is_destructive=True, summary="Start a sync space",
        body=Body(type=SpaceLocation, example={"location": _FOLDER}),
        answer=Answer(type=Invite, description="the invite for other devices"),
        errors=(Conflict, Invalid, Unavailable),
    ),
    Route(
        method="POST", path="/api/1/sync/preview", handler=preview_sync, tag="sync", scope="full",
        audience="all buckets", summary="Show the devices of a sync space",
        body=Body(type=InvitedLocation, example=_INVITED),
        answer=Answer(type=SyncPreview, description="the devices"), errors=(Invalid, Unavailable),
    ),
    Route(
        method="POST", path="/api/1/sync/join", handler=join_sync, tag="sync", scope="full",
        audience="all buckets", is_destructive=True, summary="Join a sync space",
        body=Body(type=InvitedLocation, example=_INVITED), answer=_REPORT, errors=(Conflict, Invalid, Unavailable),
    ),
    Route(
        method="POST", path="/api/1/sync/run", handler=run_sync, tag="sync", scope="full",
        audience="all buckets", summary="Sync now", answer=_REPORT, errors=(Conflict, Unavailable),
    ),
    Route(
        method="POST", path="/api/1/sync/verify", handler=verify_sync, tag="sync", scope="full",
        audience="all buckets", summary="Compare all events with what is published",
        answer=_REPORT, errors=(Conflict, Unavailable),
    ),
    Route(
        method="POST", path="/api/1/sync/recover", handler=recover_sync, tag="sync", scope="full",
        audience="all buckets", is_destructive=True, summary="Merge a restored database with what it has published",
        answer=Answer(type=Recovered, description="what was merged"), errors=(Conflict, Unavailable),
    ),
    Route(
        method="POST", path=f"{_DEVICE}/adopt", handler=adopt_device, tag="sync", scope="full",
        audience="all buckets", is_destructive=True, summary="Make the mirrors of a device buckets of this one",
        body=Body(type=Adopting, example={"dry_run": True}),
        answer=Answer(type=Adoption, description="what was adopted"), errors=(NotFound, Conflict),
    ),
    Route(
        method="POST", path=f"{_DEVICE}/confirm", handler=confirm_device, tag="sync", scope="full",
        audience="all buckets", summary="Confirm a device that has joined",
        answer=Answer(type=SyncStatus, description="the state of sync"), errors=(NotFound, Conflict),
    ),
    Route(
        method="POST", path=f"{_DEVICE}/remove", handler=remove_device, tag="sync", scope="full",
        audience="all buckets", is_destructive=True, summary="Remove a device from the sync space",
        body=Body(type=Removing, example={"delete_mirrors": False}),
        answer=_REPORT, errors=(NotFound, Conflict, Unavailable),
    ),
    Route(
        method="GET", path="/api/1/sync/invite", handler=get_invite, tag="sync", scope="full",
        audience="all buckets", is_destructive=True, summary="Show the invite of the sync space",
        answer=Answer(type=Invite, description="the invite"), errors=(Conflict,),
    ),
    Route(
        method="POST", path="/api/1/sync/leave", handler=leave_sync, tag="sync", scope="full",
        audience="all buckets", is_destructive=True, summary="Leave the sync space",
        body=Body(type=Leaving, example={"keep_mirrors": False}),
        answer=Answer(type=Nothing, description="an empty object"), errors=(Conflict, Unavailable),
    ),
    Route(
        method="GET", path="/api/1/sync/sources", handler=list_sync_sources, tag="sync sources", scope="read",
        audience="server", summary="List the folders of ActivityWatch",
        answer=Answer(type=SourceList, description="the folders with their devices"),
    ),
    Route(
        method="POST", path="/api/1/sync/sources", handler=add_sync_source, tag="sync sources", scope="full",
        audience="server", is_destructive=True, summary="Mirror a folder of ActivityWatch",
        body=Body(type=NewSource, example={"path": _SOURCE}),
        answer=Answer(type=SourceReport, description="the folder with its devices"),
        errors=(Conflict, Invalid, Unavailable),
    ),
    Route(
        method="DELETE", path="/api/1/sync/sources", handler=remove_sync_source, tag="sync sources", scope="full",
        audience="server", is_destructive=True, summary="Stop mirroring a folder of ActivityWatch",
        parameters=(
            Parameter(name="path", type=FolderPath, description="the folder", is_required=True),
            Parameter(name="delete_mirrors", type=bool, description="also delete its mirrors; default: they stay"),
        ),
        answer=Answer(type=Nothing, description="an empty object"), errors=(NotFound, Unavailable),
    ),
)  # fmt: skip
