"""What a watcher observes on a desktop, and the choice of how to observe it."""

from collections.abc import Mapping
from typing import Final, Protocol

from msgspec import Struct

from dayline.model.errors import Unavailable

UNKNOWN: Final = "unknown"  # ActivityWatch's value for a window without a name, and for no window
_NO_DISPLAY_HINT: Final = "run it in your desktop session; DISPLAY names its X server"
_WAYLAND_HINT: Final = (
    "Dayline supports X11 and sway: choose such a session when you log in, or use a watcher for your compositor, "
    "such as awatcher, with Dayline as its server"
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


def open_desktop(environment: Mapping[str, str]) -> Desktop:
    """The desktop of this session. Raises Unavailable with what is missing."""
    sway = environment.get("SWAYSOCK")
    if sway:
        from dayline.client.watch.sway import SwayDesktop  # here, because other sessions need none of it

        return SwayDesktop(sway, environment)
    is_wayland = bool(environment.get("WAYLAND_DISPLAY")) or environment.get("XDG_SESSION_TYPE") == "wayland"
    display = environment.get("DISPLAY")
    if not display:
        if is_wayland:
            raise Unavailable("the windows of this Wayland session cannot be observed", hint=_WAYLAND_HINT)
        raise Unavailable("there is no desktop session to observe: DISPLAY is not set", hint=_NO_DISPLAY_HINT)
    from dayline.client.watch.x11 import X11Desktop  # here, because it needs a library that Linux alone has

    return X11Desktop(display, limitation=_XWAYLAND if is_wayland else None)
