"""`/api/1/summary` and `/api/1/series`: how much time was spent on what."""

from typing import Annotated

from msgspec import Meta

from dayline.api.http.call import Call
from dayline.api.http.parameters import COMMON, REFUSALS, choice
from dayline.api.http.route import Answer, Parameter, Route
from dayline.api.insight.task import answer_tagged, compared_request, run_task
from dayline.insight.edges import BIN_NAMES, Bin
from dayline.insight.request import FIELDS, Field
from dayline.insight.summary.model import (
    DEFAULT_LIMIT,
    DEFAULT_TOP,
    MAX_KEYS,
    CompareWith,
    Series,
    SeriesRequest,
    Summary,
    SummaryRequest,
)
from dayline.model.errors import Malformed
from dayline.model.time import Timestamp, shorten


async def get_summary(call: Call) -> None:
    """Totals of a range, and for each field of `by` the keys with the most time.

    Where somebody used two devices at once, the time counts once, for the device whose window came to the front
    last; only `by=device` counts it for both, and `overlap` tells how much that is.
    """
    common, comparison = await compared_request(call)
    request = SummaryRequest(
        common=common,
        by=_fields(call),
        limit=min(call.number("limit") or DEFAULT_LIMIT, MAX_KEYS),
        compare=comparison,
    )
    answer_tagged(call, await run_task(call, "summary", request))


async def get_series(call: Call) -> None:
    """The seconds of every bin, for the largest keys of `by`, for all others together, and in total.

    Bins begin and end with the days of the time zone, and with the hours that its clocks show: a day on which they are
    set back has 25 of them. What lies across an edge is split there.
    """
    common, comparison = await compared_request(call)
    request = SeriesRequest(
        common=common,
        bin=choice(call, "bin", BIN_NAMES, "day"),
        by=choice(call, "by", FIELDS, "category"),
        top=min(call.number("top") or DEFAULT_TOP, MAX_KEYS),
        compare=comparison,
    )
    answer_tagged(call, await run_task(call, "series", request))


def _fields(call: Call) -> tuple[Field, ...]:
    """The fields of `by`, with commas between them, each once."""
    texts = (call.request.get_param("by") or "category").split(",")
    unknown = [text for text in texts if text not in FIELDS]
    if unknown:
        raise Malformed(f"by: {shorten(unknown[0])!r} is not one of {', '.join(FIELDS)}", field="by")
    return tuple(field for text in dict.fromkeys(texts) for field in FIELDS if field == text)


# Routes.


_COUNT = Annotated[int, Meta(ge=1)]
_COMPARE = (
    Parameter(
        name="compare",
        type=CompareWith,
        description="with the range before, the same a year ago, what is typical (the median of the last four such "
        "ranges), or one of your own. If the range is not over, only the same elapsed part of the other counts",
    ),
    Parameter(name="compare_start", type=Timestamp, description="with `compare=custom`: where that range begins"),
    Parameter(name="compare_end", type=Timestamp, description="with `compare=custom`: the moment before which it ends"),
)
_BY_SOME = Parameter(
    name="by",
    type=Annotated[str, Meta(examples=["category,app"])],
    description="the fields to make lists of, with commas between them: category, app, title, domain, url, project, "
    "device, bucket. `category` where it is left out",
)

CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/1/summary", handler=get_summary, tag="insight", scope="read", is_tagged=True,
        summary="Get totals of a range, and what the time was spent on",
        parameters=(
            _BY_SOME,
            Parameter(name="limit", type=_COUNT, description=f"keys of each list at most; {DEFAULT_LIMIT} by itself"),
            *_COMPARE,
            *COMMON,
        ),
        answer=Answer(type=Summary, description="totals, and a list for each field"), errors=REFUSALS,
    ),
    Route(
        method="GET", path="/api/1/series", handler=get_series, tag="insight", scope="read", is_tagged=True,
        summary="Get the time of every hour, day, week or month",
        parameters=(
            Parameter(name="bin", type=Bin, description="`day` where it is left out"),
            Parameter(name="by", type=Field, description="whose keys; `category` where it is left out"),
            Parameter(name="top", type=_COUNT, description=f"keys by themselves; {DEFAULT_TOP} where it is left out"),
            *_COMPARE,
            *COMMON,
        ),
        answer=Answer(type=Series, description="seconds for each key and bin"), errors=REFUSALS,
    ),
)  # fmt: skip
