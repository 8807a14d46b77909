"""A day that a computer has recorded, sent to a real server as watchers would."""

from tests.support.server import RunningServer

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
