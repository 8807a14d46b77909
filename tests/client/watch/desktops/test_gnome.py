"""`dayline serve` with `[watch]` records what is done in a session of GNOME, with and without an extension."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import pytest

from dayline.client.watch.desktops.gnome import NO_EXTENSION
from dayline.client.watch.desktops.session_bus import SessionBus
from dayline.model.time import SECOND
from tests.client.watch.desktops.programs import needs, x11_terminal
from tests.client.watch.desktops.wayland_window import WaylandProgram
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

pytestmark = needs("gnome-shell", "Xwayland", "xterm", "dbus-daemon")

SHELL: Final = ("org.gnome.Shell", "/org/gnome/Shell", "org.gnome.Shell")
OPTIONS: Final = ("--virtual-monitor", "800x600", "--wayland-display", "wayland-gnome")
EXTENSION: Final = "focused-window-dbus@flexagoon.com"
FOLDERS: Final = [
    Path(folder) / "gnome-shell" / "extensions" / EXTENSION
    for folder in ("~/.local/share", "/usr/local/share", "/usr/share")
]
INSTALLED: Final = next((folder.expanduser() for folder in FOLDERS if folder.expanduser().exists()), None)
needs_extension = pytest.mark.skipif(INSTALLED is None, reason=f"the GNOME extension {EXTENSION} is not installed")


class GnomeSession:
    """GNOME Shell without a screen, and with the extension, if that is installed here, but not turned on."""

    def __init__(self, folder: Path, bus: str) -> None:
        if INSTALLED is not None:
            shutil.copytree(INSTALLED, folder / "data" / "gnome-shell" / "extensions" / EXTENSION)
        variables = {
            "XDG_RUNTIME_DIR": str(folder),
            "WAYLAND_DISPLAY": "wayland-gnome",
            "DBUS_SESSION_BUS_ADDRESS": bus,
            "XDG_CURRENT_DESKTOP": "GNOME",
        }
        home = {"HOME": str(folder), "XDG_DATA_HOME": str(folder / "data"), "XDG_CONFIG_HOME": str(folder / "config")}
        # Settings in a file. The system bus may not be there, and nothing of it is needed.
        settings = {"GSETTINGS_BACKEND": "keyfile", "LIBGL_ALWAYS_SOFTWARE": "1", "DBUS_SYSTEM_BUS_ADDRESS": bus}
        log = folder / "log"
        with log.open("w") as output:
            self.process = subprocess.Popen(
                ["gnome-shell", "--headless", "--wayland", *OPTIONS],
                env={**os.environ, **variables, **home, **settings, "DISPLAY": ""},
                stdout=output,
                stderr=output,
            )
        eventually(lambda: "GNOME Shell started" in log.read_text())
        display = re.search(r"public X11 display (:\d+)", log.read_text())
        (authority,) = folder.glob(".mutter-Xwaylandauth.*")
        assert display is not None
        self.variables = {**variables, "DISPLAY": display.group(1), "XAUTHORITY": str(authority)}
        self._bus = SessionBus(variables)
        properties = (*SHELL[:2], "org.freedesktop.DBus.Properties")
        self._bus.call(properties, "Set", "ssv", SHELL[2], "OverviewActive", ("b", False))
        self._input = self._remote_desktop()

    def enable_extension(self) -> None:
        assert self._bus.call((*SHELL[:2], "org.gnome.Shell.Extensions"), "EnableExtension", "s", EXTENSION)

    def move_pointer(self) -> None:
        self._bus.call(self._input, "NotifyPointerMotionRelative", "dd", 1.0, 1.0)

    def close(self) -> None:
        self._bus.close()
        self.process.terminate()
        self.process.wait()

    def _remote_desktop(self) -> tuple[str, str, str]:
        """A session for remote input, which ends with the connection to the bus."""
        name = "org.gnome.Mutter.RemoteDesktop"
        path = self._bus.call((name, "/org/gnome/Mutter/RemoteDesktop", name), "CreateSession")
        session = (name, path, f"{name}.Session")
        self._bus.call(session, "Start")
        return session


@pytest.fixture
def session(tmp_path: Path, session_bus: str) -> Iterator[GnomeSession]:
    folder = tmp_path / "session"
    folder.mkdir(mode=0o700)
    session = GnomeSession(folder, session_bus)
    try:
        yield session
    finally:
        session.close()


@pytest.fixture
def recorded(tmp_path: Path, session: GnomeSession) -> Iterator[RecordedServer]:
    with RecordedServer(tmp_path, session.variables) as server:
        eventually(lambda: server.get("/api/1/recording").json["state"] == "recording")
        assert server.get("/api/1/recording").json["session"] == "gnome"
        yield server


@needs_extension
def test_with_the_extension_all_windows_are_recorded_when_they_change(
    tmp_path: Path, session: GnomeSession, opened: ExitStack
) -> None:
    session.enable_extension()
    recorded = opened.enter_context(RecordedServer(tmp_path, session.variables))
    changes = Changes(recorded, "unknown", "unknown")
    alpha, beta = WaylandProgram("Alpha", session.variables), WaylandProgram("Beta", session.variables)
    opened.callback(alpha.close)
    changes.make("Alpha", "first", lambda: alpha.set_title("first"))
    changes.make("Beta", "second", lambda: beta.set_title("second"))
    changes.make("Beta", "été 日本", lambda: beta.set_title("été 日本"))
    changes.make("Alpha", "first", beta.close)
    terminal = x11_terminal("Gamma", "third", session.variables)
    changes.make("Gamma", "third", lambda: opened.enter_context(terminal))

    changes.assert_recorded()
    assert recorded.get("/api/1/recording").json["message"] is None


def test_without_the_extension_windows_of_x11_programs_are_recorded(
    recorded: RecordedServer, session: GnomeSession, opened: ExitStack
) -> None:
    found = recorded.get("/api/1/recording").json
    assert (found["message"], found["hint"]) == (NO_EXTENSION.message, NO_EXTENSION.hint)
    opened.enter_context(x11_terminal("Gamma", "third", session.variables))
    wait_for_window(recorded, "Gamma", "third")
    alpha = WaylandProgram("Alpha", session.variables)
    alpha.set_title("first")
    wait_for_window(recorded, "unknown", "unknown")
    alpha.close()
    wait_for_window(recorded, "Gamma", "third")


@needs_extension
def test_an_extension_that_is_turned_on_later_is_used(
    recorded: RecordedServer, session: GnomeSession, opened: ExitStack
) -> None:
    assert recorded.get("/api/1/recording").json["message"] == NO_EXTENSION.message
    alpha = WaylandProgram("Alpha", session.variables)
    opened.callback(alpha.close)
    alpha.set_title("first")
    session.enable_extension()

    wait_for_window(recorded, "Alpha", "first")
    eventually(lambda: recorded.get("/api/1/recording").json["message"] is None)


def test_away_is_recorded_from_the_last_input_to_the_next(recorded: RecordedServer, session: GnomeSession) -> None:
    eventually(lambda: newest(recorded, "afk") == {"status": "afk"})
    before = now()
    session.move_pointer()
    eventually(lambda: newest(recorded, "afk") == {"status": "not-afk"})
    after = now()

    *_, (away, away_end, _), (back, _, _) = events(recorded, "afk")
    assert away < before - AWAY_AFTER_S * SECOND + TOLERANCE
    assert before - TOLERANCE <= back <= after
    assert 0 <= back - away_end <= SECOND // 1000


def test_a_session_that_ends_is_reported(recorded: RecordedServer, session: GnomeSession) -> None:
    session.process.kill()

    eventually(lambda: recorded.get("/api/1/recording").json["state"] == "failed")
    assert recorded.get("/api/1/recording").json["hint"]
