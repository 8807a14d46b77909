"""`dayline serve` with `[watch]` records what is done in a session of KWin, the compositor of KDE Plasma."""

import os
import signal
import struct
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import pytest

from dayline.client.watch.desktops.session_bus import SessionBus
from dayline.client.watch.desktops.wayland import WaylandConnection
from dayline.model.time import SECOND
from tests.client.watch.desktops.programs import needs, x11_terminal
from tests.client.watch.desktops.wayland_window import WaylandProgram, string
from tests.client.watch.recorded_server import (
    AWAY_AFTER_S,
    TOLERANCE,
    Changes,
    RecordedServer,
    events,
    newest,
    now,
    wait_for_window,
)
from tests.support.waiting import eventually

pytestmark = needs("kwin_wayland", "Xwayland", "xterm", "dbus-daemon")
WINDOWS: Final = ("org.kde.KWin", "/WindowsRunner", "org.kde.krunner1")  # with which KRunner activates windows


class KWinSession:
    """KWin without a screen."""

    def __init__(self, folder: Path, bus: str) -> None:
        self.folder = folder
        self.variables = {
            "XDG_RUNTIME_DIR": str(folder),
            "WAYLAND_DISPLAY": "wayland-kwin",
            "DBUS_SESSION_BUS_ADDRESS": bus,
        }
        # KWin passes the name of its X server to a program that it starts.
        report = folder / "report"
        report.write_text('#!/bin/sh\ncd "$XDG_RUNTIME_DIR" && echo "$DISPLAY" > new && mv new display\n')
        report.chmod(0o755)
        # Without checks a test may bind the protocol for input.
        checks = {"KWIN_WAYLAND_NO_PERMISSION_CHECKS": "1", "LIBGL_ALWAYS_SOFTWARE": "1", "HOME": str(folder)}
        options = ["--virtual", "--no-lockscreen", "--no-global-shortcuts", "--xwayland", "--socket", "wayland-kwin"]
        self.process = subprocess.Popen(
            ["kwin_wayland", *options, str(report)],
            env={**os.environ, **self.variables, **checks, "DISPLAY": ""},
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        eventually(lambda: (folder / "display").exists())
        self.display = (folder / "display").read_text().strip()
        self.bus = SessionBus(self.variables)
        self._input = WaylandConnection(self.variables)
        self._device = self._input.bind("org_kde_kwin_fake_input")
        self._input.send(self._device, 0, string("test") + string("test"))

    def open(self, app: str, title: str) -> WaylandProgram:
        program = WaylandProgram(app, self.variables)
        program.set_title(title)
        return program

    def activate(self, title: str) -> None:
        """Activate a window by its title, as KRunner does."""
        ((number, *_),) = self.bus.call(WINDOWS, "Match", "s", title)
        self.bus.call(WINDOWS, "Run", "ss", number, "")

    def move_pointer(self) -> None:
        self._input.send(self._device, 1, struct.pack("=ii", 256, 256))
        self._input.wait()

    def scripts(self) -> list[str]:
        """The scripts of watchers, which have files."""
        return [file.stem for file in self.folder.glob("dayline-watch-*.js")]

    def is_loaded(self, script: str) -> bool:
        return bool(
            self.bus.call(("org.kde.KWin", "/Scripting", "org.kde.kwin.Scripting"), "isScriptLoaded", "s", script)
        )

    def close(self) -> None:
        self.process.terminate()
        self.process.wait()
        self._input.close()
        self.bus.close()


@pytest.fixture
def session(tmp_path: Path, session_bus: str) -> Iterator[KWinSession]:
    folder = tmp_path / "session"
    folder.mkdir(mode=0o700)
    session = KWinSession(folder, session_bus)
    try:
        yield session
    finally:
        session.close()


@pytest.fixture
def recorded(tmp_path: Path, session: KWinSession) -> Iterator[RecordedServer]:
    with RecordedServer(tmp_path, session.variables) as server:
        eventually(lambda: server.get("/api/1/recording").json["state"] == "recording")
        assert server.get("/api/1/recording").json["session"] == "kwin"
        yield server


def test_windows_and_titles_are_recorded_when_they_change(
    recorded: RecordedServer, session: KWinSession, opened: ExitStack
) -> None:
    changes = Changes(recorded, "unknown", "unknown")
    alpha, beta = WaylandProgram("Alpha", session.variables), WaylandProgram("Beta", session.variables)
    opened.callback(alpha.close)
    changes.make("Alpha", "first", lambda: alpha.set_title("first"))
    changes.make("Beta", "second", lambda: beta.set_title("second"))
    changes.make("Alpha", "first", lambda: session.activate("first"))
    changes.make("Alpha", "été 日本", lambda: alpha.set_title("été 日本"))
    changes.make("Beta", "second", lambda: session.activate("second"))
    changes.make("Alpha", "été 日本", beta.close)

    changes.assert_recorded()


def test_windows_of_x11_programs_are_recorded(recorded: RecordedServer, session: KWinSession) -> None:
    with x11_terminal("Gamma", "third", {**session.variables, "DISPLAY": session.display}):
        eventually(lambda: newest(recorded, "window").get("title") == "third")
        assert newest(recorded, "window")["app"].lower() == "gamma"  # KWin 5 writes the class in lower case
    wait_for_window(recorded, "unknown", "unknown")


def test_a_second_window_with_the_same_title_is_recorded_without_its_number(
    recorded: RecordedServer, session: KWinSession, opened: ExitStack
) -> None:
    title = "Clinic \N{EM DASH} Mozilla Firefox Private Browsing"
    for app in ("Alpha", "firefox"):
        opened.callback(session.open(app, title).close)
        wait_for_window(recorded, app, title if app == "Alpha" else "Private window")

    assert "Clinic" not in str([data for _, _, data in events(recorded, "window") if data["app"] == "firefox"])


def test_away_is_recorded_from_the_last_input_to_the_next(recorded: RecordedServer, session: KWinSession) -> None:
    eventually(lambda: newest(recorded, "afk") == {"status": "afk"})
    before = now()
    session.move_pointer()
    eventually(lambda: newest(recorded, "afk") == {"status": "not-afk"})
    after = now()

    *_, (away, away_end, _), (back, _, _) = events(recorded, "afk")
    assert away < before - AWAY_AFTER_S * SECOND + TOLERANCE
    assert before - TOLERANCE <= back <= after
    assert 0 <= back - away_end <= SECOND // 1000


def test_the_script_ends_with_the_watcher_also_if_that_is_killed(
    recorded: RecordedServer, session: KWinSession
) -> None:
    (first,) = session.scripts()
    killed = recorded.watch_process
    assert killed is not None
    os.kill(killed, signal.SIGKILL)
    eventually(lambda: session.scripts() not in ([], [first]))
    eventually(lambda: len(session.scripts()) == 1)
    (second,) = session.scripts()

    assert (session.is_loaded(first), session.is_loaded(second)) == (False, True)
    recorded.stop()
    assert (session.scripts(), session.is_loaded(second)) == ([], False)


def test_a_session_that_ends_is_reported(recorded: RecordedServer, session: KWinSession) -> None:
    session.process.kill()

    eventually(lambda: recorded.get("/api/1/recording").json["state"] == "failed")
    assert recorded.get("/api/1/recording").json["hint"]
