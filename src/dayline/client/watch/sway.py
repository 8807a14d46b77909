"""Observes a session of sway: windows over its IPC socket, input by the idle protocols of Wayland."""

import json
import os
import select
import socket
import struct
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from dayline.client.watch.desktop import NO_WINDOW, UNKNOWN, Window
from dayline.model.errors import Unavailable

_TIMEOUT_S: Final = 10.0  # for sway to answer


class SwayDesktop:
    """A connection to the sway at a socket, which SWAYSOCK names. Implements Desktop."""

    def __init__(self, path: str, environment: Mapping[str, str]) -> None:
        self.limitation: str | None = None
        self._poll = select.epoll()
        self._idle: WaylandIdle | None = None
        try:
            self._events, self._queries = _Ipc(path), _Ipc(path)
            self._events.call(_SUBSCRIBE, b'["window","workspace","shutdown"]')
            self._events.set_blocking(False)
            self._poll.register(self._events.fileno(), select.EPOLLIN)
            self._idle = WaylandIdle(_wayland_socket(environment))
            self._poll.register(self._idle.fileno(), select.EPOLLIN)
        except IdleUnsupported as error:
            self.limitation = f"it is not recorded whether you are away: {error}"
        except OSError as error:
            raise Unavailable(
                f"cannot connect to sway at {path}: {error.strerror}", hint="is the session running?"
            ) from error

    def fileno(self) -> int:
        return self._poll.fileno()

    def has_changed(self) -> bool:
        try:
            if self._idle is not None:
                self._idle.read()
            return self._events.drain()
        except OSError as error:
            raise _ended(error) from error

    def window(self) -> Window | None:
        try:
            tree = json.loads(self._queries.call(_GET_TREE))
        except OSError as error:
            raise _ended(error) from error
        return _focused(tree) or NO_WINDOW

    def idle_s(self) -> float | None:
        if self._idle is None:
            return None
        try:
            self._idle.read()
        except OSError as error:
            raise _ended(error) from error
        return self._idle.seconds()

    def close(self) -> None:
        self._poll.close()
        self._events.close()
        self._queries.close()
        if self._idle is not None:
            self._idle.close()


def _focused(node: dict[str, Any]) -> Window | None:
    """The focused window of a tree; None if a workspace without windows has the focus."""
    children = [*node.get("nodes", ()), *node.get("floating_nodes", ())]
    if node.get("focused") and not children and node.get("type") in ("con", "floating_con"):
        of_x11: dict[str, Any] = node.get("window_properties") or {}
        return Window(app=node.get("app_id") or of_x11.get("class") or UNKNOWN, title=node.get("name") or UNKNOWN)
    return next((found for child in children if (found := _focused(child)) is not None), None)


def _ended(error: OSError) -> Unavailable:
    return Unavailable(f"sway closed the connection: {error}", hint="has the session ended?")


# The IPC of i3 and sway: a magic word, the length and the type of the message, and JSON.


_MAGIC: Final = b"i3-ipc"
_HEADER: Final = struct.Struct("=6sII")
_SUBSCRIBE: Final = 2
_GET_TREE: Final = 4


