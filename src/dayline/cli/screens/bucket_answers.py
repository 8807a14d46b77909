"""What the server answers about buckets and devices, as far as it is shown."""

from datetime import datetime
from typing import Literal

from msgspec import Struct


class BucketShown(Struct, frozen=True, kw_only=True):
    """A bucket and how its watcher is: recording, silent though it should record, or quiet with reason."""

    id: str
    device: str
    type: str
    events: int
    last: datetime | None = None
    bytes: int | None = None
    aliases: list[str] = []
    spark: list[int] = []
    health: Literal["recording", "silent", "quiet"] = "quiet"
    silent_since: datetime | None = None


class BucketsShown(Struct, frozen=True, kw_only=True):
    this_device: str = ""
    events: int = 0
    bytes: int | None = None
    buckets: list[BucketShown] = []


class DeviceShown(Struct, frozen=True, kw_only=True):
    """What is in front of a device, or was when it last recorded something."""

    device: str
    app: str | None = None
    title: str | None = None
    category: tuple[str, ...] | None = None
    since: datetime | None = None
    away: bool = False
    away_since: datetime | None = None
    last_seen: datetime | None = None
    is_recording: bool = False
    health: Literal["recording", "silent", "quiet"] = "quiet"


class NowShown(Struct, frozen=True, kw_only=True):
    now: datetime
    devices: list[DeviceShown] = []
