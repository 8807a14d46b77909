"""Requests and responses of a search. No numpy."""

from typing import Annotated, Any, Final, Literal, TypeAlias

from msgspec import Meta, Struct

from dayline.insight.calendar import Bin
from dayline.insight.request import LocalTime, RangeResponse, Scope
from dayline.model.edits.shown_text import TruncatedTexts
from dayline.model.time import Microseconds

Group: TypeAlias = Literal["value", "title", "url", "domain", "app", "none", "thing"]
Sort: TypeAlias = Literal["rank", "recent", "oldest", "time", "count"]

MAX_CHARACTERS: Final = 2000  # of a query

Seconds = Annotated[float, Meta(ge=0)]
Ranges = Annotated[
    list[Annotated[list[int], Meta(min_length=2, max_length=2, examples=[[4, 8]])]],
    Meta(description="start and end of each match, in Unicode characters, not UTF-16 units"),
]


class SearchRequest(Struct, frozen=True, kw_only=True):
    """The request of the task. Without `start` and `end` it searches all time."""

    scope: Scope
    q: str
    start: Microseconds | None = None
    end: Microseconds | None = None
    devices: tuple[str, ...] = ()  # empty: all
    buckets: tuple[str, ...] = ()
    group: Group = "value"
    thing: str | None = None  # only events of this thing
    sort: Sort = "rank"
    cursor: str | None = None
    limit: int = 50


class Highlight(Struct, frozen=True, kw_only=True):
    """The matches in one string of the data."""

    path: Annotated[
        list[str | int],
        Meta(description="keys and list indices that lead to the string", examples=[["title"]]),
    ]
    ranges: Ranges


class HitEvent(Struct, frozen=True, kw_only=True):
    """The latest event of a hit."""

    id: int
    timestamp: LocalTime
    duration: Seconds


class SearchHit(Struct, frozen=True, kw_only=True):
    """Events with the same data, or the same title, and so on. Bucket and data are those of the latest event.

    With `group=thing` the data is that of the window, the tab and the file together.
    """

    key: Annotated[str | None, Meta(description="what the events have in common; null if that is all of their data")]
    data: dict[str, Any]
    truncated: TruncatedTexts
    highlights: Annotated[list[Highlight], Meta(description="the matches in the texts as they are here")]
    seconds: Annotated[
        float,
        Meta(ge=0, description="total duration within the range; with `group=thing` active time, as in summaries"),
    ]
    count: Annotated[int, Meta(ge=1, description="number of events")]
    first: Annotated[str, Meta(description="start of the first event", extra_json_schema={"format": "date-time"})]
    last: Annotated[str, Meta(description="end of the last event", extra_json_schema={"format": "date-time"})]
    category: Annotated[list[str], Meta(description="the category of the latest event by the rules")]
    bucket: str
    device: str
    type: str
    event: HitEvent


class Facet(Struct, frozen=True, kw_only=True):
    """The share of one device, type or bucket in all hits."""

    key: str
    seconds: Seconds
    count: Annotated[int, Meta(ge=1)]


class Facets(Struct, frozen=True, kw_only=True):
    """All hits by device, type and bucket, those with the most time first."""

    device: list[Facet]
    type: list[Facet]
    bucket: list[Facet]


class Histogram(Struct, frozen=True, kw_only=True):
    """All hits over time. There is one more edge than bins."""

    bin: Bin
    edges: list[LocalTime]
    seconds: list[float]
    count: Annotated[
        list[int], Meta(description="number of events that start in each bin; the first bin includes earlier ones")
    ]


class SearchResponse(Struct, frozen=True, kw_only=True):
    """The hits of one page, and statistics of all hits."""

    range: RangeResponse
    understood: Annotated[str, Meta(description="the query as understood")]
    total: Annotated[int, Meta(ge=0, description="hits on all pages")]
    events: Annotated[int, Meta(ge=0, description="events of all hits")]
    seconds: Seconds
    hits: list[SearchHit]
    cursor: Annotated[str | None, Meta(description="for the next page; null on the last")]
    facets: Facets
    histogram: Histogram
    suggestion: Annotated[str | None, Meta(description="if nothing was found: a similar query with results")]
    looked_through: Annotated[
        int, Meta(ge=0, description="values that were searched without the index, because they are not in it yet")
    ]
    took: Annotated[float, Meta(ge=0, description="milliseconds")]
