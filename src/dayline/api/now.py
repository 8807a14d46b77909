"""`/api/1/now`: what is in front of each device."""

import msgspec

from dayline.api.call import Call, in_thread
from dayline.api.insight import scope_of
from dayline.insight.bucket_health import Health
from dayline.insight.bucket_kinds import Layer
from dayline.insight.now_answer import DeviceNow, NowAnswer
from dayline.insight.now_request import Front
from dayline.insight.present import Present, present
from dayline.insight.recent_events import Recorded
from dayline.model.categories import Path
from dayline.model.timestamps import Microseconds, Timestamp, format_timestamp


async def get_now(call: Call) -> None:
    """What was recorded last where a device is not recording: `is_recording` and `last_seen` tell.

    The answer does not wait for a category that takes its time to find: it is null then, and `is_settled` false.
    """
    call.answer_json(msgspec.json.encode(await now_of(call)))


async def now_of(call: Call) -> NowAnswer:
    """The answer, for whoever has made a call."""
    scope = await scope_of(call)
    buckets, names = list(call.store.buckets().values()), call.caller.buckets.names
    devices = await in_thread(present, call.store, buckets, now=scope.now)
    states = await in_thread(call.services.watchers.devices, call.store, buckets, names, now=scope.now)
    fronts = [_front(device) for device in devices]
    categories = await call.services.categories.find(scope.categories, fronts)
    return NowAnswer(
        now=format_timestamp(scope.now),
        is_settled=all(front is None or path is not None for front, path in zip(fronts, categories, strict=True)),
        devices=[
            _view(device, states[device.device].health, path) for device, path in zip(devices, categories, strict=True)
        ],
    )


def _front(device: Present) -> Front | None:
    if device.window is None:
        return None
    layers: dict[Layer, Recorded | None] = {"window": device.window, "tab": device.tab, "file": device.file}
    return {layer: recorded.data for layer, recorded in layers.items() if recorded is not None}


def _view(device: Present, health: Health, category: Path | None) -> DeviceNow:
    window, tab = device.window, device.tab
    return DeviceNow(
        device=device.device,
        app=None if window is None else window.text("app"),
        title=None if window is None else window.text("title"),
        url=None if tab is None else tab.text("url"),
        category=category,
        since=_time(device.since),
        away=device.away_since is not None,
        away_since=_time(device.away_since),
        last_seen=_time(device.last_seen),
        is_recording=device.is_recording,
        health=health,
    )


def _time(moment: Microseconds | None) -> Timestamp | None:
    return None if moment is None else format_timestamp(moment)
