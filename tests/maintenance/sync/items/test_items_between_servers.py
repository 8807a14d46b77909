"""Two servers share their settings: through the API, and after SIGKILL at any time."""

import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path
from typing import Any

import pytest

from tests.support.server import RunningServer

RULE = {"field": "title", "pattern": "(?i)bank", "action": "drop"}
LAPTOP = "aw-watcher-window_laptop"


def server_in(folder: Path) -> RunningServer:
    folder.mkdir(exist_ok=True)
    return RunningServer(folder / "dayline.db")


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[RunningServer, RunningServer]]:
    """Two servers in one space."""
    space = {"location": str(tmp_path / "space")}
    with server_in(tmp_path / "laptop") as laptop, server_in(tmp_path / "desktop") as desktop:
        invite = laptop.post("/api/1/sync/start", space).json["invite"]
        assert desktop.post("/api/1/sync/join", {**space, "invite": invite}).status == 200
        yield laptop, desktop


def sync(*servers: RunningServer) -> None:
    for server in servers * 2:
        report = server.post("/api/1/sync/run").json
        assert report["problem"] is None, report


def run_without_answer(server: RunningServer) -> None:
    """Start a pass of a server that is killed during it."""
    with suppress(OSError, HTTPException):
        server.post("/api/1/sync/run")


def titles(server: RunningServer) -> list[str]:
    return [event["data"]["title"] for event in server.get(f"/api/0/buckets/{LAPTOP}/events").json]


def test_a_privacy_rule_of_another_device_is_in_force_at_once(pair: tuple[RunningServer, RunningServer]) -> None:
    laptop, desktop = pair
    assert laptop.call("PUT", "/api/1/privacy/rules", [RULE]).status == 200
    sync(laptop, desktop)

    desktop.create(LAPTOP)
    for title in ("My bank", "Mail"):
        event = {"timestamp": "2026-03-18T08:00:00Z", "duration": 5, "data": {"title": title}}
        desktop.post(f"/api/0/buckets/{LAPTOP}/events", event)
    assert titles(desktop) == ["Mail"]


def test_the_history_names_the_device_and_a_restore_travels(pair: tuple[RunningServer, RunningServer]) -> None:
    laptop, desktop = pair
    name = laptop.get("/api/1/sync").json["device"]["name"]
    desktop.call("PATCH", "/api/1/settings", {"day_start": "06:00"})
    time.sleep(0.002)  # not in the same millisecond
    laptop.call("PATCH", "/api/1/settings", {"day_start": "05:00"})
    sync(laptop, desktop)

    changes: list[dict[str, Any]] = desktop.get("/api/1/settings/history?key=day_start").json["changes"]
    assert [(each["value"], each["device"]) for each in changes] == [("05:00", name), ("06:00", None)]
    restored = desktop.post(f"/api/1/settings/history/{changes[1]['number']}/restore")
    assert restored.status == 200
    sync(desktop, laptop)
    assert laptop.get("/api/1/settings").json["day_start"] == "06:00"


def test_categories_and_their_versions_travel(pair: tuple[RunningServer, RunningServer]) -> None:
    laptop, desktop = pair
    name = laptop.get("/api/1/sync").json["device"]["name"]
    categories = {"categories": [{"name": ["Work"], "priority": 3}, {"name": ["Play"]}]}
    assert laptop.call("PUT", "/api/1/categories", categories).status == 200
    sync(laptop, desktop)

    found = desktop.get("/api/1/categories").json["categories"]
    assert [(each["name"], each["priority"]) for each in found] == [
        (each["name"], each["priority"]) for each in laptop.get("/api/1/categories").json["categories"]
    ]
    assert desktop.get("/api/1/categories/versions").json["versions"][0]["author"] == name


@pytest.mark.parametrize("delay_s", [0.0, 0.01, 0.03, 0.06, 0.1])
def test_a_server_that_is_killed_while_it_applies_ends_with_the_same(tmp_path: Path, delay_s: float) -> None:
    space = {"location": str(tmp_path / "space")}
    with server_in(tmp_path / "laptop") as laptop, server_in(tmp_path / "desktop") as desktop:
        invite = laptop.post("/api/1/sync/start", space).json["invite"]
        for number in range(60):
            span = {"start": "2026-02-03T09:00:00Z", "end": "2026-02-03T09:15:00Z"}
            laptop.post("/api/1/annotations", {"kind": "label", "label": str(number), **span})
        laptop.call("PATCH", "/api/1/settings", {"day_start": "05:00", "theme": "dark"})
        sync(laptop)
        assert desktop.post("/api/1/sync/join", {**space, "invite": invite}).status == 200
        annotations = laptop.get("/api/1/annotations?limit=100").json["annotations"]
        for each in annotations[::2]:
            laptop.call("DELETE", f"/api/1/annotations/{each['id']}")
        for each in annotations[1::2]:
            laptop.call("PATCH", f"/api/1/annotations/{each['id']}", {"label": f"{each['label']} again"})
        sync(laptop)

        running = threading.Thread(target=run_without_answer, args=(desktop,))
        running.start()
        time.sleep(delay_s)
        desktop.kill()
        running.join()
        desktop.start()
        sync(desktop, laptop)

        both = [server.get("/api/1/annotations?limit=100").json["annotations"] for server in (laptop, desktop)]
        labels = [sorted(each["label"] for each in annotations) for annotations in both]
        assert labels[0] == labels[1]
        assert len(labels[0]) == 30
