"""What a watcher observes on a desktop, and what the kinds of desktops share."""

import os
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Protocol

from msgspec import Struct

from dayline.model.errors import Unavailable

UNKNOWN: Final = "unknown"  # ActivityWatch's value for a window without a name, and for no window
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
