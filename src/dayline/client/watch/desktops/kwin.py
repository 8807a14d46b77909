"""Observes KDE Plasma on Wayland: a script in KWin reports windows over D-Bus; input by the protocols of Wayland."""

import json
import os
import re
import select
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from string import Template
from typing import Final

from dayline.client.watch.desktop import NO_WINDOW, UNKNOWN, Window, runtime_folder
from dayline.client.watch.desktops.session_bus import CallFailed, SessionBus
from dayline.client.watch.desktops.wayland import IdleNotifications, WaylandConnection
from dayline.model.errors import Unavailable

KWIN: Final = "org.kde.KWin"
_SCRIPTING: Final = (KWIN, "/Scripting", "org.kde.kwin.Scripting")
_PREFIX: Final = "dayline-watch-"  # of the names of scripts and their files
_METHOD: Final = "ReportWindow"
_START_S: Final = 10.0  # for a script to report for the first time
_POLL_S: Final = 0.05
# KWin 6 has other names than KWin 5. A window that does not respond has a localized remark in its caption.
_SCRIPT: Final = Template("""\
const activated = workspace.windowActivated || workspace.clientActivated;
let active = null;
let title = "";
function report() {
    if (active !== null && !active.unresponsive) {
        title = String(active.caption);
    }
    const app = active === null ? "" : String(active.resourceClass);
    callDBus($service, "/", "org.dayline.Watch", $method, app, title);
}
function activate(window) {
    if (active !== null) {
        active.captionChanged.disconnect(report);
    }
    active = window || null;
    title = "";
    if (active !== null) {
        active.captionChanged.connect(report);
    }
    report();
}
activated.connect(activate);
activate(workspace.activeWindow || workspace.activeClient);
""")
# What KWin adds to a title: the host of a remote program, a shortcut, and a number if several windows have that title.
_ADDED: Final = re.compile("( <@[^>]*>\u200e?)?( \\{[^}]*\\})?( <[0-9]+>\u200e?)?$")


class KWinDesktop:
    """A session of KDE Plasma. Implements Desktop."""

    interval_s: float | None = None

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._wayland = WaylandConnection(environment)
        idle = IdleNotifications(self._wayland)
        self.limitation, self.idle_s = idle.limitation, idle.seconds
        self._bus = SessionBus(environment)
        self._script = WindowScript(self._bus, runtime_folder(environment))
        self._window = self._script.wait_for_window()
        self._poll = select.epoll()
        self.fileno = self._poll.fileno
        for source in (self._wayland, self._bus):
            self._poll.register(source.fileno(), select.EPOLLIN)

    def has_changed(self) -> bool:
        self._wayland.read()  # fails as soon as KWin ends, which leaves the bus running
        windows = self._script.windows()
        if windows:
            self._window = windows[-1]
        return bool(windows)

    def window(self) -> Window | None:
        self.has_changed()
        return self._window

    def close(self) -> None:
        self._poll.close()
        self._script.unload()
        self._bus.close()
        self._wayland.close()


class WindowScript:
    """The script of one watcher. Scripts have the names of connections, which a bus never uses twice."""

    def __init__(self, bus: SessionBus, folder: Path) -> None:
        self._bus = bus
        self._name = f"{_PREFIX}{bus.unique_name.removeprefix(':')}"
        self._file = folder / f"{self._name}.js"
        try:
            self._unload_orphans(folder)
            self._kwin = bus.owner(KWIN)
            self._load()
        except (CallFailed, OSError) as error:
            self.unload()
            raise Unavailable(
                f"cannot run a script in KWin: {error}", hint="is Plasma 5.27 or later running?"
            ) from error

    def wait_for_window(self) -> Window:
        """The active window, as soon as the script reports one."""
        deadline = time.monotonic() + _START_S
        while not (windows := self.windows()):
            if time.monotonic() > deadline:
                self.unload()
                raise Unavailable("KWin does not report the active window", hint="is Plasma 5.27 or later running?")
            time.sleep(_POLL_S)
        return windows[-1]

    def windows(self) -> list[Window]:
        """What the script has reported since the last call."""
        return [reported_window(str(app), str(title)) for app, title in self._bus.calls(self._kwin, _METHOD)]

    def unload(self) -> None:
        """End the script. Nothing happens if KWin or the bus has ended."""
        with suppress(CallFailed, Unavailable):
            self._bus.call(_SCRIPTING, "unloadScript", "s", self._name)
        self._file.unlink(missing_ok=True)

    def _load(self) -> None:
        # json: a string of JavaScript
        text = _SCRIPT.substitute(service=json.dumps(self._bus.unique_name), method=json.dumps(_METHOD))
        with open(os.open(self._file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            file.write(text)
        number = self._bus.call(_SCRIPTING, "loadScript", "ss", str(self._file), self._name)
        try:
            self._bus.call((KWIN, f"/Scripting/Script{number}", "org.kde.kwin.Script"), "run")
        except CallFailed:
            self._bus.call((KWIN, f"/{number}", "org.kde.kwin.Script"), "run")  # its path in KWin 5

    def _unload_orphans(self, folder: Path) -> None:
        """End the scripts of watchers that were killed."""
        for file in folder.glob(f"{_PREFIX}*.js"):
            if not self._bus.has_owner(f":{file.stem.removeprefix(_PREFIX)}"):
                self._bus.call(_SCRIPTING, "unloadScript", "s", file.stem)
                file.unlink(missing_ok=True)


def reported_window(app: str, title: str) -> Window:
    """A window as the script reports it, with the title that the program gave it."""
    if not app and not title:
        return NO_WINDOW
    return Window(app=app or UNKNOWN, title=_ADDED.sub("", title) or UNKNOWN)
