"""What is in front of each device now. No numpy."""

from typing import Annotated

from msgspec import Meta, Struct

from dayline.insight.bucket_health import Health
from dayline.model.categories import Path
from dayline.model.timestamps import Timestamp


class DeviceNow(Struct, frozen=True, kw_only=True):
    """What a device shows, or showed when it last recorded something. What is not known is null."""

    device: Annotated[str, Meta(description="its host name")]
    app: str | None
    title: str | None
    url: Annotated[str | None, Meta(description="of the tab, where a browser is in front")]
    category: Annotated[Path | None, Meta(description="null where no window is known, or while it is found out")]
    since: Annotated[Timestamp | None, Meta(description="since when this app is in front without a break")]
    away: Annotated[bool, Meta(description="whether nobody touches it; false if its watchers have stopped")]
    away_since: Timestamp | None
    last_seen: Annotated[Timestamp | None, Meta(description="when any of its buckets had something last")]
    is_recording: Annotated[bool, Meta(description="whether that is a moment ago")]
    health: Annotated[
        Health, Meta(description="silent: all its watchers have stopped, although it is expected to record")
    ]


class NowAnswer(Struct, frozen=True, kw_only=True):
    """All devices, the one that recorded last first."""

    now: Timestamp
    is_settled: Annotated[bool, Meta(description="false while a category is still being found out: ask again soon")]
    devices: list[DeviceNow]
