"""`/api/1/buckets` and `/api/1/aliases`: state of buckets and watchers; renaming and merging buckets."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import timedelta

import msgspec
from msgspec import Struct

from dayline.api.http.call import Call
from dayline.api.http.route import BUCKET_ID, Answer, Body, Route
from dayline.api.insight.task import answer_tagged, scope_of
from dayline.insight.now.model import SPARK_DAYS, BucketState, BucketStates, DeviceState
from dayline.insight.now.recent import Verdict
from dayline.insight.request import Scope, calendar_of
from dayline.model.bucket import (
    Alias,
    AliasRemoved,
    Bucket,
    HostChange,
    Merged,
    MergeRequest,
    Renamed,
    RenameRequest,
    SetHostRequest,
    is_demo,
)
from dayline.model.errors import BucketNotFound, Conflict, NotFound
from dayline.model.time import SECOND, Microseconds, format_timestamp, optional_timestamp
from dayline.runtime.threads import in_thread
from dayline.storage.store import Store


async def rename_bucket(call: Call) -> None:
    """Changes only the id, in constant time.

    With `alias` (the default), every call also accepts the old id, so watchers and queries that use it keep working.
    Lists show the bucket once, under its new id.
    """
    request = await call.decoded(RenameRequest)
    moves = call.store.moves
    call.answer_value(await moves.rename(call.params["bucket_id"], request.id, keeps_alias=request.alias))


async def merge_bucket(call: Call) -> None:
    """Moves all its events to the other bucket, with new ids. Existing events are skipped, as in an import.

    The bucket itself moves to the trash, and its id becomes an alias of the other, so its watcher keeps recording
    there. Recording continues during the merge. Undo removes the moved events from the other bucket and restores this
    one. With `dry_run` nothing is changed, and the response shows what would be.
    """
    request = await call.decoded(MergeRequest)
    bucket_id, moves = call.params["bucket_id"], call.store.moves
    if request.dry_run:
        call.answer_value(await moves.preview_merge(bucket_id, request.into))
    else:
        call.answer_value(await moves.merge(bucket_id, request.into, is_forced=request.force))


async def set_bucket_host(call: Call) -> None:
    """Use this when a computer was renamed, so that its history stays in one bucket.

    If the id ends with the old host name, the bucket is renamed too, and the old id becomes an alias. If a bucket with
    the new id already exists, the call merges into it if `merge` is true, and fails otherwise.
    """
    request = await call.decoded(SetHostRequest)
    bucket_id, moves = call.params["bucket_id"], call.store.moves
    if request.dry_run:
        preview = await moves.preview_rehost(bucket_id, request.hostname, renames=request.rename)
        call.answer_value(preview)
    else:
        call.answer_value(await moves.rehost(bucket_id, request.hostname, renames=request.rename, merges=request.merge))


async def list_aliases(call: Call) -> None:
    """In order of their ids. Aliases are created when a bucket is renamed, merged or moved to another host."""
    call.answer_value(await in_thread(call.store.moves.aliases))


async def remove_alias(call: Call) -> None:
    """A watcher that still uses the alias has to create its own bucket afterwards."""
    call.answer_value(AliasRemoved(undo=await call.store.moves.remove_alias(call.params["alias"])))


# `/api/1/buckets`: every bucket with its size and the state of its watcher.


class _Contents(Struct, frozen=True):
    events: int
    spark: list[int]


async def list_bucket_states(call: Call) -> None:
    """Each bucket with its size and whether its watcher is recording, silent or quiet.

    Silent means that nothing arrived for three times as long as its usual interval while its device was active, or that
    all watchers of a device that should record have stopped. Days start as set in the preferences. Sizes are measured
    in the background.
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
        DeviceState(device=device, health=verdict.health, last=optional_timestamp(verdict.last))
        for device, verdict in latest_first
    ]


def _state(bucket: Bucket, contents: _Contents, verdict: Verdict, aliases: list[str], size: int | None) -> BucketState:
    return BucketState(
        id=bucket.id,
        device=bucket.hostname,
        type=bucket.type,
        client=bucket.client,
        created=format_timestamp(bucket.created),
        is_demo=is_demo(bucket.data),
        first=optional_timestamp(bucket.start),
        last=optional_timestamp(bucket.end),
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
    except BucketNotFound:  # deleted after we listed the buckets
        return None


def _day_edges(scope: Scope) -> list[Microseconds]:
    """The starts of the last days, and the end of today."""
    calendar = calendar_of(scope)
    tomorrow = calendar.day_of(scope.now) + timedelta(days=1)
    return [calendar.day_edge(tomorrow - timedelta(days=days)) for days in range(SPARK_DAYS, -1, -1)]


_BUCKET = "/api/1/buckets/{bucket_id}"
_MERGE = {"into": "aw-watcher-window_desktop"}

CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/1/buckets", handler=list_bucket_states, tag="buckets", scope="read",
        is_tagged=True, summary="List the buckets with the state of their watchers",
        answer=Answer(type=BucketStates, description="all buckets"),
    ),
    Route(
        method="POST", path=f"{_BUCKET}/rename", handler=rename_bucket, tag="buckets", scope="full",
        is_destructive=True, summary="Rename a bucket", body=Body(type=RenameRequest, example={"id": f"{BUCKET_ID}-2"}),
        answer=Answer(type=Renamed, description="the bucket under its new id"), errors=(NotFound, Conflict),
    ),
    Route(
        method="POST", path=f"{_BUCKET}/merge", handler=merge_bucket, tag="buckets", scope="full",
        is_destructive=True, summary="Merge a bucket into another", body=Body(type=MergeRequest, example=_MERGE),
        answer=Answer(type=Merged, description="what was moved"), errors=(NotFound, Conflict),
    ),
    Route(
        method="POST", path=f"{_BUCKET}/rehost", handler=set_bucket_host, tag="buckets", scope="full",
        is_destructive=True, summary="Set the host of a bucket",
        body=Body(type=SetHostRequest, example={"hostname": "desktop"}),
        answer=Answer(type=HostChange, description="the bucket with its new host"), errors=(NotFound, Conflict),
    ),
    Route(
        method="GET", path="/api/1/aliases", handler=list_aliases, tag="buckets", scope="read",
        summary="List bucket aliases", answer=Answer(type=list[Alias], description="the aliases, ordered by id"),
    ),
    Route(
        method="DELETE", path="/api/1/aliases/{alias}", handler=remove_alias, tag="buckets", scope="full",
        is_destructive=True, summary="Remove an alias",
        answer=Answer(type=AliasRemoved, description="the undo entry"), errors=(NotFound,),
    ),
)  # fmt: skip
