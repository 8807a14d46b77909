"""`/api/1/devices`: the computers and phones that have recorded."""

from collections import defaultdict
from collections.abc import Sequence

from msgspec import Struct

from dayline.api.http.call import Call
from dayline.api.http.route import Answer, Route
from dayline.maintenance.devices import RecordingDevice, devices_of, renamed_hosts
from dayline.model.bucket import Bucket
from dayline.model.errors import BucketNotFound
from dayline.model.time import Timestamp, optional_timestamp
from dayline.runtime.threads import in_thread
from dayline.storage.store import Store


class LikelyName(Struct, frozen=True, kw_only=True):
    """Another host name that this device probably had before or has now. `reason` explains why."""

    hostname: str
    is_newer: bool
    reason: str


class DeviceView(Struct, frozen=True, kw_only=True):
    """All buckets with one host name. `first_seen` and `last_seen` are null if there are no events."""

    hostname: str
    buckets: list[str]
    first_seen: Timestamp | None
    last_seen: Timestamp | None
    events: int
    looks_like: list[LikelyName]


async def list_devices(call: Call) -> None:
    """Devices are identified by the host name of their buckets.

    A renamed computer appears twice. `looks_like` names the other one if the same watchers stopped under one name and
    started under another soon after. A computer that replaced an older one looks the same.
    """
    buckets = list(call.store.buckets().values())
    call.answer_value(await in_thread(_views, call.store, buckets))


def _views(store: Store, buckets: Sequence[Bucket]) -> list[DeviceView]:
    names: defaultdict[str, list[LikelyName]] = defaultdict(list)
    for renaming in renamed_hosts(buckets):
        names[renaming.old].append(LikelyName(hostname=renaming.new, is_newer=True, reason=renaming.reason))
        names[renaming.new].append(LikelyName(hostname=renaming.old, is_newer=False, reason=renaming.reason))
    return [_view(store, device, names[device.hostname]) for device in devices_of(buckets)]


def _view(store: Store, device: RecordingDevice, looks_like: list[LikelyName]) -> DeviceView:
    return DeviceView(
        hostname=device.hostname,
        buckets=[bucket.id for bucket in device.buckets],
        first_seen=optional_timestamp(device.start),
        last_seen=optional_timestamp(device.end),
        events=sum(event_count(store, bucket.id) for bucket in device.buckets),
        looks_like=looks_like,
    )


def event_count(store: Store, bucket_id: str) -> int:
    """The number of events of a bucket, 0 if it was deleted since it was listed."""
    try:
        return store.count(bucket_id, start=None, end=None)
    except BucketNotFound:
        return 0


CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/1/devices", handler=list_devices, tag="maintenance", scope="read",
        summary="List the devices that have recorded",
        answer=Answer(type=list[DeviceView], description="the devices, the most recently active first"),
    ),
)  # fmt: skip
