"""Observes a session of sway: windows over its IPC socket, input by the idle protocols of Wayland."""

import json
import select
import socket
import struct
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from dayline.client.watch.desktop import NO_WINDOW, UNKNOWN, Window
from dayline.client.watch.wayland import (
    IdleNotifications,
    ProtocolUnsupported,
    WaylandConnection,
    wayland_socket,
)
from dayline.model.errors import Unavailable

_TIMEOUT_S: Final = 10.0  # for sway to answer


class SwayDesktop:
    """A connection to the sway at a socket, which SWAYSOCK names. Implements Desktop."""

    def __init__(self, path: str, environment: Mapping[str, str]) -> None:
        self.limitation: str | None = None
        self._poll = select.epoll()
        self._wayland: WaylandConnection | None = None
        self._idle: IdleNotifications | None = None
        try:
            self._events, self._queries = _Ipc(path), _Ipc(path)
            self._events.call(_SUBSCRIBE, b'["window","workspace","shutdown"]')
            self._events.set_blocking(False)
            self._poll.register(self._events.fileno(), select.EPOLLIN)
            self._wayland = WaylandConnection(wayland_socket(environment))
            self._idle = IdleNotifications(self._wayland)
            self._poll.register(self._wayland.fileno(), select.EPOLLIN)
        except ProtocolUnsupported as error:
            self.limitation = f"it is not recorded whether you are away: {error}"
        except OSError as error:
            raise Unavailable(
                f"cannot connect to sway at {path}: {error.strerror}", hint="is the session running?"
            ) from error

    def fileno(self) -> int:
        return self._poll.fileno()

    def has_changed(self) -> bool:
        try:
            if self._idle is not None and self._wayland is not None:
                self._wayland.read()
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
        if self._idle is None or self._wayland is None:
            return None
        try:
            self._wayland.read()
        except OSError as error:
            raise _ended(error) from error
        return self._idle.seconds()

    def close(self) -> None:
        self._poll.close()
        self._events.close()
        self._queries.close()
        if self._wayland is not None:
            self._wayland.close()


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
