"""Observes a session of sway: windows over its IPC socket, input by the idle protocols of Wayland."""

import json
import select
import struct
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from dayline.client.watch.desktop import NO_WINDOW, UNKNOWN, SessionSocket, Window
from dayline.client.watch.desktops.wayland import IdleNotifications, WaylandConnection

# The IPC of i3 and sway: a magic word, the length and the type of the message, and JSON.
_MAGIC: Final = b"i3-ipc"
_HEADER: Final = struct.Struct("=6sII")
_SUBSCRIBE: Final = 2
_GET_TREE: Final = 4


class SwayDesktop:
    """A connection to the sway at a socket, which SWAYSOCK names. Implements Desktop."""

    interval_s: float | None = None

    def __init__(self, path: str, environment: Mapping[str, str]) -> None:
        self._events, self._queries = _Ipc(path), _Ipc(path)
        self._events.call(_SUBSCRIBE, b'["window","workspace","shutdown"]')
        self._events.socket.set_blocking(False)
        self._wayland = WaylandConnection(environment)
        idle = IdleNotifications(self._wayland)
        self.limitation, self.idle_s = idle.limitation, idle.seconds
        self._poll = select.epoll()
        self.fileno = self._poll.fileno
        for source in (self._events.socket, self._wayland):
            self._poll.register(source.fileno(), select.EPOLLIN)

    def has_changed(self) -> bool:
        self._wayland.read()
        return self._events.drain()

    def window(self) -> Window | None:
        return _focused(json.loads(self._queries.call(_GET_TREE))) or NO_WINDOW

    def close(self) -> None:
        self._poll.close()
        self._events.socket.close()
        self._queries.socket.close()
        self._wayland.close()


def _focused(node: dict[str, Any]) -> Window | None:
    """The focused window of a tree; None if a workspace without windows has the focus."""
    children = [*node.get("nodes", ()), *node.get("floating_nodes", ())]
    if node.get("focused") and not children and node.get("type") in ("con", "floating_con"):
        of_x11: dict[str, Any] = node.get("window_properties") or {}
        return Window(app=node.get("app_id") or of_x11.get("class") or UNKNOWN, title=node.get("name") or UNKNOWN)
    return next((window for child in children if (window := _focused(child)) is not None), None)


class _Ipc:
    def __init__(self, path: str) -> None:
        self.socket = SessionSocket("sway", path)
        self._received = b""

    def call(self, kind: int, body: bytes = b"") -> bytes:
        """Send a message, and wait for the response."""
        self.socket.send(_HEADER.pack(_MAGIC, len(body), kind) + body)
        while (message := self._next()) is None:
            self._received += self.socket.receive()
        return message

    def drain(self) -> bool:
        """Read all events that have arrived. Returns whether there were any."""
        has_events = False
        with suppress(BlockingIOError):
            while True:
                self._received += self.socket.receive()
                while self._next() is not None:
                    has_events = True
        return has_events

    def _next(self) -> bytes | None:
        if len(self._received) < _HEADER.size:
            return None
        _, length, _ = _HEADER.unpack_from(self._received)
        end = _HEADER.size + length
        if len(self._received) < end:
            return None
        message, self._received = self._received[_HEADER.size : end], self._received[end:]
        return message
