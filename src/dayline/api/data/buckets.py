"""`/api/1/buckets` and `/api/1/devices`: their state and watchers; renaming, merging and moving buckets."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import timedelta

import msgspec
from msgspec import Struct

from dayline.api.http.call import Call
from dayline.api.http.route import BUCKET_ID, Answer, Body, Route
from dayline.api.insight.task import answer_tagged, scope_of
from dayline.demo.mark import is_demo
from dayline.insight.now.buckets import Verdict
from dayline.insight.now.model import SPARK_DAYS, BucketState, BucketStates, DeviceState
from dayline.insight.request import Scope, calendar_of
from dayline.maintenance.devices import Device, Renaming, devices_of, renamed_hosts
from dayline.model.bucket import (
    Alias,
    AliasRemoved,
    Bucket,
    Merged,
    MergeRequest,
    Rehosted,
    RehostRequest,
    Renamed,
    RenameRequest,
)
from dayline.model.data import decode_body
from dayline.model.errors import BucketNotFound, Conflict, NotFound
from dayline.model.time import SECOND, Microseconds, Timestamp, format_timestamp
from dayline.runtime.threads import in_thread
from dayline.storage.store import Store

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


# `/api/1/buckets`: every bucket with how much there is in it and how its watcher is.


class _Contents(Struct, frozen=True):
    events: int
    spark: list[int]


async def list_bucket_states(call: Call) -> None:
    """Whether each one's watcher records, is silent though its device is active, or is quiet.

    Silent means: nothing came for three times as long as it is usually quiet, while its device was otherwise active, or
    all watchers of a device have stopped that is expected to record. Days begin as the preferences say. Bytes are
    measured now and then, by a process of its own.
    """
    scope = await scope_of(call)
    buckets = list(call.store.buckets().values())
    sizes = call.tenant.upkeep.bucket_bytes()
    states, devices = await in_thread(_states, call, buckets, scope, sizes)
    answer_tagged(
        call,
        msgspec.json.encode(
            BucketStates(
                this_device=call.server.hostname,
                events=sum(state.events for state in states),
                bytes=sum(state.bytes or 0 for state in states) if sizes else None,
                buckets=states,
                devices=devices,
            )
        ),
    )


def _states(
    call: Call, buckets: Sequence[Bucket], scope: Scope, sizes: Mapping[str, int]
) -> tuple[list[BucketState], list[DeviceState]]:
    store, names = call.store, call.caller.buckets.names
    verdicts, devices = call.tenant.watchers.all_verdicts(store, buckets, names, now=scope.now)
    aliases: defaultdict[str, list[str]] = defaultdict(list)
    for alias in store.moves.aliases():
        aliases[alias.bucket].append(alias.id)
    edges = _day_edges(scope)
    states = [
        _state(bucket, contents, verdicts[bucket.id], aliases[bucket.id], sizes.get(bucket.id))
        for bucket in buckets
        if (contents := _contents(store, bucket.id, edges)) is not None
    ]
    latest_first = sorted(devices.items(), key=lambda item: item[1].last or 0, reverse=True)
    return states, [
        DeviceState(device=device, health=verdict.health, last=_time(verdict.last)) for device, verdict in latest_first
    ]


def _state(bucket: Bucket, contents: _Contents, verdict: Verdict, aliases: list[str], size: int | None) -> BucketState:
    return BucketState(
        id=bucket.id,
        device=bucket.hostname,
        type=bucket.type,
        client=bucket.client,
        created=format_timestamp(bucket.created),
        is_demo=is_demo(bucket.data),
        first=_time(bucket.start),
        last=_time(bucket.end),
        events=contents.events,
        bytes=size,
        aliases=aliases,
        spark=contents.spark,
        health=verdict.health,
        silent_since=verdict.silent_since,
        usual_interval=None if verdict.interval is None else verdict.interval / SECOND,
    )


def _contents(store: Store, bucket_id: str, edges: Sequence[Microseconds]) -> _Contents | None:
    try:
        return _Contents(store.count(bucket_id, start=None, end=None), store.counts(bucket_id, edges))
    except BucketNotFound:  # it was deleted a moment ago
        return None


def _day_edges(scope: Scope) -> list[Microseconds]:
    """Where the last days begin, and where today ends."""
    calendar = calendar_of(scope)
    tomorrow = calendar.day_of(scope.now) + timedelta(days=1)
    return [calendar.day_edge(tomorrow - timedelta(days=days)) for days in range(SPARK_DAYS, -1, -1)]


def _time(moment: Microseconds | None) -> Timestamp | None:
    return None if moment is None else format_timestamp(moment)


# Routes.


_BUCKET = "/api/1/buckets/{bucket_id}"
_MERGE = {"into": "aw-watcher-window_desktop"}

CALLS: tuple[Route, ...] = (
    Route(
        method="POST", path=f"{_BUCKET}/rename", handler=rename_bucket, tag="buckets", scope="full",
        is_destructive=True, summary="Rename a bucket", body=Body(type=RenameRequest, example={"id": f"{BUCKET_ID}-2"}),
        answer=Answer(type=Renamed, description="the bucket under its new id"), errors=(NotFound, Conflict),
    ),
    Route(
        method="POST", path=f"{_BUCKET}/merge", handler=merge_bucket, tag="buckets", scope="full",
        is_destructive=True, summary="Merge a bucket into another", body=Body(type=MergeRequest, example=_MERGE),
        answer=Answer(type=Merged, description="what went over"), errors=(NotFound, Conflict),
    ),
    Route(
        method="POST", path=f"{_BUCKET}/rehost", handler=rehost_bucket, tag="buckets", scope="full",
        is_destructive=True, summary="Move a bucket to another host",
        body=Body(type=RehostRequest, example={"hostname": "desktop"}),
        answer=Answer(type=Rehosted, description="the bucket at its new host"), errors=(NotFound, Conflict),
    ),
    Route(
        method="GET", path="/api/1/aliases", handler=list_aliases, tag="buckets", scope="read",
        summary="List the aliases of buckets", answer=Answer(type=list[Alias], description="in order of their ids"),
    ),
    Route(
        method="DELETE", path="/api/1/aliases/{alias}", handler=remove_alias, tag="buckets", scope="full",
        is_destructive=True, summary="Remove an alias",
        answer=Answer(type=AliasRemoved, description="what brings it back"), errors=(NotFound,),
    ),
)  # fmt: skip


# `/api/1/devices`: the computers and phones that recorded.


class LikelyName(Struct, frozen=True, kw_only=True):
    """Another host name that this device seems to have had before, or to have now. `reason` says in words why."""

    hostname: str
    is_newer: bool
    reason: str


class DeviceView(Struct, frozen=True, kw_only=True):
    """All that was recorded under one host name. `first_seen` and `last_seen` are null where there are no events."""

    hostname: str
    buckets: list[str]
    first_seen: Timestamp | None
    last_seen: Timestamp | None
    events: int
    looks_like: list[LikelyName]


async def list_devices(call: Call) -> None:
    """Devices are told apart by the host name of their buckets.

    A computer that was renamed appears twice. `looks_like` names the other one where the same watchers stopped under
    one name and went on under another soon after; a new computer in the place of an old one looks the same.
    """
    buckets = list(call.store.buckets().values())
    call.answer_value(await in_thread(_views, call.store, buckets))


def _views(store: Store, buckets: Sequence[Bucket]) -> list[DeviceView]:
    renamings = renamed_hosts(buckets)
    return [_view(store, device, renamings) for device in devices_of(buckets)]


def _view(store: Store, device: Device, renamings: Sequence[Renaming]) -> DeviceView:
    return DeviceView(
        hostname=device.hostname,
        buckets=[bucket.id for bucket in device.buckets],
        first_seen=_time(device.start),
        last_seen=_time(device.end),
        events=sum(_count(store, bucket.id) for bucket in device.buckets),
        looks_like=[
            LikelyName(
                hostname=renaming.new if renaming.old == device.hostname else renaming.old,
                is_newer=renaming.old == device.hostname,
                reason=renaming.reason,
            )
            for renaming in renamings
            if device.hostname in (renaming.old, renaming.new)
        ],
    )


def _count(store: Store, bucket_id: str) -> int:
    try:
        return store.count(bucket_id, start=None, end=None)
    except BucketNotFound:  # it was deleted a moment ago
        return 0
