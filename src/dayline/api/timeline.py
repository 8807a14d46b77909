"""`/api/1/timeline`: what happened when, in lanes of at most one piece a pixel."""

from typing import Final

from dayline.api.call import Call
from dayline.api.common_parameters import several
from dayline.api.insight import answer_tagged, common_request, run_task
from dayline.insight.timeline_request import MOST_PX, USUAL_PX, TimelineRequest
from dayline.model.errors import Malformed
from dayline.model.timestamps import shorten

_LONGEST_COLOR: Final = 100


async def get_timeline(call: Call) -> None:
    """Merged on the server to at most `px` pieces a lane, so that a year draws as fast as an hour.

    Where a lane has no more events than that, its pieces are the events themselves, with their ids. Times are in
    microseconds, from the start of the range on; what `key` and `cat` mean is in `keys` and `categories`.
    """
    px = call.number("px") or USUAL_PX
    if px > MOST_PX:
        raise Malformed(f"px: {px} is more than {MOST_PX}", hint="ask for a part of the range", field="px")
    lanes = several(call, "lanes")
    asked = TimelineRequest(
        common=await common_request(call),
        px=px,
        lanes="device" if lanes == ["device"] else "bucket",
        buckets=tuple(lanes) if lanes not in (["device"], ["bucket"]) else (),
        color=_color(call),
    )
    answer_tagged(call, await run_task(call, "timeline", asked))


def _color(call: Call) -> str | None:
    text = call.request.get_param("color")
    if text is not None and len(text) > _LONGEST_COLOR:
        raise Malformed(
            f"color: {shorten(text)!r} is longer than a field's name may be", hint="such as app", field="color"
        )
    return text or None
