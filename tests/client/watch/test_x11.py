"""`dayline serve` with `[watch]` records a real X11 session: what it records is what was done there."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from dayline.model.time import SECOND
from tests.client.watch.recorded_server import (
    TOLERANCE,
    RecordedServer,
    assert_no_overlap,
    events,
    newest,
    now,
    wait_for_window,
)
from tests.client.watch.x11_session import X11Session, missing_programs, x11_session
from tests.support.waiting import eventually

# Long: an X server and a window manager that are installed by the system may be slow on a busy machine.
pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(
        bool(missing_programs()), reason=f"no X11 session can be started: {', '.join(missing_programs())} not installed"
    ),
]


@pytest.fixture
def session(tmp_path: Path) -> Iterator[X11Session]:
    (tmp_path / "session").mkdir()
    with x11_session(tmp_path / "session") as made:
        yield made


@pytest.fixture
def recorded(tmp_path: Path, session: X11Session) -> Iterator[RecordedServer]:
    session.open_terminal("Alpha", "first")
    session.open_terminal("Beta", "second")
    with RecordedServer(tmp_path, {"DISPLAY": session.name}) as server:
        yield server


def test_windows_and_titles_are_recorded_when_they_change(recorded: RecordedServer, session: X11Session) -> None:
    wait_for_window(recorded, "Beta", "second")
    changes: list[tuple[int, int]] = []  # before and after

    def change(app: str, title: str) -> None:
        before = now()
        session.activate(app) if newest(recorded, "window")["app"] != app else session.set_title(app, title)
        wait_for_window(recorded, app, title)
        changes.append((before, now()))

    change("Alpha", "first")
    change("Alpha", "été 日本")
    change("Beta", "second")

    found = events(recorded, "window")
    assert [(data["app"], data["title"]) for _, _, data in found] == [
        ("Beta", "second"),
        ("Alpha", "first"),
        ("Alpha", "été 日本"),
        ("Beta", "second"),
    ]
    assert [end for _, end, _ in found[:-1]] == [start for start, _, _ in found[1:]]
    for (start, _, _), (before, after) in zip(found[1:], changes, strict=True):
        assert before <= start <= after


def test_away_is_recorded_from_the_last_input_to_the_next(recorded: RecordedServer, session: X11Session) -> None:
    eventually(lambda: newest(recorded, "afk") == {"status": "afk"})
    before = now()
    session.press_key()
    after = now()
    eventually(lambda: newest(recorded, "afk") == {"status": "not-afk"})
    eventually(lambda: newest(recorded, "afk") == {"status": "afk"})

    *_, (_, first_end, _), (back, _, _), (away, _, _) = events(recorded, "afk")
    assert before - TOLERANCE <= back <= after + TOLERANCE
    assert before - TOLERANCE <= away <= after + TOLERANCE
    assert 0 <= back - first_end <= SECOND // 1000


def test_a_watcher_that_is_killed_is_started_again(recorded: RecordedServer, session: X11Session) -> None:
    wait_for_window(recorded, "Beta", "second")
    killed = recorded.watch_process
    assert killed is not None
    os.kill(killed, signal.SIGKILL)
    eventually(lambda: recorded.watch_process not in (None, killed))
    session.activate("Alpha")
    wait_for_window(recorded, "Alpha", "first")

    assert_no_overlap(recorded)
    work = {each["name"]: each for each in recorded.get("/api/1/health").json["background"]}
    assert work["recording this computer"]["failures"] == 0


def test_a_server_that_is_killed_ends_its_watcher_and_the_next_one_continues(
    recorded: RecordedServer, session: X11Session
) -> None:
    wait_for_window(recorded, "Beta", "second")
    watcher = recorded.watch_process
    recorded.kill()
    eventually(lambda: not Path(f"/proc/{watcher}").exists())
    recorded.start()
    session.activate("Alpha")
    wait_for_window(recorded, "Alpha", "first")

    assert_no_overlap(recorded)


def test_a_server_that_stops_stops_its_watcher(recorded: RecordedServer) -> None:
    wait_for_window(recorded, "Beta", "second")
    watcher = recorded.watch_process

    assert recorded.stop() == 0
    assert not Path(f"/proc/{watcher}").exists()
