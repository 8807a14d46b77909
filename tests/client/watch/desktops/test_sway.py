"""`dayline serve` with `[watch]` records what is done in a session of sway, by its IPC and by Wayland protocols."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from dayline.model.time import SECOND
from tests.client.watch.desktops.programs import needs
from tests.client.watch.recorded_server import (
    AWAY_AFTER_S,
    TOLERANCE,
    Changes,
    RecordedServer,
    events,
    newest,
    now,
)
from tests.support.waiting import eventually

pytestmark = needs("sway", "swaymsg", "foot", "wtype", "setpriv")

USER: Final = "nobody"


class SwaySession:
    """sway without a screen. It refuses to run as root: then another user runs it."""

    def __init__(self, folder: Path) -> None:
        self.socket = folder / "sway.sock"
        self.variables = {
            "SWAYSOCK": str(self.socket),
            "XDG_RUNTIME_DIR": str(folder),
            "WAYLAND_DISPLAY": "wayland-1",
        }
        (folder / "config").write_text("xwayland disable\n")
        headless = {"WLR_BACKENDS": "headless", "WLR_RENDERER": "pixman", "WLR_LIBINPUT_NO_DEVICES": "1"}
        as_user: list[str] = []
        if os.geteuid() == 0:
            shutil.chown(folder, USER)
            as_user = ["setpriv", f"--reuid={USER}", "--regid=nogroup", "--clear-groups"]
        self._process = subprocess.Popen(
            [*as_user, "sway", "--config", str(folder / "config")],
            env={**os.environ, **self.variables, **headless, "HOME": str(folder)},
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        eventually(lambda: self.socket.exists() and (folder / "wayland-1").exists())

    def command(self, *words: str) -> None:
        subprocess.run(["swaymsg", "--socket", str(self.socket), *words], check=True, capture_output=True)

    def press_key(self) -> None:
        subprocess.run(["wtype", "-k", "Shift_L"], env={**os.environ, **self.variables}, check=True)

    def close(self) -> None:
        self._process.terminate()
        self._process.wait()


@pytest.fixture
def session() -> Iterator[SwaySession]:
    # Not in pytest's folders, which another user cannot enter.
    with tempfile.TemporaryDirectory(prefix="dayline-sway-") as folder:
        session = SwaySession(Path(folder))
        try:
            yield session
        finally:
            session.close()


@pytest.fixture(params=["sway", "wayland"])
def recorded(request: pytest.FixtureRequest, tmp_path: Path, session: SwaySession) -> Iterator[RecordedServer]:
    """Over its IPC socket, and as a compositor of which only the protocols of Wayland are known."""
    hidden = {"SWAYSOCK": ""} if request.param == "wayland" else {}
    with RecordedServer(tmp_path, {**session.variables, **hidden}) as server:
        eventually(lambda: server.get("/api/1/recording").json["state"] == "recording")
        assert server.get("/api/1/recording").json["session"] == request.param
        yield server


def test_windows_are_recorded_when_they_change(recorded: RecordedServer, session: SwaySession) -> None:
    changes = Changes(recorded, "unknown", "unknown")

    def change(app: str, title: str, *words: str) -> None:
        changes.make(app, title, lambda: session.command(*words))

    change("Alpha", "first", "exec", "foot --app-id Alpha --title first sleep 1000")
    change("Beta", "second", "exec", "foot --app-id Beta --title second sleep 1000")
    change("Alpha", "first", "[app_id=Alpha]", "focus")
    change("unknown", "unknown", "workspace", "2")
    change("Alpha", "first", "workspace", "1")
    change("Beta", "second", "[app_id=Alpha]", "kill")

    changes.assert_recorded()


def test_away_is_recorded_from_the_last_input_to_the_next(recorded: RecordedServer, session: SwaySession) -> None:
    eventually(lambda: newest(recorded, "afk") == {"status": "afk"})
    before = now()
    session.press_key()
    eventually(lambda: newest(recorded, "afk") == {"status": "not-afk"})
    after = now()

    *_, (away, away_end, _), (back, _, _) = events(recorded, "afk")
    assert away < before - AWAY_AFTER_S * SECOND + TOLERANCE
    assert before - TOLERANCE <= back <= after
    assert 0 <= back - away_end <= SECOND // 1000
