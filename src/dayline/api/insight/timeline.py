"""`/api/1/timeline` and `/api/1/now`: what was active when, and what is active now."""

from typing import Annotated, Final

import msgspec
from msgspec import Meta

from dayline.api.http.call import Call
from dayline.api.http.parameters import COMMON, COMMON_ERRORS, several
from dayline.api.http.route import Answer, Parameter, Route
from dayline.api.insight.task import answer_tagged, common_request, run_task, scope_of
from dayline.insight.now.model import DeviceNow, Front, Health, Layer, NowResponse
from dayline.insight.now.present import PresentDevice, present_devices
from dayline.insight.now.recent import RecordedEvent
from dayline.insight.timeline.model import (
    MAX_PX,
    MAX_SESSIONS_DAYS,
    USUAL_PX,
    USUAL_SESSION_S,
    SessionsRequest,
    SessionsResponse,
    TimelineRequest,
    TimelineResponse,
)
from dayline.model.category import Path
from dayline.model.edits.shown_text import shown_fields
from dayline.model.errors import Malformed, NotFound
from dayline.model.time import DAY, format_timestamp, optional_timestamp
from dayline.runtime.threads import in_thread

_MAX_COLOR_CHARACTERS: Final = 100


async def get_timeline(call: Call) -> None:
    """Merged on the server to at most `px` segments per lane, so that a year draws as fast as an hour.

    If a lane has no more events than that, its segments are the events themselves, with their ids. Times are in
    microseconds from the start of the range; `key` and `cat` are indexes into `keys` and `categories`.
    """
    px = call.number("px") or USUAL_PX
    if px > MAX_PX:
        raise Malformed(f"px must be at most {MAX_PX} (got {px})", hint="request a part of the range", field="px")
    lanes = several(call, "lanes")
    asked = TimelineRequest(
        common=await common_request(call),
        px=px,
        lanes="device" if lanes == ["device"] else "bucket",
        buckets=tuple(lanes) if lanes not in (["device"], ["bucket"]) else (),
        color=_color(call),
    )
    answer_tagged(call, await run_task(call, "timeline", asked))


async def get_sessions(call: Call) -> None:
    """Active time of all devices together, grouped so that a day has about twenty entries.

    A session is time in one category, or in one app if no rule matches it. Interruptions of less than two minutes
    are part of it.
    """
    min_s = call.number("min_s")
    common = await common_request(call)
    if common.end - common.start > MAX_SESSIONS_DAYS * DAY:
        raise Malformed(
            f"the range is longer than {MAX_SESSIONS_DAYS} days", hint="request a shorter range", field="start"
        )
    asked = SessionsRequest(common=common, min_s=USUAL_SESSION_S if min_s is None else min_s)
    answer_tagged(call, await run_task(call, "sessions", asked))


def _color(call: Call) -> str | None:
    text = call.request.get_param("color")
    if text is not None and len(text) > _MAX_COLOR_CHARACTERS:
        raise Malformed(
            f"color has {len(text)} characters; the limit is {_MAX_COLOR_CHARACTERS}",
            hint="use a field such as app",
            field="color",
        )
    return text or None


# `/api/1/now`: the activity of each device.


async def get_now(call: Call) -> None:
    """The current activity of each device, or the last one if the device is not recording: see `is_recording`.

    The response does not wait for a category that takes long to compute: it is null then, and `is_settled` is false.
    """
    call.answer_json(msgspec.json.encode(await now_of(call)))


async def now_of(call: Call) -> NowResponse:
    """The response of `/api/1/now` for the caller."""
    scope = await scope_of(call)
    buckets, names = list(call.store.buckets().values()), call.caller.buckets.names
    devices = await in_thread(present_devices, call.store, buckets, now=scope.now)
    states = await in_thread(call.tenant.watchers.devices, call.store, buckets, names, now=scope.now)
    fronts = [_front(device) for device in devices]
    categories = await call.tenant.categories.find(scope.categories, fronts)
    return NowResponse(
        now=format_timestamp(scope.now),
        is_settled=all(front is None or path is not None for front, path in zip(fronts, categories, strict=True)),
        devices=[
            _view(device, states[device.device].health, path) for device, path in zip(devices, categories, strict=True)
        ],
    )


def _front(device: PresentDevice) -> Front | None:
    if device.window is None:
        return None
    layers: dict[Layer, RecordedEvent | None] = {"window": device.window, "tab": device.tab, "file": device.file}
    return {layer: recorded.data for layer, recorded in layers.items() if recorded is not None}


def _view(device: PresentDevice, health: Health, category: Path | None) -> DeviceNow:
    window, tab = device.window, device.tab
    shown, truncated = shown_fields(
        {
            "app": None if window is None else window.text("app"),
            "title": None if window is None else window.text("title"),
            "url": None if tab is None else tab.text("url"),
        }
    )
    return DeviceNow(
        device=device.device,
        app=shown["app"],
        title=shown["title"],
        url=shown["url"],
        truncated=truncated,
        category=category,
        since=optional_timestamp(device.since),
        away=device.away_since is not None,
        away_since=optional_timestamp(device.away_since),
        last_seen=optional_timestamp(device.last_seen),
        is_recording=device.is_recording,
        health=health,
    )


CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/1/now", handler=get_now, tag="summaries", scope="read",
        summary="Show the current activity of each device",
        answer=Answer(type=NowResponse, description="the devices, the most recently active first"),
    ),
    Route(
        method="GET", path="/api/1/timeline", handler=get_timeline, tag="summaries", scope="read",
        is_tagged=True, summary="Get a timeline in lanes",
        parameters=(
            *COMMON,
            Parameter(
                name="px",
                type=Annotated[int, Meta(ge=1, le=MAX_PX)],
                description=f"width of a lane in pixels, and so its max number of segments; default: {USUAL_PX}",
            ),
            Parameter(
                name="lanes",
                type=list[str],
                description="`bucket` (the default): one lane per bucket; `device`: the active time of each device; "
                "else the id of a bucket, which may be repeated",
            ),
            Parameter(
                name="color",
                type=Annotated[str, Meta(max_length=100, examples=["category"])],
                description="the field that segments show: `category`, `domain` or any field of the data; default: "
                "depends on the type of the bucket",
            ),
        ),
        answer=Answer(type=TimelineResponse, description="the lanes, grouped by device"),
        errors=(NotFound, *COMMON_ERRORS),
    ),
    Route(
        method="GET", path="/api/1/timeline/sessions", handler=get_sessions, tag="summaries", scope="read",
        is_tagged=True, summary="List the sessions of a range",
        parameters=(
            *COMMON,
            Parameter(
                name="min_s",
                type=Annotated[int, Meta(ge=1, le=86_400)],
                description=f"leave out sessions shorter than this many seconds; {USUAL_SESSION_S} by default",
            ),
        ),
        answer=Answer(type=SessionsResponse, description="the sessions by start"),
        errors=(NotFound, *COMMON_ERRORS),
    ),
)  # fmt: skip
