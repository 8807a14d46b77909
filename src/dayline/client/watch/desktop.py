"""What a watcher observes on a desktop, and the choice of how to observe it."""

from collections.abc import Mapping
from typing import Final, Protocol

from msgspec import Struct

from dayline.client.watch.process import Session
from dayline.model.errors import Unavailable

UNKNOWN: Final = "unknown"  # ActivityWatch's value for a window without a name, and for no window
_NO_DISPLAY_HINT: Final = "run it in your desktop session; DISPLAY names its X server"
_OTHER_WATCHER: Final = "or use a watcher for it, such as awatcher, with Dayline as its server"
_WAYLAND_HINTS: Final = {  # by the name in XDG_CURRENT_DESKTOP
    "GNOME": f"GNOME reports windows to its extensions only: choose “GNOME on Xorg” when you log in, {_OTHER_WATCHER}",
    "KDE": f"Plasma reports windows to its own programs only: choose “Plasma (X11)” when you log in, {_OTHER_WATCHER}",
}
_WAYLAND_HINT: Final = (
    "Dayline supports X11, sway, and compositors with wlr-foreign-toplevel-management: choose such a session when you "
    f"log in, {_OTHER_WATCHER}"
)
_XWAYLAND: Final = "this is a Wayland session: only windows of X11 programs are recorded, and not whether you are away"


class Window(Struct, frozen=True):
    """The active window: the program and the title."""

    app: str
    title: str


NO_WINDOW: Final = Window(app=UNKNOWN, title=UNKNOWN)


class Desktop(Protocol):
    """A connection to a desktop session, used by one thread. Every method raises Unavailable once it has ended."""

    limitation: str | None  # what cannot be observed, as a sentence; None if nothing

    def fileno(self) -> int:
        """Readable if something may have changed."""
        ...

    def has_changed(self) -> bool:
        """Whether the active window or its title may have changed since the last call. Does not block."""
        ...

    def window(self) -> Window | None:
        """The active window; None if it disappeared while it was read."""

    def idle_s(self) -> float | None:
        """Seconds since the last input; None if that is not known here."""

    def close(self) -> None: ...


def find_session(environment: Mapping[str, str]) -> Session:
    """How the desktop of this session is observed. Raises Unavailable with what is missing."""
    if environment.get("SWAYSOCK"):
        return "sway"
    if is_wayland(environment):
        from dayline.client.watch.wayland import has_toplevels  # here, because X11 needs none of it

        if has_toplevels(environment):
            return "wayland"
    if environment.get("DISPLAY"):
        return "x11"
    if is_wayland(environment):
        raise Unavailable("the windows of this Wayland session cannot be observed", hint=wayland_hint(environment))
    raise Unavailable("there is no desktop session to observe: DISPLAY is not set", hint=_NO_DISPLAY_HINT)


def limitation_of(session: Session, environment: Mapping[str, str]) -> str | None:
    """What cannot be observed in such a session, as far as the environment shows it; None if nothing."""
    return _XWAYLAND if session == "x11" and is_wayland(environment) else None


def open_desktop(session: Session, environment: Mapping[str, str]) -> Desktop:
    """The desktop of this session. Raises Unavailable if it cannot be reached."""
    # Imported here, because other sessions need none of it, and the library for X11 is installed on Linux alone.
    if session == "sway":
        from dayline.client.watch.sway import SwayDesktop

        return SwayDesktop(environment["SWAYSOCK"], environment)
    if session == "wayland":
        from dayline.client.watch.wayland import WaylandDesktop

        return WaylandDesktop(environment)
    from dayline.client.watch.x11 import X11Desktop

    return X11Desktop(environment["DISPLAY"], limitation=limitation_of(session, environment))


def wayland_hint(environment: Mapping[str, str]) -> str:
    """What to do in a Wayland session whose windows cannot be observed."""
    desktops = environment.get("XDG_CURRENT_DESKTOP", "").split(":")
    return next((_WAYLAND_HINTS[name] for name in desktops if name in _WAYLAND_HINTS), _WAYLAND_HINT)


def is_wayland(environment: Mapping[str, str]) -> bool:
    """Whether this is a Wayland session."""
    return bool(environment.get("WAYLAND_DISPLAY")) or environment.get("XDG_SESSION_TYPE") == "wayland"
