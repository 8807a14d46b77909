"""Times, the two paths of a heartbeat, and a day that a computer has recorded, sent as watchers would."""

from typing import Final

import pytest

from tests.support.server import RunningServer


def at(time: str, *, date: str = "2026-01-01") -> str:
    """`10:00:13.501` as the server writes it: 2026-01-01T10:00:13.501Z."""
    return f"{date}T{time}Z"


CONTENT_TYPES: Final = {"fast": "application/json", "ordinary": "application/json; charset=utf-8"}

each_path = pytest.mark.parametrize("content_type", CONTENT_TYPES.values(), ids=CONTENT_TYPES.keys())


WINDOW = "aw-watcher-window_laptop"
AFK = "aw-watcher-afk_laptop"


def record(server: RunningServer, *spans: tuple[str, str, str]) -> None:
    """Windows in front: each from one time to another (RFC 3339, UTC), with the name of the app."""
    server.create(WINDOW, type="currentwindow", hostname="laptop")
    server.create(AFK, type="afkstatus", hostname="laptop")
    windows = [event(start, end, app=app, title=f"{app} at work") for start, end, app in spans]
    presence = [event(start, end, status="not-afk") for start, end, _ in spans]
    for bucket, events in ((WINDOW, windows), (AFK, presence)):
        answer = server.post(f"/api/0/buckets/{bucket}/events", events)
        assert answer.status == 200, answer.body


def event(start: str, end: str, **data: str) -> dict[str, object]:
    """An event from one time to another of one day."""
    return {"timestamp": start, "duration": _seconds(end) - _seconds(start), "data": data}


def _seconds(text: str) -> int:
    hour, minute = text[11:16].split(":")
    return int(hour) * 3600 + int(minute) * 60
