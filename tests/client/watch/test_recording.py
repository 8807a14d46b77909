"""The watch process with a real server and a desktop that the test controls."""

import threading
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from dayline.client.client import Client
from dayline.client.types import ClientEvent
from dayline.client.watch.process import Report, WatchConfig
from dayline.client.watch.run import Recording
from dayline.model.time import parse_timestamp
from tests.client.watch.fake_desktop import FakeDesktop
from tests.support.server import RunningServer
from tests.support.waiting import eventually

WINDOW: Final = "aw-watcher-window_laptop"
PRESENCE: Final = "aw-watcher-afk_laptop"


@contextmanager
def recording(
    url: str, folder: Path, desktop: FakeDesktop, *, away_after_s: float = 180, records_titles: bool = True
) -> Generator[list[Report]]:
    """Record the desktop during the block; yields what is reported."""
    reports: list[Report] = []
    config = WatchConfig(
        url=url, hostname="laptop", folder=str(folder), away_after_s=away_after_s, records_titles=records_titles
    )
    process = Recording(config, "x11", desktop, reports.append)
    thread = threading.Thread(target=process.run)
    thread.start()
    try:
        yield reports
    finally:
        process.stop()
        thread.join()
        desktop.close()


def events(server: RunningServer, bucket_id: str) -> list[dict[str, Any]]:
    """All events, oldest first; none before the bucket is created."""
    answer = server.get(f"/api/0/buckets/{bucket_id}/events")
    return list(reversed(answer.json)) if answer.status == 200 else []


def apps(server: RunningServer) -> list[str]:
    return [event["data"]["app"] for event in events(server, WINDOW)]


def stored(folder: Path) -> bytes:
    """Everything in the files of the watcher."""
    return b"".join(file.read_bytes() for file in folder.iterdir())


def test_the_buckets_are_those_of_activitywatchs_watchers(server: RunningServer, tmp_path: Path) -> None:
    desktop = FakeDesktop()
    desktop.show("editor", "report.md")
    with recording(server.url, tmp_path / "q", desktop):
        eventually(lambda: bool(events(server, WINDOW)) and bool(events(server, PRESENCE)))

    buckets = server.get("/api/0/buckets/").json
    assert {each: (buckets[each]["type"], buckets[each]["client"], buckets[each]["hostname"]) for each in buckets} == {
        WINDOW: ("currentwindow", "aw-watcher-window", "laptop"),
        PRESENCE: ("afkstatus", "aw-watcher-afk", "laptop"),
    }
    assert events(server, WINDOW)[0]["data"] == {"app": "editor", "title": "report.md"}
    assert events(server, PRESENCE)[0]["data"] == {"status": "not-afk"}


def test_every_window_is_recorded_without_gap_or_overlap(server: RunningServer, tmp_path: Path) -> None:
    desktop = FakeDesktop()
    desktop.show("app 0")
    with recording(server.url, tmp_path / "q", desktop):
        for number in range(1, 6):
            eventually(lambda expected=f"app {number - 1}": apps(server)[-1:] == [expected])  # type: ignore[misc]
            desktop.show(f"app {number}")
        eventually(lambda: apps(server)[-1:] == ["app 5"])

    recorded = events(server, WINDOW)
    assert [event["data"]["app"] for event in recorded] == [f"app {number}" for number in range(6)]
    starts = [parse_timestamp(event["timestamp"]) for event in recorded]
    ends = [start + round(event["duration"] * 1_000_000) for start, event in zip(starts, recorded, strict=True)]
    assert ends[:-1] == starts[1:]


def test_a_title_that_changes_all_the_time_is_recorded_once_a_second(server: RunningServer, tmp_path: Path) -> None:
    desktop = FakeDesktop()
    desktop.show("player", "0:00")
    with recording(server.url, tmp_path / "q", desktop):
        eventually(lambda: apps(server) == ["player"])
        for number in range(1000):
            desktop.show("player", f"0:{number}")
        eventually(lambda: events(server, WINDOW)[-1]["data"]["title"] == "0:999")

    assert all(event["duration"] >= 1 for event in events(server, WINDOW)[1:-1])


def test_without_titles_only_programs_are_recorded(server: RunningServer, tmp_path: Path) -> None:
    desktop = FakeDesktop()
    desktop.show("editor", "secret")
    with recording(server.url, tmp_path / "q", desktop, records_titles=False):
        eventually(lambda: apps(server) == ["editor"])

    assert events(server, WINDOW)[0]["data"] == {"app": "editor", "title": ""}


