"""Requests and responses of timelines, as columns: objects would be twice as large. No numpy."""

from typing import Annotated, Final, Literal, TypeAlias

from msgspec import Meta, Struct

from dayline.insight.request import CommonRequest, LocalTime, RangeResponse
from dayline.model.category import Path
from dayline.model.edits.shown_text import TruncatedNumbers

LaneKind: TypeAlias = Literal["bucket", "device"]

USUAL_PX: Final = 1200
MAX_PX: Final = 10_000  # twice the widest screen; with eight lanes a response then has about 2 MB


class TimelineRequest(Struct, frozen=True, kw_only=True):
    """Asks for lanes of a range at a width in pixels: one for each bucket or device, or for the named buckets.

    `color` is the field that labels pieces; None: the field that suits the type of each bucket.
    """

    common: CommonRequest
    px: int = USUAL_PX
    lanes: LaneKind = "bucket"
    buckets: tuple[str, ...] = ()
    color: str | None = None


class LaneResponse(Struct, frozen=True, kw_only=True):
    """The pieces of one bucket or device, by start. All columns have one entry per piece.

    The first piece starts `gap[0]` after the start of the range, every other one `gap[i]` after the end of the previous
    one. A gap is negative if they overlap.
    """

    bucket: Annotated[str | None, Meta(description="the bucket's id; null for the lane of a device")]
    device: Annotated[str, Meta(description="its host name")]
    type: Annotated[str, Meta(description="the bucket's type", examples=["currentwindow"])]
    events: Annotated[int, Meta(description="number of events in the range")]
    is_exact: Annotated[bool, Meta(description="whether each piece is one stored event, clipped to the range")]
    gap: Annotated[list[int], Meta(description="microseconds from the end of the previous piece")]
    dur: Annotated[list[int], Meta(description="duration in microseconds")]
    key: Annotated[list[int], Meta(description="the label with the most time, as an index into `keys`; -1: none")]
    title: Annotated[
        list[int],
        Meta(
            description="the title with the most time among events with this `key`, as an index into `titles`; -1: none"
        ),
    ]
    share: Annotated[list[float], Meta(description="share of `key` in the time of all events of the piece")]
    cat: Annotated[
        list[int], Meta(description="the category with the most time, as an index into `categories`; -1: none")
    ]
    n: Annotated[list[int], Meta(description="number of merged events")]
    cover: Annotated[list[float], Meta(description="share of the piece that events cover")]
    id: Annotated[list[int | None], Meta(description="the event's id; null if several are merged")]


class NearestResponse(Struct, frozen=True, kw_only=True):
    """The nearest events around a range without events: an end before it, and a start after it."""

    before: LocalTime | None
    after: LocalTime | None


class TimelineResponse(Struct, frozen=True, kw_only=True):
    """Lanes, sorted by device, and what the numbers in them refer to."""

    range: RangeResponse
    px: int
    lanes: list[LaneResponse]
    keys: list[str]
    truncated_keys: TruncatedNumbers
    titles: list[str]
    truncated_titles: TruncatedNumbers
    categories: list[Path]
    overview: Annotated[
        list[float],
        Meta(description="covered share of each column of equal width, in the lane with the highest share"),
    ]
    nearest: Annotated[NearestResponse | None, Meta(description="null if there are events in the range")]


# Sessions.

USUAL_SESSION_S: Final = 120
MAX_SESSIONS_DAYS: Final = 62


class SessionsRequest(Struct, frozen=True, kw_only=True):
    """Asks for the sessions of a range that last at least `min_s` seconds."""

    common: CommonRequest
    min_s: int = USUAL_SESSION_S


class ActivitySession(Struct, frozen=True, kw_only=True):
    """Time spent on one thing, with interruptions of less than two minutes."""

    start: LocalTime
    end: LocalTime
    active: Annotated[float, Meta(description="seconds of active time in it")]
    app: Annotated[str | None, Meta(description="the app with the most time in its category")]
    title: Annotated[str | None, Meta(description="the title with the most time in that app")]
    category: Path
    device: Annotated[str | None, Meta(description="the device with the most time; null for entries without a device")]
    truncated: Annotated[list[str], Meta(description="which of `app` and `title` are truncated to 4,000 bytes")]


class SessionsResponse(Struct, frozen=True, kw_only=True):
    """Sessions by start. They do not overlap."""

    range: RangeResponse
    sessions: list[ActivitySession]