class _Ipc:
    def __init__(self, path: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(_TIMEOUT_S)
        self._socket.connect(path)
        self._received = b""

    def fileno(self) -> int:
        return self._socket.fileno()

    def set_blocking(self, is_blocking: bool) -> None:
        self._socket.setblocking(is_blocking)

    def call(self, kind: int, body: bytes = b"") -> bytes:
        """Send a message, and wait for the answer."""
        self._socket.sendall(_HEADER.pack(_MAGIC, len(body), kind) + body)
        while (message := self._next()) is None:
            self._receive()
        return message

    def drain(self) -> bool:
        """Read all events that have arrived. Returns whether there were any."""
        has_events = False
        with suppress(BlockingIOError):
            while True:
                self._receive()
                while self._next() is not None:
                    has_events = True
        return has_events

    def close(self) -> None:
        self._socket.close()

    def _receive(self) -> None:
        received = self._socket.recv(1 << 16)
        if not received:
            raise ConnectionResetError("the session has ended")
        self._received += received

    def _next(self) -> bytes | None:
        if len(self._received) < _HEADER.size:
            return None
        _, length, _ = _HEADER.unpack_from(self._received)
        end = _HEADER.size + length
        if len(self._received) < end:
            return None
        message, self._received = self._received[_HEADER.size : end], self._received[end:]
        return message


# Wayland: as much of it as reports when input stops and starts again.


class IdleUnsupported(Exception):
    """The compositor has no protocol that reports input."""


# By interface: the number and the arguments of the request for notifications after a time without input.
_NOTIFIERS: Final[dict[str, tuple[int, Callable[[int, int, int], bytes]]]] = {
    "ext_idle_notifier_v1": (1, lambda new, seat, timeout: struct.pack("=III", new, timeout, seat)),
    "org_kde_kwin_idle": (0, lambda new, seat, timeout: struct.pack("=III", new, seat, timeout)),
}
_DISPLAY, _REGISTRY, _CALLBACK, _SEAT, _NOTIFIER, _NOTIFICATION, _LAST_CALLBACK = range(1, 8)  # ids of our objects
_IDLED, _RESUMED = 0, 1  # events, the same in both protocols
_IDLE_AFTER_S: Final = 1.0


class WaylandIdle:
    """Notifications of a compositor about input, from the first seat. Raises IdleUnsupported and OSError."""

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(_TIMEOUT_S)
        self._socket.connect(str(path))
        self._received = b""
        self._idle_since: float | None = None  # monotonic, as the next one
        self._resumed_at: float | None = None
        self._globals: dict[str, int] = {}
        self._is_answered = False
        self._send(_DISPLAY, 1, struct.pack("=I", _REGISTRY))
        self._wait(_CALLBACK)
        interface = next((name for name in _NOTIFIERS if name in self._globals), None)
        if interface is None or "wl_seat" not in self._globals:
            self._socket.close()
            raise IdleUnsupported("the compositor supports neither ext-idle-notify nor KDE's idle protocol")
        self._bind("wl_seat", _SEAT)
        self._bind(interface, _NOTIFIER)
        opcode, arguments = _NOTIFIERS[interface]
        self._send(_NOTIFIER, opcode, arguments(_NOTIFICATION, _SEAT, round(_IDLE_AFTER_S * 1000)))
        self._wait(_LAST_CALLBACK)
        self._socket.setblocking(False)

    def seconds(self) -> float:
        """The time since the last input; 0 if that is less than a second ago.

        The first time after a pause it is the time since the input that ended the pause.
        """
        known, self._resumed_at = self._idle_since or self._resumed_at, None
        return 0.0 if known is None else time.monotonic() - known

    def fileno(self) -> int:
        return self._socket.fileno()

    def read(self) -> None:
        """Take in what has arrived, without waiting."""
        with suppress(BlockingIOError):
            while True:
                self._receive()

    def close(self) -> None:
        self._socket.close()

    def _bind(self, interface: str, new: int) -> None:
        text = interface.encode() + b"\0"
        padded = text + bytes(-len(text) % 4)
        arguments = struct.pack("=II", self._globals[interface], len(text)) + padded + struct.pack("=II", 1, new)
        self._send(_REGISTRY, 0, arguments)

    def _wait(self, callback: int) -> None:
        """Wait until the compositor has answered everything before."""
        self._is_answered = False
        self._send(_DISPLAY, 0, struct.pack("=I", callback))
        while not self._is_answered:
            self._receive()

    def _send(self, sender: int, opcode: int, arguments: bytes) -> None:
        self._socket.sendall(struct.pack("=II", sender, (8 + len(arguments)) << 16 | opcode) + arguments)

    def _receive(self) -> None:
        received = self._socket.recv(1 << 16)
        if not received:
            raise ConnectionResetError("the session has ended")
        self._received += received
        while len(self._received) >= 8:
            sender, word = struct.unpack_from("=II", self._received)
            size = word >> 16
            if len(self._received) < size:
                return
            arguments, self._received = self._received[8:size], self._received[size:]
            self._take(sender, word & 0xFFFF, arguments)

    def _take(self, sender: int, opcode: int, arguments: bytes) -> None:
        if sender == _DISPLAY and opcode == 0:
            raise ConnectionAbortedError("the compositor reports an error in the protocol")
        if sender == _REGISTRY and opcode == 0:
            number, length = struct.unpack_from("=II", arguments)
            self._globals.setdefault(arguments[8 : 8 + length - 1].decode(), number)
        elif sender in (_CALLBACK, _LAST_CALLBACK):
            self._is_answered = True
        elif sender == _NOTIFICATION and opcode == _IDLED:
            self._idle_since = time.monotonic() - _IDLE_AFTER_S
        elif sender == _NOTIFICATION and opcode == _RESUMED:
            self._idle_since, self._resumed_at = None, time.monotonic()


def _wayland_socket(environment: Mapping[str, str]) -> Path:
    folder = environment.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}"
    return Path(folder) / (environment.get("WAYLAND_DISPLAY") or "wayland-0")
