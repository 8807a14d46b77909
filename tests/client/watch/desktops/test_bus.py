"""What is read over D-Bus, on a real bus with a program that answers as GNOME Shell and KWin do."""

import json
import os
import re
import signal
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jeepney import DBusAddress, new_method_call

from dayline.client.watch.desktop import NO_WINDOW, Window
from dayline.client.watch.desktops.gnome import NO_EXTENSION, GnomeDesktop
from dayline.client.watch.desktops.kwin import WindowScript
from dayline.client.watch.desktops.session_bus import CallFailed, SessionBus
from dayline.client.watch.session import FoundSession, find_session
from dayline.model.errors import Unavailable
from tests.client.watch.desktops.bus_service import BusService
from tests.support.waiting import eventually

GNOME = ("org.gnome.Shell", "org.gnome.Mutter.IdleMonitor")


@pytest.fixture
def gnome(session_bus: str) -> Iterator[BusService]:
    service = BusService(session_bus, *GNOME)
    service.answers["GetIdletime"] = lambda: ("t", (2500,))
    yield service
    service.close()


@pytest.fixture
def environment(session_bus: str, tmp_path: Path) -> dict[str, str]:
    return {
        "WAYLAND_DISPLAY": "wayland-0",
        "XDG_RUNTIME_DIR": str(tmp_path),
        "DBUS_SESSION_BUS_ADDRESS": session_bus,
    }


def focused(**properties: str | None) -> Any:
    return lambda: ("s", (json.dumps(properties),))


def test_the_windows_of_gnome_are_those_of_the_extension(gnome: BusService, environment: dict[str, str]) -> None:
    gnome.answers["Get"] = focused(wm_class="Alpha", title="été 日本")
    assert find_session(environment) == FoundSession("gnome")
    desktop = GnomeDesktop(environment)

    assert (desktop.window(), desktop.idle_s(), desktop.limitation) == (Window("Alpha", "été 日本"), 2.5, None)
    assert desktop.interval_s == 1
    gnome.answers["Get"] = focused(wm_class="Beta", title=None)
    assert desktop.has_changed()
    assert desktop.window() == Window("Beta", "unknown")
    assert not desktop.has_changed()
    desktop.close()


def test_without_an_active_window_and_on_a_locked_screen_the_window_is_unknown(
    gnome: BusService, environment: dict[str, str]
) -> None:
    gnome.answers["Get"] = focused()
    desktop = GnomeDesktop(environment)
    assert desktop.window() == NO_WINDOW
    gnome.answers["Get"] = focused(wm_class="Alpha", title="first")
    assert desktop.window() == Window("Alpha", "first")
    del gnome.answers["Get"]  # GNOME turns extensions off

    assert desktop.has_changed()
    assert desktop.window() == NO_WINDOW
    desktop.close()


def test_gnome_without_the_extension_reports_how_to_install_it(gnome: BusService, environment: dict[str, str]) -> None:
    with pytest.raises(Unavailable) as raised:
        find_session(environment)
    assert raised.value.hint == NO_EXTENSION.hint
    assert find_session({**environment, "DISPLAY": ":0"}) == FoundSession("gnome", NO_EXTENSION)


def test_a_session_of_gnome_that_ends_is_reported(gnome: BusService, environment: dict[str, str]) -> None:
    gnome.answers["Get"] = focused(wm_class="Alpha", title="first")
    desktop = GnomeDesktop(environment)
    del gnome.answers["GetIdletime"]

    with pytest.raises(Unavailable, match="GNOME does not report input"):
        desktop.idle_s()
    desktop.close()


class KWin(BusService):
    """The interface for scripts. A script reports the window that `window` is, when it starts."""

    def __init__(self, address: str) -> None:
        super().__init__(address, "org.kde.KWin")
        self.scripts: dict[str, str] = {}
        self.window = ("Alpha", "first")
        self.answers["loadScript"] = self._load
        self.answers["unloadScript"] = self._unload
        self.answers["run"] = self._run

    def _load(self, path: str, name: str) -> tuple[str, tuple[int]]:
        self.scripts[name] = Path(path).read_text()
        return "i", (0,)

    def _unload(self, name: str) -> tuple[str, tuple[bool]]:
        return "b", (self.scripts.pop(name, None) is not None,)

    def _run(self) -> tuple[str, tuple[()]]:
        for text in self.scripts.values():
            self.connection.send(report_of(text, *self.window))
        return "", ()


def report_of(script: str, app: str, title: str) -> Any:
    """What a script calls when a window becomes active."""
    found = re.search(r'callDBus\("([^"]+)", "/", "org.dayline.Watch", "([^"]+)", app, title\)', script)
    assert found is not None
    watcher = DBusAddress("/", found.group(1), "org.dayline.Watch")
    return new_method_call(watcher, found.group(2), "ss", (app, title))


@pytest.fixture
def kwin(session_bus: str) -> Iterator[KWin]:
    service = KWin(session_bus)
    yield service
    service.close()


def test_a_script_reports_windows_until_it_is_unloaded(kwin: KWin, environment: dict[str, str], tmp_path: Path) -> None:
    bus = SessionBus(environment)
    script = WindowScript(bus, tmp_path)
    assert script.wait_for_window() == Window("Alpha", "first")
    (text,) = kwin.scripts.values()

    kwin.connection.send(report_of(text, "Beta", "second"))
    assert script.wait_for_window() == Window("Beta", "second")
    script.unload()
    assert (kwin.scripts, list(tmp_path.iterdir())) == ({}, [])
    bus.close()


def test_the_script_of_a_killed_watcher_is_unloaded_by_the_next_one(
    kwin: KWin, environment: dict[str, str], tmp_path: Path
) -> None:
    killed, running = SessionBus(environment), SessionBus(environment)
    WindowScript(killed, tmp_path)
    WindowScript(running, tmp_path)
    assert len(kwin.scripts) == 2
    killed.close()

    bus = SessionBus(environment)
    eventually(lambda: not bus.has_owner(killed.unique_name))
    WindowScript(bus, tmp_path)
    names = [f"dayline-watch-{each.unique_name.removeprefix(':')}" for each in (running, bus)]
    assert sorted(kwin.scripts) == sorted(names) == sorted(file.stem for file in tmp_path.iterdir())
    bus.close()
    running.close()


def test_what_another_program_reports_is_not_recorded(kwin: KWin, environment: dict[str, str], tmp_path: Path) -> None:
    bus, other = SessionBus(environment), SessionBus(environment)
    script = WindowScript(bus, tmp_path)
    script.wait_for_window()
    refused: list[CallFailed] = []

    def pretend() -> None:
        try:
            other.call((bus.unique_name, "/", "org.dayline.Watch"), "ReportWindow", "ss", "Fake", "title")
        except CallFailed as error:
            refused.append(error)

    thread = threading.Thread(target=pretend)
    thread.start()
    found: list[Window] = []
    while thread.is_alive():
        found += script.windows()
    thread.join()
    assert (found, len(refused)) == ([], 1)
    bus.close()
    other.close()


def test_a_bus_that_ends_is_reported(environment: dict[str, str], bus_daemon: "subprocess.Popen[str]") -> None:
    bus = SessionBus(environment)
    os.kill(bus_daemon.pid, signal.SIGKILL)
    bus_daemon.wait()

    with pytest.raises(Unavailable, match="the session bus closed the connection"):
        bus.has_owner("org.kde.KWin")
    bus.close()
    with pytest.raises(Unavailable, match="cannot connect to the session bus"):
        SessionBus(environment)
