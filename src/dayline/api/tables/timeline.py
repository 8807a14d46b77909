"""The calls that show what happened when."""

from typing import Annotated

from msgspec import Meta

from dayline.api import bucket_states, now, timeline
from dayline.api.route import Answer, Parameter, Route
from dayline.api.tables.insight_parts import COMMON
from dayline.insight.buckets_answer import BucketStates
from dayline.insight.now_answer import NowAnswer
from dayline.insight.timeline_answer import TimelineAnswer
from dayline.insight.timeline_request import MOST_PX, USUAL_PX
from dayline.model.errors import Invalid, NotFound, Unavailable

CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/1/now", handler=now.get_now, tag="insight", scope="read",
        summary="Tell what is in front of each device",
        answer=Answer(type=NowAnswer, description="every device, the one that was heard of last first"),
    ),
    Route(
        method="GET", path="/api/1/buckets", handler=bucket_states.list_bucket_states, tag="buckets", scope="read",
        is_tagged=True, summary="List all buckets with how their watchers are",
        answer=Answer(type=BucketStates, description="every bucket"),
    ),
    Route(
        method="GET", path="/api/1/timeline", handler=timeline.get_timeline, tag="insight", scope="read",
        is_tagged=True, summary="Show what happened when, in lanes",
        parameters=(
            *COMMON,
            Parameter(
                name="px",
                type=Annotated[int, Meta(ge=1, le=MOST_PX)],
                description=f"the width of a lane, and so how many pieces it has at most; {USUAL_PX} by itself",
            ),
            Parameter(
                name="lanes",
                type=list[str],
                description="`bucket`, which is meant where it is left out: one for each bucket; `device`: the active "
                "time of each device; else the id of a bucket, and may be repeated",
            ),
            Parameter(
                name="color",
                type=Annotated[str, Meta(max_length=100, examples=["category"])],
                description="what pieces show: `category`, or any field of the data, `domain` among them; where it is "
                "left out, what suits the type of each bucket",
            ),
        ),
        answer=Answer(type=TimelineAnswer, description="the lanes, those of one device together"),
        errors=(NotFound, Invalid, Unavailable),
    ),
)  # fmt: skip
