"""What existing clients send: heartbeats of a day that a computer has recorded, and queries."""

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

import pytest

from tests.support.server import Answer, RunningServer


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


DAY: Final = f"{at('00:00:00')}/{at('00:00:00', date='2026-01-02')}"
RUNAWAY: Final = "(a+)+$"
LONG_TITLE: Final = (
    "a" * 60 + "b\n"
)  # the newline makes it a text for Python's own matcher, which never comes to an end


def query(
    server: RunningServer, *lines: str, periods: Sequence[str] = (DAY,), slash: str = "/", **parameters: str
) -> Answer:
    """Ask as the clients in use do."""
    path = f"/api/0/query{slash}" + (f"?{urlencode(parameters)}" if parameters else "")
    return server.post(path, {"timeperiods": list(periods), "query": list(lines)})


def results(server: RunningServer, *lines: str, periods: Sequence[str] = (DAY,), **parameters: str) -> list[Any]:
    """What a query that succeeds gives for each period."""
    answer = query(server, *lines, periods=periods, **parameters)
    assert answer.status == 200, answer.body
    found: list[Any] = answer.json
    return found


def query_1(server: RunningServer, text: str | list[str], kind: str = "", **more: object) -> Answer:
    """Ask the newer interface: `kind` is what stands after `/query` in the path."""
    return server.post(f"/api/1/query{kind}", {"query": text, "timeperiods": [DAY], **more})


def configured(folder: Path, **settings: float) -> list[str]:
    """Flags of a server with these settings of its queries."""
    config = folder / "config.toml"
    config.write_text("[query]\n" + "".join(f"{key} = {value}\n" for key, value in settings.items()))
    return ["--config", str(config)]


def query_processes(server: RunningServer) -> set[int]:
    """The query processes of a server, by their ids."""
    found: set[int] = set()
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
            command = (folder / "cmdline").read_bytes()
            if int(parent) == server.pid and state != "Z" and b"query_process" in command:
                found.add(int(folder.name))
    return found
