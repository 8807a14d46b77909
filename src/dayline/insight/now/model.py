"""Requests and answers about buckets and what is active now. No numpy."""

from typing import Annotated, Any, Final, Literal, TypeAlias

from msgspec import Meta, Struct

from dayline.model.category import Category, Path
from dayline.model.time import Timestamp

Layer: TypeAlias = Literal["window", "tab", "file"]
Health: TypeAlias = Literal["recording", "silent", "quiet"]

SPARK_DAYS: Final = 30


class BucketState(Struct, frozen=True, kw_only=True):
    """A bucket, its size, and the state of its watcher."""

    id: str
    device: Annotated[str, Meta(description="its host name")]
    type: str
    client: str
    created: Timestamp
    is_demo: Annotated[bool, Meta(description="whether what it holds is invented: `DELETE /api/1/demo` removes it")]
    first: Annotated[Timestamp | None, Meta(description="where its first event begins; null where it has none")]
    last: Annotated[Timestamp | None, Meta(description="the largest end of an event")]
    events: int
    bytes: Annotated[int | None, Meta(description="disk space when last measured; null: not yet")]
    aliases: Annotated[list[str], Meta(description="other ids under which it is found")]
    spark: Annotated[
        list[int], Meta(description=f"how many events began on each of the last {SPARK_DAYS} days, today last")
    ]
    health: Annotated[
        Health,
        Meta(
            description="silent: it records nothing, although its device is in use or is expected to be; "
            "quiet: nothing is expected of it"
        ),
    ]
    silent_since: Annotated[Timestamp | None, Meta(description="when it had something last, where it is silent")]
    usual_interval: Annotated[float | None, Meta(description="usual longest silence in seconds; null if it is unknown")]


class DeviceState(Struct, frozen=True, kw_only=True):
    """Whether a device records."""

    device: Annotated[str, Meta(description="its host name")]
    health: Annotated[
        Health,
        Meta(
            description="silent: all its watchers have stopped, although it is expected to record; "
            "quiet: nothing is expected of it at present"
        ),
    ]
    last: Annotated[Timestamp | None, Meta(description="when any of its watchers recorded something last")]


class BucketStates(Struct, frozen=True, kw_only=True):
    """All buckets in order of creation. `this_device` is the host name of the computer that the server runs on."""

    this_device: str
    events: Annotated[int, Meta(description="of all buckets together")]
    bytes: Annotated[int | None, Meta(description="of all buckets together; null where it was not measured yet")]
    buckets: list[BucketState]
    devices: Annotated[list[DeviceState], Meta(description="the one that recorded last first")]


# What is active on each device now.


class DeviceNow(Struct, frozen=True, kw_only=True):
    """What a device shows, or showed when it last recorded something. Unknown values are null."""

    device: Annotated[str, Meta(description="its host name")]
    app: str | None
    title: str | None
    url: Annotated[str | None, Meta(description="of the tab, where a browser is in front")]
    category: Annotated[Path | None, Meta(description="null where no window is known, or while it is found out")]
    since: Annotated[Timestamp | None, Meta(description="since when this app is in front without a break")]
    away: Annotated[bool, Meta(description="whether the user is AFK; false if its watchers have stopped")]
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


Front: TypeAlias = dict[Layer, dict[str, Any]]  # the data of each layer of an active window


class NowCategoriesRequest(Struct, frozen=True, kw_only=True):
    """Active windows to classify, and the categories."""

    categories: tuple[Category, ...]
    fronts: tuple[Front, ...]
