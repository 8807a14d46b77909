"""The calls about room on the disk."""

from dayline.api import compaction, retention, space
from dayline.api.retention import RetentionTrial
from dayline.api.route import BUCKET_ID, Answer, Body, Route
from dayline.model.compaction import Compacted, Compaction
from dayline.model.errors import Unavailable
from dayline.model.retention import BucketThinning, RetentionRule, RetentionView, ThinnedBucket
from dayline.model.space import Space

_RULE = {"bucket": BUCKET_ID, "days": 365}

CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/1/space", handler=space.get_space, tag="care", scope="read",
        is_server_wide=True, summary="Tell what takes room on the disk",
        answer=Answer(type=Space, description="bytes per bucket, per year and for everything else"),
        errors=(Unavailable,),
    ),
    Route(
        method="GET", path="/api/1/retention", handler=retention.get_retention, tag="care", scope="full",
        is_server_wide=True, summary="List the retention rules",
        answer=Answer(type=RetentionView, description="every rule, in order"),
    ),
    Route(
        method="PUT", path="/api/1/retention", handler=retention.set_retention, tag="care", scope="full",
        is_server_wide=True, is_destructive=True, summary="Replace the retention rules",
        body=Body(type=list[RetentionRule], example=[_RULE]),
        answer=Answer(type=RetentionView, description="every rule as it is now"),
    ),
    Route(
        method="POST", path="/api/1/retention/preview", handler=retention.preview_retention, tag="care", scope="full",
        is_server_wide=True, summary="Preview what retention would do",
        body=Body(type=RetentionTrial, example={"rules": [_RULE]}),
        answer=Answer(type=list[BucketThinning], description="each bucket that a rule fits"), errors=(Unavailable,),
    ),
    Route(
        method="POST", path="/api/1/retention/apply", handler=retention.apply_retention, tag="care", scope="full",
        is_server_wide=True, is_destructive=True, summary="Apply the retention rules now",
        answer=Answer(type=list[ThinnedBucket], description="each bucket that a rule fits"), errors=(Unavailable,),
    ),
    Route(
        method="GET", path="/api/1/compact", handler=compaction.get_compaction, tag="care", scope="read",
        is_server_wide=True, is_of_server=True, is_of_file=True, summary="Tell how far compaction is",
        answer=Answer(type=Compaction, description="what is being done"),
    ),
    Route(
        method="POST", path="/api/1/compact", handler=compaction.compact_database, tag="care", scope="full",
        is_server_wide=True, is_of_server=True, is_of_file=True, summary="Give free room back to the system",
        answer=Answer(type=Compacted, description="what was done"), errors=(Unavailable,),
    ),
)  # fmt: skip
