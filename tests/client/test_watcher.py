"""`Watcher`: heartbeats return at once, are merged and stored, and reach the server once whatever is killed."""

import os
import signal
import socket
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest

import dayline.client
from dayline.client import Watcher
from dayline.model.errors import Invalid, StoreLocked
from tests.client.queue.queueing import left_in
from tests.client.times import moment
from tests.support.server import RunningServer, free_port
from tests.support.waiting import eventually

BUCKET: Final = "test-watcher_laptop"


def watcher_of(url: str, folder: Path, **options: Any) -> Watcher:
    return Watcher(
        "test-watcher",
        type="test.type",
        pulsetime_s=5,
        url=url,
        hostname="laptop",
        queue_file=folder / "q.db",
        **options,
    )


def events_of(server: RunningServer) -> list[tuple[str, float, str]]:
    """Timestamp, duration and app of all events, oldest first; none before the bucket is created."""
    answer = server.get(f"/api/0/buckets/{BUCKET}/events")
    if answer.status == 404:
        return []
    return [(event["timestamp"], event["duration"], event["data"]["app"]) for event in reversed(answer.json)]


def stamp(second: float) -> str:
    return moment(second).isoformat().replace("+00:00", "Z")


def test_the_package_exports_what_programs_use() -> None:
    assert [getattr(dayline.client, name).__name__ for name in dayline.client.__all__] == dayline.client.__all__
    with pytest.raises(AttributeError):
        _ = dayline.client.Nothing


def test_heartbeats_are_merged_into_events_of_a_bucket_that_the_watcher_creates(
    server: RunningServer, tmp_path: Path
) -> None:
    with watcher_of(server.url, tmp_path) as watcher:
        for second in range(10):
            watcher.heartbeat({"app": "editor"}, timestamp=moment(second))
        watcher.heartbeat({"app": "browser"}, timestamp=moment(10), duration=timedelta(seconds=2))
        watcher.heartbeat({"app": "browser"}, timestamp=moment(60))
        eventually(lambda: len(events_of(server)) == 3)

    assert events_of(server) == [
        (stamp(0), 9.0, "editor"),
        (stamp(10), 2.0, "browser"),
        (stamp(60), 0.0, "browser"),
    ]
    bucket = server.get(f"/api/0/buckets/{BUCKET}").json
    assert (bucket["type"], bucket["client"], bucket["hostname"]) == ("test.type", "test-watcher", "laptop")


def test_closing_sends_what_is_left(server: RunningServer, tmp_path: Path) -> None:
    with watcher_of(server.url, tmp_path) as watcher:
        watcher.heartbeat({"app": "editor"}, timestamp=moment(0))
        watcher.heartbeat({"app": "editor"}, timestamp=moment(4))
        watcher.close(timeout_s=300)

    assert events_of(server) == [(stamp(0), 4.0, "editor")]


