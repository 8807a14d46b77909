"""What a timeline can be asked for. No numpy."""

from typing import Final, Literal, TypeAlias

from msgspec import Struct

from dayline.insight.common_request import CommonRequest

LaneKind: TypeAlias = Literal["bucket", "device"]

USUAL_PX: Final = 1200
MOST_PX: Final = 10_000  # two screens of the widest kind; an answer of eight lanes then has some 2 MB


class TimelineRequest(Struct, frozen=True, kw_only=True):
    """Lanes of a range on so many pixels: one for each bucket or device, or for the buckets named.

    `color` is the field that decides what pieces show; None: what suits the type of each bucket.
    """

    common: CommonRequest
    px: int = USUAL_PX
    lanes: LaneKind = "bucket"
    buckets: tuple[str, ...] = ()
    color: str | None = None
