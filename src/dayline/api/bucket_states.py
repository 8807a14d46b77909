"""`/api/1/buckets`: every bucket with how much there is in it and how its watcher is."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import timedelta

import msgspec
from msgspec import Struct

from dayline.api.call import Call, in_thread
from dayline.api.insight import answer_tagged, scope_of
from dayline.demo.mark import is_demo
from dayline.insight.bucket_health import Verdict
from dayline.insight.buckets_answer import SPARK_DAYS, BucketState, BucketStates, DeviceState
from dayline.insight.common_request import calendar_of
from dayline.insight.scope import Scope
from dayline.model.bucket import Bucket
from dayline.model.errors import BucketNotFound
from dayline.model.timestamps import SECOND, Microseconds, Timestamp, format_timestamp
from dayline.storage.store import Store


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
    sizes = call.services.upkeep.bucket_bytes()
    states, devices = await in_thread(_states, call, buckets, scope, sizes)
    answer_tagged(
        call,
        msgspec.json.encode(
            BucketStates(
                this_device=call.services.hostname,
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
    verdicts, devices = call.services.watchers.all_verdicts(store, buckets, names, now=scope.now)
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
