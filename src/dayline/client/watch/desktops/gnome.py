"""Observes GNOME on Wayland: input by Mutter's idle monitor, windows by an extension of GNOME Shell.

Without the extension only the windows of X11 programs can be observed, which are in XWayland.
"""

import select
from collections.abc import Mapping
from typing import Final

import msgspec
from msgspec import Struct

from dayline.client.watch.desktop import NO_WINDOW, UNKNOWN, Desktop, Limitation, Window
from dayline.client.watch.desktops.session_bus import CallFailed, SessionBus
from dayline.model.errors import Unavailable

GNOME: Final = "org.gnome.Shell"
EXTENSION: Final = "https://extensions.gnome.org/extension/5592/"
NO_EXTENSION: Final = Limitation(
    message="only windows of X11 programs are recorded: GNOME reports other windows only to extensions",
    hint=f"install the GNOME extension “Focused Window D-Bus” ({EXTENSION}); Dayline uses it within a few seconds",
)
_FOCUSED: Final = (GNOME, "/org/gnome/shell/extensions/FocusedWindow", "org.gnome.shell.extensions.FocusedWindow")
_IDLE: Final = (
    "org.gnome.Mutter.IdleMonitor",
    "/org/gnome/Mutter/IdleMonitor/Core",
    "org.gnome.Mutter.IdleMonitor",
)


class FocusedWindow(Struct):
    """What the extension returns about the active window, as far as it is used."""

    wm_class: str | None = None
    title: str | None = None


_answer: Final = msgspec.json.Decoder(FocusedWindow)
_INTERVAL_S: Final = 1.0  # the extension does not report changes of titles


class GnomeDesktop:
    """A session of GNOME. Implements Desktop. Raises Unavailable if neither the extension nor XWayland is there.

    XWayland is used until the extension answers: a locked screen turns extensions off, and users install them.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.interval_s: float | None = None
        self._bus = SessionBus(environment)
        self.limitation = gnome_limitation(self._bus, environment)
        self._xwayland: Desktop | None = None
        self._window: Window | None = None  # as the extension reported it last
        self._poll = select.epoll()
        self.fileno = self._poll.fileno
        self._poll.register(self._bus.fileno(), select.EPOLLIN)
        if self.limitation is None:
            self._use_extension()
        else:
            self._use_xwayland(environment["DISPLAY"])

    def has_changed(self) -> bool:
        self._bus.receive()  # signals only end the wait
        if self._xwayland is not None:
            return self._xwayland.has_changed()
        before, self._window = self._window, self._focused()
        return self._window != before

    def window(self) -> Window | None:
        if self._xwayland is not None:
            return self._xwayland.window()
        if self._window is None or self._window == NO_WINDOW:  # between two windows there may be none for a moment
            self._window = self._focused()
        return self._window

    def idle_s(self) -> float | None:
        if self._xwayland is not None and has_extension(self._bus):
            self._use_extension()
        try:
            return int(self._bus.call(_IDLE, "GetIdletime")) / 1000
        except CallFailed as error:
            raise Unavailable(f"GNOME does not report input: {error}", hint="has the session ended?") from error

    def close(self) -> None:
        self._poll.close()
        self._bus.close()
        if self._xwayland is not None:
            self._xwayland.close()

    def _use_extension(self) -> None:
        if self._xwayland is not None:
            self._poll.unregister(self._xwayland.fileno())
            self._xwayland.close()
        self.limitation, self._xwayland = None, None
        self.interval_s = _INTERVAL_S
        self._bus.subscribe(_FOCUSED, "FocusChanged")  # of another program; earlier versions do not send it

    def _use_xwayland(self, display: str) -> None:
        from dayline.client.watch.desktops.x11 import X11Desktop  # here, because the extension needs none of it

        self._xwayland = X11Desktop(display)
        self._poll.register(self._xwayland.fileno(), select.EPOLLIN)

    def _focused(self) -> Window:
        try:
            answer = _answer.decode(self._bus.call(_FOCUSED, "Get"))
        except (CallFailed, msgspec.DecodeError):  # a locked screen
            return NO_WINDOW
        return Window(app=answer.wm_class or UNKNOWN, title=answer.title or UNKNOWN)


def gnome_limitation(bus: SessionBus, environment: Mapping[str, str]) -> Limitation | None:
    """What cannot be observed in this session of GNOME. Raises Unavailable if no window can be observed."""
    if has_extension(bus):
        return None
    if not environment.get("DISPLAY"):
        raise Unavailable("GNOME reports windows only to extensions", hint=NO_EXTENSION.hint)
    return NO_EXTENSION


def has_extension(bus: SessionBus) -> bool:
    """Whether the extension is installed and turned on."""
    try:
        bus.call(_FOCUSED, "Get")
    except CallFailed:
        return False
    return True
