"""What a watcher observes on a desktop, and the choice of how to observe it."""

import os
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Protocol

from msgspec import Struct

from dayline.client.watch.process import Session
from dayline.model.errors import Unavailable

UNKNOWN: Final = "unknown"  # ActivityWatch's value for a window without a name, and for no window
_NO_DISPLAY_HINT: Final = "run it in your desktop session; DISPLAY names its X server"
_BUS_HINT: Final = "run it in your desktop session; DBUS_SESSION_BUS_ADDRESS names its bus"
_WAYLAND_HINT: Final = (
    "Dayline supports X11, KDE Plasma, GNOME, sway, and compositors with wlr-foreign-toplevel-management: choose such "
    "a session when you log in, or use a watcher for it, such as awatcher, with Dayline as its server"
)
_TIMEOUT_S: Final = 10.0  # for a program of the session to answer


class Window(Struct, frozen=True):
    """The active window: the program and the title."""

    app: str
    title: str


NO_WINDOW: Final = Window(app=UNKNOWN, title=UNKNOWN)


class Limitation(Struct, frozen=True):
    """What cannot be observed, as a sentence, and what to do about it."""

    message: str
    hint: str | None = None


class Desktop(Protocol):
    """A connection to a desktop session, used by one thread. Every method raises Unavailable once it has ended."""

    limitation: Limitation | None  # None if everything can be observed
    interval_s: float | None  # how often to ask for changes; None if `fileno` becomes readable with each

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


class FoundSession(Struct, frozen=True):
    """How the desktop of a session is observed, and what cannot be observed in it."""

    session: Session
    limitation: Limitation | None = None


# Desktops are imported where they are used: others need none of it, and the libraries are installed on Linux alone.


def find_session(environment: Mapping[str, str]) -> FoundSession:
    """The desktop session that these variables describe. Raises Unavailable with what is missing."""
    if environment.get("SWAYSOCK"):
        return FoundSession("sway")
    if is_wayland(environment):
        found = _wayland_session(environment)
        if found is not None:
            return found
    if environment.get("DISPLAY"):
        return FoundSession("x11", xwayland_limitation(environment))
    if is_wayland(environment):
        raise Unavailable("the windows of this Wayland session cannot be observed", hint=_wayland_hint(environment))
    raise Unavailable("there is no desktop session to observe: DISPLAY is not set", hint=_NO_DISPLAY_HINT)


def _wayland_session(environment: Mapping[str, str]) -> FoundSession | None:
    """How a Wayland session is observed; None if it is of another kind than those that are known here."""
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


def is_wayland(environment: Mapping[str, str]) -> bool:
    """Whether this is a Wayland session."""
    return bool(environment.get("WAYLAND_DISPLAY")) or environment.get("XDG_SESSION_TYPE") == "wayland"


def runtime_folder(environment: Mapping[str, str]) -> Path:
    """The folder of the sockets of a session."""
    return Path(environment.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}")


class SessionSocket:
    """A connection to `program`, as messages call it. Raises Unavailable if it cannot be reached, or not any more.

    Reading and writing wait, for ten seconds at most, until `set_blocking` changes that.
    """

    def __init__(self, program: str, path: str | os.PathLike[str]) -> None:
        self._program = program
        self._socket = socket.socket(socket.AF_UNIX)
        self.fileno = self._socket.fileno
        self.close = self._socket.close
        self._socket.settimeout(_TIMEOUT_S)
        try:
            self._socket.connect(os.fspath(path))
        except OSError as error:
            self._socket.close()
            raise Unavailable(
                f"cannot connect to {program} at {path}: {error.strerror or error}", hint="is the session running?"
            ) from error

    def set_blocking(self, is_blocking: bool) -> None:
        self._socket.settimeout(_TIMEOUT_S if is_blocking else 0)

    def send(self, data: bytes) -> None:
        try:
            self._socket.sendall(data)
        except OSError as error:
            raise self.ended(error) from error

    def receive(self) -> bytes:
        """What has arrived. Raises BlockingIOError if that is nothing, and the socket does not block."""
        try:
            received = self._socket.recv(1 << 16)
        except BlockingIOError:
            raise
        except OSError as error:
            raise self.ended(error) from error
        if not received:
            raise self.ended("the session has ended")
        return received

    def ended(self, reason: object) -> Unavailable:
        """The error to raise if the connection cannot be used any more."""
        return Unavailable(f"{self._program} closed the connection: {reason}", hint="has the session ended?")
