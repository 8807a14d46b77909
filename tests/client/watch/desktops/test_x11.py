"""`dayline serve` with `[watch]` records a real X11 session: what it records is what was done there."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from dayline.model.time import SECOND
from tests.client.watch.desktops.programs import needs
from tests.client.watch.desktops.x11_session import PROGRAMS, X11Session
from tests.client.watch.recorded_server import (
    TOLERANCE,
    Changes,
    RecordedServer,
    assert_no_overlap,
    events,
    newest,
    now,
    stored_titles,
    wait_for_window,
)
from tests.support.waiting import eventually

pytestmark = needs(*PROGRAMS)


@pytest.fixture
def recorded(tmp_path: Path, x11: X11Session) -> Iterator[RecordedServer]:
    x11.open_terminal("Alpha", "first")
    x11.open_terminal("Beta", "second")
    with RecordedServer(tmp_path, {"DISPLAY": x11.name}) as server:
        yield server


def test_windows_and_titles_are_recorded_when_they_change(recorded: RecordedServer, x11: X11Session) -> None:
    changes = Changes(recorded, "Beta", "second")
    changes.make("Alpha", "first", lambda: x11.activate("Alpha"))
    changes.make("Alpha", "été 日本", lambda: x11.set_title("Alpha", "été 日本"))
    changes.make("Beta", "second", lambda: x11.activate("Beta"))

    changes.assert_recorded()


def test_away_is_recorded_from_the_last_input_to_the_next(recorded: RecordedServer, x11: X11Session) -> None:
    eventually(lambda: newest(recorded, "afk") == {"status": "afk"})
    before = now()
    x11.press_key()
    after = now()
    eventually(lambda: newest(recorded, "afk") == {"status": "not-afk"})
    eventually(lambda: newest(recorded, "afk") == {"status": "afk"})

    *_, (_, first_end, _), (back, _, _), (away, _, _) = events(recorded, "afk")
    assert before - TOLERANCE <= back <= after + TOLERANCE
    assert before - TOLERANCE <= away <= after + TOLERANCE
    assert 0 <= back - first_end <= SECOND // 1000


def test_a_watcher_that_is_killed_is_started_again(recorded: RecordedServer, x11: X11Session) -> None:
    wait_for_window(recorded, "Beta", "second")
    killed = recorded.watch_process
    assert killed is not None
    os.kill(killed, signal.SIGKILL)
    eventually(lambda: recorded.watch_process not in (None, killed))
    x11.activate("Alpha")
    wait_for_window(recorded, "Alpha", "first")

    assert_no_overlap(recorded)
    work = {each["name"]: each for each in recorded.get("/api/1/health").json["background"]}
    assert work["recording this computer"]["failures"] == 0


def is_running(process: int | None) -> bool:
    return Path(f"/proc/{process}").exists()


def test_what_happens_while_a_killed_server_is_down_is_recorded(recorded: RecordedServer, x11: X11Session) -> None:
    wait_for_window(recorded, "Beta", "second")
    watcher = recorded.watch_process
    recorded.kill()
    for app, title in (("Alpha", "title 1"), ("Beta", "title 2"), ("Beta", "title 3"), ("Alpha", "title 4")):
        x11.activate(app)
        x11.set_title(app, title)
        eventually(lambda expected=title: expected in stored_titles(recorded))  # type: ignore[misc]
    assert is_running(watcher)
    recorded.start()
    eventually(lambda: not is_running(watcher))
    x11.activate("Beta")
    wait_for_window(recorded, "Beta", "title 3")

    assert_no_overlap(recorded)
    titles = [data["title"] for _, _, data in events(recorded, "window")]
    positions = [titles.index(f"title {number}") for number in (1, 2, 3, 4)]
    assert positions == sorted(positions)


def test_there_is_one_watcher_however_often_the_server_is_killed(recorded: RecordedServer, x11: X11Session) -> None:
    for app, title in (("Alpha", "first"), ("Beta", "second"), ("Alpha", "first")):
        before = recorded.watch_process
        recorded.kill()
        recorded.start()
        eventually(lambda: recorded.watch_process is not None)
        eventually(lambda expected=before: not is_running(expected))  # type: ignore[misc]
        x11.activate(app)
        wait_for_window(recorded, app, title)

    assert_no_overlap(recorded)


def test_without_a_server_a_watcher_ends_after_a_while(tmp_path: Path, x11: X11Session) -> None:
    x11.open_terminal("Alpha", "first")
    server = RecordedServer(tmp_path, {"DISPLAY": x11.name})
    server.constants = {"dayline.cli.serve.recording:MAX_ORPHANED_S": 1.0}
    server.start()
    wait_for_window(server, "Alpha", "first")
    watcher = server.watch_process
    server.kill()

    eventually(lambda: not is_running(watcher))


def test_a_server_that_does_not_record_ends_the_watcher_of_the_one_before(
    recorded: RecordedServer, x11: X11Session
) -> None:
    wait_for_window(recorded, "Beta", "second")
    watcher = recorded.watch_process
    recorded.kill()
    assert is_running(watcher)
    recorded.set_enabled(False)
    recorded.start()

    eventually(lambda: not is_running(watcher))
    assert recorded.watch_process is None


def test_a_server_that_stops_stops_its_watcher(recorded: RecordedServer) -> None:
    wait_for_window(recorded, "Beta", "second")
    watcher = recorded.watch_process

    assert recorded.stop() == 0
    assert not Path(f"/proc/{watcher}").exists()
