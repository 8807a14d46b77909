"""A real X server without a screen, a window manager and terminals, for as long as a test runs."""

import os
import subprocess
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import Xlib.display
import Xlib.error
from Xlib import X
from Xlib.ext import xtest
from Xlib.protocol import event

from tests.support.waiting import eventually

PROGRAMS: Final = ("Xvfb", "openbox", "xterm")


class X11Session:
    """What a user does in the session."""

    def __init__(self, name: str, folder: Path, server: subprocess.Popen[bytes]) -> None:
        self.name = name
        self._server = server
        self._folder = folder
        self._processes: list[subprocess.Popen[bytes]] = []
        self._display = Xlib.display.Display(name)
        self._root = self._display.screen().root
        self._start("openbox")
        eventually(lambda: self._property(self._root, "_NET_SUPPORTING_WM_CHECK") is not None)

    def open_terminal(self, app: str, title: str) -> None:
        """Start a terminal of this class, and activate it. A line written to its file becomes its title."""
        lines = self._titles_of(app)
        os.mkfifo(lines)
        script = f"while read -r line < '{lines}'; do printf '\\033]2;%s\\007' \"$line\"; done"
        self._start("xterm", "-class", app, "-title", title, "-e", "sh", "-c", script)
        eventually(lambda: self._window_of(app) is not None)
        self.activate(app)

    def set_title(self, app: str, title: str) -> None:
        self._titles_of(app).write_text(f"{title}\n")

    def activate(self, app: str) -> None:
        """Ask the window manager to activate a window, as a task bar does."""
        window = self._window_of(app)
        assert window is not None
        eventually(lambda: self._is_active_after_request(window))

    def _is_active_after_request(self, window: Any) -> bool:
        """To be called again: a window manager ignores requests for a window that it does not manage yet."""
        atom = self._display.intern_atom("_NET_ACTIVE_WINDOW")
        message = event.ClientMessage(window=window, client_type=atom, data=(32, [2, X.CurrentTime, 0, 0, 0]))
        self._root.send_event(message, event_mask=X.SubstructureRedirectMask | X.SubstructureNotifyMask)
        self._display.sync()
        return bool(self._property(self._root, "_NET_ACTIVE_WINDOW") == window.id)

    def press_key(self) -> None:
        """Input as from a keyboard: the Shift key, which changes nothing."""
        for kind in (X.KeyPress, X.KeyRelease):
            xtest.fake_input(self._display, kind, 50)
        self._display.sync()

    def end(self) -> None:
        """End the X server, as a logout does."""
        self._server.kill()
        self._server.wait()

    def close(self) -> None:
        for process in reversed(self._processes):
            process.kill()
            process.wait()
        with suppress(Xlib.error.ConnectionClosedError, OSError):
            self._display.close()

    def _titles_of(self, app: str) -> Path:
        return self._folder / f"titles of {app}"  # not the class itself: xterm reads its settings from such a file

    def _start(self, *command: str) -> None:
        variables = {**os.environ, "DISPLAY": self.name, "HOME": str(self._folder)}
        quiet = subprocess.DEVNULL
        self._processes.append(subprocess.Popen(command, env=variables, stdout=quiet, stderr=quiet))

    def _window_of(self, app: str) -> Any:
        listed = self._root.get_full_property(self._display.intern_atom("_NET_CLIENT_LIST"), X.AnyPropertyType)
        numbers: list[int] = [] if listed is None else list(listed.value)
        for number in numbers:
            window = self._display.create_resource_object("window", number)
            if (window.get_wm_class() or ("", ""))[1] == app:
                return window
        return None

    def _property(self, window: Any, name: str) -> int | None:
        found = window.get_full_property(self._display.intern_atom(name), X.AnyPropertyType)
        return None if found is None or not found.value else int(found.value[0])


@contextmanager
def x11_session(folder: Path) -> Generator[X11Session]:
    reading, writing = os.pipe()
    # It chooses a number that is free, and writes it as soon as it can be reached.
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "640x480x24", "-nolisten", "tcp"]
    process = subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL)
    os.close(writing)
    try:
        with open(reading, encoding="ascii") as numbers:
            number = numbers.readline().strip()
        session = X11Session(f":{number}", folder, process)
        try:
            yield session
        finally:
            session.close()
    finally:
        process.kill()
        process.wait()
