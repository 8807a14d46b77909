"""The calls about how much time was spent on what."""

from typing import Annotated

from msgspec import Meta

from dayline.api import summary
from dayline.api.route import Answer, Parameter, Route
from dayline.api.tables.insight_parts import COMMON, REFUSALS
from dayline.insight.common_request import Field
from dayline.insight.edges import Bin
from dayline.insight.summary_answer import Series, Summary
from dayline.insight.summary_request import DEFAULT_LIMIT, DEFAULT_TOP, CompareWith
from dayline.model.timestamps import Timestamp

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
        method="GET", path="/api/1/summary", handler=summary.get_summary, tag="insight", scope="read", is_tagged=True,
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
        method="GET", path="/api/1/series", handler=summary.get_series, tag="insight", scope="read", is_tagged=True,
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
