"""Observes an X11 session: the active window by EWMH, idle time by the XScreenSaver extension."""

from contextlib import suppress
from typing import Any, Final

import Xlib.display
import Xlib.error
import Xlib.ext
from Xlib import X, Xatom

from dayline.client.watch.desktop import NO_WINDOW, UNKNOWN, Limitation, Window
from dayline.model.errors import Unavailable

_SCREEN_SAVER: Final = "MIT-SCREEN-SAVER"
_MAX_PARENTS: Final = 10  # between a window and the one that has a class


class X11Desktop:
    """A connection to the X server `display`, such as `:0`. Implements Desktop."""

    interval_s: float | None = None

    def __init__(self, display: str, *, limitation: Limitation | None = None) -> None:
        self.limitation = limitation
        # Only this one: the library loads a module for every extension of the server, which takes 5 MiB.
        Xlib.ext.__extensions__ = [(_SCREEN_SAVER, "screensaver")]
        try:
            self._display = Xlib.display.Display(display)
        except (Xlib.error.DisplayError, OSError) as error:
            raise Unavailable(
                f"cannot connect to the X server {display}: {error}",
                hint="check DISPLAY and XAUTHORITY, and whether the session is running",
            ) from error
        # Windows disappear at any time; requests that wait for a response raise their errors themselves.
        self._display.set_error_handler(lambda *_: None)
        self._root = self._display.screen().root
        self._active_window = self._display.intern_atom("_NET_ACTIVE_WINDOW")
        self._name = self._display.intern_atom("_NET_WM_NAME")
        self._utf8 = self._display.intern_atom("UTF8_STRING")
        # Some programs set their class after they have shown their window.
        self._properties = (self._name, Xatom.WM_NAME, Xatom.WM_CLASS)
        self._has_idle_time = limitation is None and _SCREEN_SAVER in self._display.extensions
        self._watched: Any = None  # the window whose title changes are reported
        self._known: Window | None = None  # the active window, as long as no change is reported
        self._root.change_attributes(event_mask=X.PropertyChangeMask)
        self._display.flush()

    def fileno(self) -> int:
        return int(self._display.fileno())

    def has_changed(self) -> bool:
        has_changed = False
        try:
            # Not one by one with a wait in between: what was read along with a reply is not on the socket any more.
            while self._display.pending_events():
                event = self._display.next_event()
                if event.type == X.PropertyNotify:
                    is_root = event.window.id == self._root.id
                    has_changed |= event.atom == self._active_window if is_root else event.atom in self._properties
        except (Xlib.error.ConnectionClosedError, OSError) as error:
            raise _ended(error) from error
        if has_changed:
            self._known = None
        return has_changed

    def window(self) -> Window | None:
        if self._known is not None:
            return self._known
        window = self._read_window()
        # Between two windows there may be none for a moment: that is read again.
        self._known = None if window == NO_WINDOW else window
        return window

    def _read_window(self) -> Window | None:
        try:
            window = self._focused()
            self._watch(window)
            if window is None:
                return NO_WINDOW
            return Window(app=self._class_of(window), title=self._title_of(window))
        except (Xlib.error.ConnectionClosedError, OSError) as error:
            raise _ended(error) from error
        except Xlib.error.XError:
            return None  # BadWindow: it was closed, and the window manager reports the next one

    def idle_s(self) -> float | None:
        if not self._has_idle_time:
            return None
        try:
            milliseconds: int = self._root.screensaver_query_info().idle
        except (Xlib.error.ConnectionClosedError, OSError) as error:
            raise _ended(error) from error
        return milliseconds / 1000

    def close(self) -> None:
        with suppress(Xlib.error.ConnectionClosedError, OSError):  # the X server may have ended first
            self._display.close()

    def _focused(self) -> Any:
        """The active window; None if there is none."""
        active = self._root.get_full_property(self._active_window, X.AnyPropertyType)
        if active is None or not active.value:
            return None
        number = int(active.value[0])
        return self._display.create_resource_object("window", number) if number else None

    def _watch(self, window: Any) -> None:
        """Have title changes of this window reported, and of no other one."""
        if window == self._watched:
            return
        if self._watched is not None:
            self._watched.change_attributes(event_mask=X.NoEventMask)
        self._watched = window
        if window is not None:
            # Before the title is read: a change in between is reported.
            window.change_attributes(event_mask=X.PropertyChangeMask)
        self._display.flush()

    def _class_of(self, window: Any) -> str:
        for _ in range(_MAX_PARENTS):
            names = window.get_wm_class()
            if names:
                return str(names[1])
            window = window.query_tree().parent
            if not window or window == self._root:
                break
        return UNKNOWN

    def _title_of(self, window: Any) -> str:
        title = window.get_full_property(self._name, self._utf8)
        if title is not None and title.value:
            return bytes(title.value).decode("utf-8", "replace")
        name = window.get_wm_name()
        return name.decode("utf-8", "replace") if isinstance(name, bytes) else name or UNKNOWN


def _ended(error: Exception) -> Unavailable:
    return Unavailable(f"the X server closed the connection: {error}", hint="has the session ended?")
