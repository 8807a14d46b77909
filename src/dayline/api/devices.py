"""`/api/1/devices`: the computers and phones that recorded."""

from collections.abc import Sequence

from msgspec import Struct

from dayline.api.call import Call, in_thread
from dayline.care.devices import Device, Renaming, devices_of, renamed_hosts
from dayline.model.bucket import Bucket
from dayline.model.errors import BucketNotFound
from dayline.model.timestamps import Microseconds, Timestamp, format_timestamp
from dayline.storage.store import Store


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


def _time(moment: Microseconds | None) -> str | None:
    return None if moment is None else format_timestamp(moment)
