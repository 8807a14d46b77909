"""`/api/1/retention`: which buckets are downsampled, and after how long."""

from msgspec import Struct

from dayline.api.http.call import Call
from dayline.api.http.route import BUCKET_ID, Answer, Body, Route
from dayline.model.errors import Unavailable
from dayline.model.upkeep.retention import DownsampledBucket, DownsamplingPreview, RetentionRule, RetentionView


class RetentionTrial(Struct, frozen=True, kw_only=True):
    """Rules to preview; default: the rules in force."""

    rules: list[RetentionRule] | None = None


async def get_retention(call: Call) -> None:
    """There are no rules by default: no events are downsampled."""
    call.answer_value(await call.tenant.upkeep.view())


async def set_retention(call: Call) -> None:
    """Replaces all rules; an empty list turns retention off. This call does not change any event.

    The server applies the rules once a day, and when you call `POST /api/1/retention/apply`: events older than `days`
    are rearranged within a quarter of an hour, so that equal ones become one. The active time of every quarter, and its
    time per app, title, category, domain and device, stay the same.
    """
    rules = await call.decoded(list[RetentionRule])
    await call.tenant.upkeep.set_rules(rules, call.access)
    call.answer_value(await call.tenant.upkeep.view())


async def preview_retention(call: Call) -> None:
    """The number of events now and afterwards, for each bucket that a rule matches. Nothing is changed."""
    trial = await call.decoded(RetentionTrial)
    call.answer_value(await call.tenant.upkeep.preview(trial.rules))


async def apply_retention(call: Call) -> None:
    """Downsamples now instead of at the next daily run. The `undo` of each bucket is valid until the trash expires.

    Recording continues while it runs. Downsampling continues if the client disconnects.
    """
    call.answer_value(await call.tenant.upkeep.apply())


_RULE = {"bucket": BUCKET_ID, "days": 365}

CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/1/retention", handler=get_retention, tag="space", scope="full",
        audience="all buckets", summary="List the retention rules",
        answer=Answer(type=RetentionView, description="all rules, in order"),
    ),
    Route(
        method="PUT", path="/api/1/retention", handler=set_retention, tag="space", scope="full",
        audience="all buckets", is_destructive=True, summary="Replace the retention rules",
        body=Body(type=list[RetentionRule], example=[_RULE]),
        answer=Answer(type=RetentionView, description="all rules after the change"),
    ),
    Route(
        method="POST", path="/api/1/retention/preview", handler=preview_retention, tag="space", scope="full",
        audience="all buckets", summary="Preview the effect of retention rules",
        body=Body(type=RetentionTrial, example={"rules": [_RULE]}),
        answer=Answer(type=list[DownsamplingPreview], description="each bucket that a rule matches"),
        errors=(Unavailable,),
    ),
    Route(
        method="POST", path="/api/1/retention/apply", handler=apply_retention, tag="space", scope="full",
        audience="all buckets", is_destructive=True, summary="Apply the retention rules now",
        answer=Answer(type=list[DownsampledBucket], description="each bucket that a rule matches"),
        errors=(Unavailable,),
    ),
)  # fmt: skip
