"""Which desktop session there is, and the choice of how to observe it."""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from dayline.client.watch.desktop import Desktop, Limitation, is_wayland
from dayline.client.watch.process import Session
from dayline.model.errors import Unavailable

_NO_DISPLAY_HINT: Final = "run it in your desktop session; DISPLAY names its X server"
_BUS_HINT: Final = "run it in your desktop session; DBUS_SESSION_BUS_ADDRESS names its bus"
_WAYLAND_HINT: Final = (
    "Dayline supports X11, KDE Plasma, GNOME, sway, and compositors with wlr-foreign-toplevel-management: choose such "
    "a session when you log in, or use a watcher for it, such as awatcher, with Dayline as its server"
)


class FoundSession(Struct, frozen=True):
    """How the desktop of a session is observed, and what cannot be observed in it."""

    session: Session
    limitation: Limitation | None = None


def find_session(environment: Mapping[str, str]) -> FoundSession:
    """The desktop session that these variables describe. Raises Unavailable with what is missing."""
    if environment.get("SWAYSOCK"):
        return FoundSession("sway")
    if is_wayland(environment):
        session = _wayland_session(environment)
        if session is not None:
            return session
    if environment.get("DISPLAY"):
        return FoundSession("x11", xwayland_limitation(environment))
    if is_wayland(environment):
        raise Unavailable("the windows of this Wayland session cannot be observed", hint=_wayland_hint(environment))
    raise Unavailable("there is no desktop session to observe: DISPLAY is not set", hint=_NO_DISPLAY_HINT)


def _wayland_session(environment: Mapping[str, str]) -> FoundSession | None:
    """How a Wayland session is observed; None if it is of another kind than those that are known here."""
    # Desktops are imported where they are used: others need none of it, and the libraries are installed on Linux alone.
    from dayline.client.watch.desktops.wayland import has_toplevels

    if has_toplevels(environment):
        return FoundSession("wayland")
    from dayline.client.watch.desktops.gnome import GNOME, gnome_limitation
    from dayline.client.watch.desktops.kwin import KWIN
    from dayline.client.watch.desktops.session_bus import CallFailed, SessionBus

    try:
        bus = SessionBus(environment)
    except Unavailable:
        return None
    try:
        if bus.has_owner(KWIN):
            return FoundSession("kwin")
        if bus.has_owner(GNOME):
            return FoundSession("gnome", gnome_limitation(bus, environment))
        return None
    except CallFailed:
        return None
    finally:
        bus.close()


def open_desktop(session: Session, environment: Mapping[str, str]) -> Desktop:
    """The desktop of this session. Raises Unavailable if it cannot be reached."""
    match session:
        case "sway":
            from dayline.client.watch.desktops.sway import SwayDesktop

            return SwayDesktop(environment["SWAYSOCK"], environment)
        case "wayland":
            from dayline.client.watch.desktops.wayland import WaylandDesktop

            return WaylandDesktop(environment)
        case "kwin":
            from dayline.client.watch.desktops.kwin import KWinDesktop

            return KWinDesktop(environment)
        case "gnome":
            from dayline.client.watch.desktops.gnome import GnomeDesktop

            return GnomeDesktop(environment)
        case "x11":
            from dayline.client.watch.desktops.x11 import X11Desktop

            return X11Desktop(environment["DISPLAY"], limitation=xwayland_limitation(environment))


def xwayland_limitation(environment: Mapping[str, str]) -> Limitation | None:
    """What cannot be observed over X11 in this session: nothing is missing if the session is not Wayland's."""
    if not is_wayland(environment):
        return None
    return Limitation(
        "this is a Wayland session: only windows of X11 programs are recorded, and not whether you are away",
        _wayland_hint(environment),
    )


def _wayland_hint(environment: Mapping[str, str]) -> str:
    """What to do in a Wayland session whose windows cannot be observed."""
    desktops = environment.get("XDG_CURRENT_DESKTOP", "").split(":")
    return _BUS_HINT if "GNOME" in desktops or "KDE" in desktops else _WAYLAND_HINT
