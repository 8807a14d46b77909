"""`/api/1/summary` and `/api/1/series`: how much time was spent on what."""

from dayline.api.call import Call
from dayline.api.common_parameters import choice
from dayline.api.insight import answer_tagged, compared_request, run_task
from dayline.insight.common_request import FIELDS, Field
from dayline.insight.edges import BIN_NAMES
from dayline.insight.summary_request import (
    DEFAULT_LIMIT,
    DEFAULT_TOP,
    MOST_KEYS,
    SeriesRequest,
    SummaryRequest,
)
from dayline.model.errors import Malformed
from dayline.model.timestamps import shorten


async def get_summary(call: Call) -> None:
    """Totals of a range, and for each field of `by` the keys with the most time.

    Where somebody used two devices at once, the time counts once, for the device whose window came to the front
    last; only `by=device` counts it for both, and `overlap` tells how much that is.
    """
    common, comparison = await compared_request(call)
    request = SummaryRequest(
        common=common,
        by=_fields(call),
        limit=min(call.number("limit") or DEFAULT_LIMIT, MOST_KEYS),
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
        top=min(call.number("top") or DEFAULT_TOP, MOST_KEYS),
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
