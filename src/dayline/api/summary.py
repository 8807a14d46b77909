"""`/api/1/summary` and `/api/1/series`: how much time was spent on what."""

from typing import get_args

from dayline.api.call import Call
from dayline.api.common_parameters import choice, span_parameters
from dayline.api.insight import answer_tagged, common_request, run_task
from dayline.insight.common_request import FIELDS, Field
from dayline.insight.edges import BIN_NAMES
from dayline.insight.summary_request import (
    DEFAULT_LIMIT,
    DEFAULT_TOP,
    MOST_KEYS,
    CompareWith,
    Comparison,
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
    request = SummaryRequest(
        common=await common_request(call),
        by=_fields(call),
        limit=min(call.number("limit") or DEFAULT_LIMIT, MOST_KEYS),
        compare=_comparison(call),
    )
    answer_tagged(call, await run_task(call, "summary", request))


async def get_series(call: Call) -> None:
    """The seconds of every bin, for the largest keys of `by`, for all others together, and in total.

    Bins begin and end with the days of the time zone, and with the hours that its clocks show: a day on which they are
    set back has 25 of them. What lies across an edge is split there.
    """
    request = SeriesRequest(
        common=await common_request(call),
        bin=choice(call, "bin", BIN_NAMES, "day"),
        by=choice(call, "by", FIELDS, "category"),
        top=min(call.number("top") or DEFAULT_TOP, MOST_KEYS),
        compare=_comparison(call),
    )
    answer_tagged(call, await run_task(call, "series", request))


def _fields(call: Call) -> tuple[Field, ...]:
    """The fields of `by`, with commas between them, each once."""
    texts = (call.request.get_param("by") or "category").split(",")
    unknown = [text for text in texts if text not in FIELDS]
    if unknown:
        raise Malformed(f"by: {shorten(unknown[0])!r} is not one of {', '.join(FIELDS)}", field="by")
    return tuple(field for text in dict.fromkeys(texts) for field in FIELDS if field == text)


def _comparison(call: Call) -> Comparison | None:
    if call.request.get_param("compare") is None:
        return None
    kind: CompareWith = choice(call, "compare", get_args(CompareWith), "previous")
    if kind != "custom":
        return Comparison(kind=kind)
    span = span_parameters(call, "compare_start", "compare_end")
    if span is None:
        raise Malformed(
            "compare_start is missing", hint="compare=custom needs compare_start and compare_end", field="compare_start"
        )
    return Comparison(kind=kind, start=span[0], end=span[1])
