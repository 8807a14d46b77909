"""`/api/1/summary` and `/api/1/series`: time spent, by field and by bin."""

from typing import Annotated

from msgspec import Meta

from dayline.api.http.call import Call
from dayline.api.http.parameters import COMMON, COMMON_ERRORS, check_projects, choice
from dayline.api.http.route import Answer, Parameter, Route
from dayline.api.insight.task import answer_tagged, compared_request, run_task
from dayline.insight.calendar import BIN_NAMES, Bin
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

    Time on two devices at once counts once, for the device whose window became active last. Only `by=device` counts it
    for both, and `overlap` is the amount counted twice.
    """
    common, comparison = await compared_request(call)
    request = SummaryRequest(
        common=common,
        by=_fields(call),
        limit=min(call.number("limit") or DEFAULT_LIMIT, MAX_KEYS),
        compare=comparison,
        depth=call.number("depth"),
    )
    answer_tagged(call, await run_task(call, "summary", request))


async def get_series(call: Call) -> None:
    """The seconds of each bin: for the largest keys of `by`, for all others together, and in total.

    Bins follow the days and hours of the time zone: a day on which the clocks are set back has 25 hours. Events are
    split at the edges of bins.
    """
    by: Field = choice(call, "by", FIELDS, "category")
    check_projects(call, [by], "by")
    common, comparison = await compared_request(call)
    request = SeriesRequest(
        common=common,
        bin=choice(call, "bin", BIN_NAMES, "day"),
        by=by,
        top=min(call.number("top") or DEFAULT_TOP, MAX_KEYS),
        compare=comparison,
        depth=call.number("depth") if by == "category" else None,
    )
    answer_tagged(call, await run_task(call, "series", request))


def _fields(call: Call) -> tuple[Field, ...]:
    """The fields of `by`, separated by commas, without duplicates."""
    texts = (call.request.get_param("by") or "category").split(",")
    check_projects(call, texts, "by")
    unknown = [text for text in texts if text not in FIELDS]
    if unknown:
        raise Malformed(f"by: unknown field {shorten(unknown[0])!r}; use {', '.join(FIELDS)}", field="by")
    return tuple(field for text in dict.fromkeys(texts) for field in FIELDS if field == text)


_COUNT = Annotated[int, Meta(ge=1)]
_COMPARE = (
    Parameter(
        name="compare",
        type=CompareWith,
        description="compare with the previous range, the same range a year ago, a typical range (the median of the "
        "last four), or your own range. If the range is not over, only the same elapsed part of the other counts",
    ),
    Parameter(name="compare_start", type=Timestamp, description="with `compare=custom`: start of that range"),
    Parameter(name="compare_end", type=Timestamp, description="with `compare=custom`: end of that range (exclusive)"),
)
_BY_SOME = Parameter(
    name="by",
    type=Annotated[str, Meta(examples=["category,app"])],
    description="fields to list, separated by commas: category, app, title, domain, url, project, device, bucket; "
    "default: `category`",
)

_DEPTH = Parameter(
    name="depth",
    type=_COUNT,
    description="list categories up to this depth, with everything below them: with 1, `Work` has the time of "
    "`Work/Code`; default: every category on its own",
)

CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/1/summary", handler=get_summary, tag="summaries", scope="read", is_tagged=True,
        summary="Get the totals of a range",
        parameters=(
            _BY_SOME,
            Parameter(name="limit", type=_COUNT, description=f"max keys per list; default: {DEFAULT_LIMIT}"),
            _DEPTH,
            *_COMPARE,
            *COMMON,
        ),
        answer=Answer(type=Summary, description="totals, and a list for each field"), errors=COMMON_ERRORS,
    ),
    Route(
        method="GET", path="/api/1/series", handler=get_series, tag="summaries", scope="read", is_tagged=True,
        summary="Get the time per hour, day, week or month",
        parameters=(
            Parameter(name="bin", type=Bin, description="default: `day`"),
            Parameter(name="by", type=Field, description="the field of the keys; default: `category`"),
            Parameter(name="top", type=_COUNT, description=f"max keys, the rest is summed up; default: {DEFAULT_TOP}"),
            _DEPTH,
            *_COMPARE,
            *COMMON,
        ),
        answer=Answer(type=Series, description="seconds per key and bin"), errors=COMMON_ERRORS,
    ),
)  # fmt: skip
