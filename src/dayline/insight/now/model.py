"""Requests and responses about buckets and what is active now. No numpy."""

from typing import Annotated, Any, Final, Literal, TypeAlias

from msgspec import Meta, Struct

from dayline.model.category import Category, Path
from dayline.model.time import Timestamp

Layer: TypeAlias = Literal["window", "tab", "file"]
Health: TypeAlias = Literal["recording", "silent", "quiet"]

SPARK_DAYS: Final = 30

Front: TypeAlias = dict[Layer, dict[str, Any]]  # the data of each layer of an active window


class BucketState(Struct, frozen=True, kw_only=True):
    """A bucket, its size, and the state of its watcher."""

    id: str
    device: Annotated[str, Meta(description="its host name")]
    type: str
    client: str
    created: Timestamp
    is_demo: Annotated[bool, Meta(description="whether it has demo data, which `DELETE /api/1/demo` removes")]
    first: Annotated[Timestamp | None, Meta(description="start of the first event; null if there is none")]
    last: Annotated[Timestamp | None, Meta(description="latest end of an event")]
    events: int
    bytes: Annotated[int | None, Meta(description="disk space at the last measurement; null before the first one")]
    aliases: Annotated[list[str], Meta(description="other ids of the bucket")]
    spark: Annotated[
        list[int], Meta(description=f"number of events that started on each of the last {SPARK_DAYS} days, today last")
    ]
    health: Annotated[
        Health,
        Meta(
            description="silent: it records nothing, although its device is in use or is expected to be; "
            "quiet: nothing is expected of it"
        ),
    ]
    silent_since: Annotated[Timestamp | None, Meta(description="when it last recorded something, if it is silent")]
    usual_interval: Annotated[float | None, Meta(description="usual longest silence in seconds; null if it is unknown")]


class DeviceState(Struct, frozen=True, kw_only=True):
    """Whether a device records."""

    device: Annotated[str, Meta(description="its host name")]
    health: Annotated[
        Health,
        Meta(
            description="silent: all its watchers have stopped, although it is expected to record; "
            "quiet: nothing is expected of it now"
        ),
    ]
    last: Annotated[Timestamp | None, Meta(description="when one of its watchers last recorded something")]


class BucketStates(Struct, frozen=True, kw_only=True):
    """All buckets in order of creation. `this_device` is the host name of the computer that the server runs on."""

    this_device: str
    events: Annotated[int, Meta(description="of all buckets")]
    bytes: Annotated[int | None, Meta(description="of all buckets; null before the first measurement")]
    buckets: list[BucketState]
    devices: Annotated[list[DeviceState], Meta(description="the one that recorded last first")]


class DeviceNow(Struct, frozen=True, kw_only=True):
    """What a device shows, or showed when it last recorded something. Unknown values are null."""

    device: Annotated[str, Meta(description="its host name")]
    app: str | None
    title: str | None
    url: Annotated[str | None, Meta(description="of the tab, if a browser is active")]
    truncated: Annotated[list[str], Meta(description="which of `app`, `title` and `url` are truncated to 4,000 bytes")]
    category: Annotated[Path | None, Meta(description="null if no window is known, or while it is computed")]
    since: Annotated[Timestamp | None, Meta(description="since when this app has been active without a break")]
    away: Annotated[bool, Meta(description="whether the user is AFK; false if its watchers have stopped")]
    away_since: Timestamp | None
    last_seen: Annotated[Timestamp | None, Meta(description="when one of its watchers last recorded something")]
    is_recording: Annotated[bool, Meta(description="whether that was just now")]
    health: Annotated[
        Health, Meta(description="silent: all its watchers have stopped, although it is expected to record")
    ]


class NowResponse(Struct, frozen=True, kw_only=True):
    """All devices, the one that recorded last first."""

    now: Timestamp
    is_settled: Annotated[
        bool, Meta(description="false while a category is still being computed: request it again soon")
    ]
    devices: list[DeviceNow]


class NowCategoriesRequest(Struct, frozen=True, kw_only=True):
    """Active windows to classify, and the categories."""

    categories: tuple[Category, ...]
    fronts: tuple[Front, ...]