def test_heartbeats_do_not_wait_for_a_server_that_never_answers(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        watcher = watcher_of(f"http://127.0.0.1:{listener.getsockname()[1]}", tmp_path, timeout_s=3600)
        for second in range(1000):
            watcher.heartbeat({"app": f"app {second % 2}"}, timestamp=moment(second))
        watcher.close(timeout_s=0)

    calls = left_in(tmp_path / "q.db")
    assert [call.kind for call in calls] == ["create", *["heartbeat"] * 1000]


def test_heartbeats_without_a_server_are_sent_by_the_next_watcher(server: RunningServer, tmp_path: Path) -> None:
    server.stop()
    with watcher_of(server.url, tmp_path) as watcher:
        for second in range(100):
            watcher.heartbeat({"app": "editor"}, timestamp=moment(second))

    server.start()
    with watcher_of(server.url, tmp_path) as watcher:
        eventually(lambda: watcher.waiting == 0)

    assert events_of(server) == [(stamp(0), 99.0, "editor")]


def test_a_server_that_is_killed_gets_every_event_once(server: RunningServer, tmp_path: Path) -> None:
    with watcher_of(server.url, tmp_path) as watcher:
        for second in range(0, 60, 2):
            if second in (20, 40):
                server.kill()
            watcher.heartbeat({"app": f"app {second}"}, timestamp=moment(second), duration=timedelta(seconds=2))
            if second in (30, 50):
                server.start()
        eventually(lambda: watcher.waiting == 0)

    assert events_of(server) == [(stamp(second), 2.0, f"app {second}") for second in range(0, 60, 2)]


KILLED = """
import os, signal, sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from dayline.client import Watcher

watcher = Watcher("test-watcher", type="test.type", pulsetime_s=5, url=sys.argv[1], hostname="laptop",
                  queue_file=Path(sys.argv[2]))
for second in range(50):
    start = datetime(2026, 1, 1, 10, tzinfo=UTC) + timedelta(seconds=second)
    watcher.heartbeat({"app": f"app {second}"}, timestamp=start, duration=timedelta(seconds=1))
while watcher.waiting < 51 and sys.argv[3] == "stored":
    pass
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("has_server", [True, False])
def test_a_watcher_that_is_killed_has_lost_nothing_that_was_stored(
    server: RunningServer, tmp_path: Path, has_server: bool
) -> None:
    if not has_server:
        server.stop()
    arguments = [server.url, str(tmp_path / "q.db"), "sending" if has_server else "stored"]
    killed = subprocess.run([sys.executable, "-c", KILLED, *arguments], env=os.environ, check=False)
    assert killed.returncode == -signal.SIGKILL
    if not has_server:
        server.start()

    with watcher_of(server.url, tmp_path) as watcher:
        watcher.heartbeat({"app": "next"}, timestamp=moment(100))
        eventually(lambda: watcher.waiting == 0 and bool(events_of(server)) and events_of(server)[-1][2] == "next")

    recorded = events_of(server)[:-1]
    expected = [(stamp(second), 1.0, f"app {second}") for second in range(50)]
    # With a server it may be killed before the last ones are stored, and never in between.
    assert recorded == (expected[: len(recorded)] if has_server else expected)


def test_a_second_watcher_of_the_same_name_is_rejected(tmp_path: Path) -> None:
    url = f"http://127.0.0.1:{free_port()}"
    with (
        watcher_of(url, tmp_path),
        pytest.raises(StoreLocked, match=f"a watcher for the bucket {BUCKET} is running already"),
    ):
        watcher_of(url, tmp_path)


def test_while_it_is_paused_nothing_is_sent_and_everything_stored(server: RunningServer, tmp_path: Path) -> None:
    with watcher_of(server.url, tmp_path, is_paused=True) as watcher:
        watcher.heartbeat({"app": "secret"}, timestamp=moment(0))
        eventually(lambda: watcher.waiting == 2)
        watcher.discard()
        watcher.heartbeat({"app": "editor"}, timestamp=moment(10))
        eventually(lambda: watcher.waiting == 2)
        assert server.get("/api/0/buckets/").json == {}

        watcher.resume()
        eventually(lambda: watcher.waiting == 0)

    assert events_of(server) == [(stamp(10), 0.0, "editor")]


@pytest.mark.parametrize("data", [{"app": object()}, {"app": "\ud800"}, {"app": float}])
def test_data_that_json_cannot_hold_is_rejected(tmp_path: Path, data: dict[str, Any]) -> None:
    with watcher_of(f"http://127.0.0.1:{free_port()}", tmp_path) as watcher, pytest.raises(Invalid, match="JSON"):
        watcher.heartbeat(data)


def test_a_time_without_a_zone_is_rejected(tmp_path: Path) -> None:
    with watcher_of(f"http://127.0.0.1:{free_port()}", tmp_path) as watcher, pytest.raises(Invalid, match="time zone"):
        watcher.heartbeat({}, timestamp=datetime(2026, 1, 1))  # noqa: DTZ001


def test_a_closed_watcher_takes_no_heartbeats(tmp_path: Path) -> None:
    watcher = watcher_of(f"http://127.0.0.1:{free_port()}", tmp_path)
    watcher.close()
    watcher.close()

    with pytest.raises(Invalid, match="closed"):
        watcher.heartbeat({})