def test_a_private_window_of_a_browser_is_neither_sent_nor_stored(server: RunningServer, tmp_path: Path) -> None:
    desktop = FakeDesktop()
    desktop.show("Google-chrome", "secret - Google Chrome (Incognito)")
    with recording(server.url, tmp_path / "q", desktop):
        eventually(lambda: apps(server) == ["Google-chrome"])
        assert b"secret" not in stored(tmp_path / "q")

    assert events(server, WINDOW)[0]["data"]["title"] == "Private window"


def set_rule(server: RunningServer) -> None:
    rule = {"field": "title", "pattern": "secret", "action": "redact", "replacement": "REDACTED"}
    assert server.call("PUT", "/api/1/privacy/rules", [rule]).status == 200


def test_privacy_rules_apply_before_anything_is_stored_also_without_a_server(
    server: RunningServer, tmp_path: Path
) -> None:
    set_rule(server)
    desktop = FakeDesktop()
    desktop.show("editor", "first secret")
    with recording(server.url, tmp_path / "q", desktop):
        eventually(lambda: apps(server) == ["editor"])
    server.stop()

    desktop = FakeDesktop()
    desktop.show("browser", "second secret")
    with recording(server.url, tmp_path / "q", desktop):
        eventually(lambda: b"REDACTED" in stored(tmp_path / "q"))
        assert b"second secret" not in stored(tmp_path / "q")


def test_nothing_is_stored_before_the_privacy_rules_are_known(server: RunningServer, tmp_path: Path) -> None:
    set_rule(server)
    server.stop()
    desktop = FakeDesktop()
    desktop.show("editor", "a secret")
    with recording(server.url, tmp_path / "q", desktop) as reports:
        eventually(lambda: bool(reports))
        desktop.show("browser", "another secret")
        server.start()
        eventually(lambda: "browser" in apps(server))
        assert b"another secret" not in stored(tmp_path / "q")

    assert {event["data"]["title"] for event in events(server, WINDOW)} == {"REDACTED"}


def test_another_watcher_is_left_alone(server: RunningServer, tmp_path: Path) -> None:
    is_over = threading.Event()

    def record() -> None:
        with Client(server.url) as client:
            client.create_bucket(WINDOW, type="currentwindow", client="aw-watcher-window", hostname="laptop")
            while not is_over.wait(0.2):
                event = ClientEvent(timestamp=datetime.now(UTC), data={"app": "theirs", "title": ""})
                client.heartbeat(WINDOW, event, pulsetime=300)

    other = threading.Thread(target=record)
    other.start()
    try:
        eventually(lambda: apps(server) == ["theirs"])
        desktop = FakeDesktop()
        desktop.show("ours")
        with recording(server.url, tmp_path / "q", desktop) as reports:
            eventually(lambda: any(report.bucket == WINDOW for report in reports))
            desktop.show("ours too")
            eventually(lambda: any(report.bucket == PRESENCE for report in reports))
    finally:
        is_over.set()
        other.join()

    assert apps(server) == ["theirs"]
    assert [(report.state, report.message) for report in reports if report.bucket == WINDOW] == [
        ("quiet", f"another watcher is recording into {WINDOW}: Dayline does not")
    ]


def test_a_server_that_is_killed_misses_nothing(server: RunningServer, tmp_path: Path) -> None:
    desktop = FakeDesktop()
    desktop.show("before")
    with recording(server.url, tmp_path / "q", desktop):
        eventually(lambda: apps(server) == ["before"])
        server.kill()
        desktop.show("while it was away")
        eventually(lambda: b"while it was away" in stored(tmp_path / "q"))
        desktop.show("after")
        server.start()
        eventually(lambda: apps(server) == ["before", "while it was away", "after"])


def test_on_a_desktop_that_does_not_know_about_input_only_windows_are_recorded(
    server: RunningServer, tmp_path: Path
) -> None:
    desktop = FakeDesktop(has_idle_time=False)
    desktop.show("editor")
    with recording(server.url, tmp_path / "q", desktop):
        eventually(lambda: apps(server) == ["editor"])

    assert list(server.get("/api/0/buckets/").json) == [WINDOW]
