"""Wayland, as much of it as watchers need: which window is active, and when input stops and starts again."""

import struct
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Final, TypeAlias

from dayline.client.watch.desktop import NO_WINDOW, UNKNOWN, Limitation, SessionSocket, Window, runtime_folder
from dayline.model.errors import Unavailable

TOPLEVELS: Final = "zwlr_foreign_toplevel_manager_v1"
_DISPLAY, _REGISTRY = 1, 2
_FIRST_ID: Final = 3

Handler: TypeAlias = Callable[[int, bytes], None]  # the number of the event, and its arguments


def has_toplevels(environment: Mapping[str, str]) -> bool:
    """Whether the compositor of a session reports its windows. False if it cannot be reached."""
    try:
        connection = WaylandConnection(environment)
    except Unavailable:
        return False
    connection.close()
    return TOPLEVELS in connection.globals


class WaylandDesktop:
    """A session whose compositor has wlr-foreign-toplevel-management: those of wlroots, and others. A Desktop."""

    interval_s: float | None = None

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._wayland = WaylandConnection(environment)
        self._toplevels = Toplevels(self._wayland)
        idle = IdleNotifications(self._wayland)
        self.limitation, self.idle_s = idle.limitation, idle.seconds
        self.fileno = self._wayland.fileno
        self.close = self._wayland.close

    def has_changed(self) -> bool:
        self._wayland.read()
        return self._toplevels.take_change()

    def window(self) -> Window | None:
        self._wayland.read()
        return self._toplevels.active()


class Toplevels:
    """The windows of a session, by wlr-foreign-toplevel-management. Raises Unavailable without that protocol."""

    def __init__(self, connection: "WaylandConnection") -> None:
        self._connection = connection
        self._windows: dict[int, _Toplevel] = {}
        self._has_changed = True
        if TOPLEVELS not in connection.globals:
            raise Unavailable("the compositor does not support wlr-foreign-toplevel-management")
        connection.bind(TOPLEVELS, self._manage)
        connection.wait()

    def active(self) -> Window:
        """The active window; NO_WINDOW if none is."""
        window = next((each for each in self._windows.values() if each.is_active), None)
        return NO_WINDOW if window is None else Window(app=window.app or UNKNOWN, title=window.title or UNKNOWN)

    def take_change(self) -> bool:
        """Whether a window has changed since the last call."""
        has_changed, self._has_changed = self._has_changed, False
        return has_changed

    def _manage(self, event: int, arguments: bytes) -> None:
        if event == 0:  # a window that was opened, or was there before
            (number,) = struct.unpack_from("=I", arguments)
            self._windows[number] = _Toplevel()
            self._connection.listen(number, lambda event, arguments: self._take(number, event, arguments))

    def _take(self, number: int, event: int, arguments: bytes) -> None:
        window = self._windows[number]
        match event:
            case 0:
                window.pending.title = _text(arguments)
            case 1:
                window.pending.app = _text(arguments)
            case 4:
                (length,) = struct.unpack_from("=I", arguments)
                states = struct.unpack_from(f"={length // 4}I", arguments, 4)
                window.pending.is_active = _ACTIVATED in states
            case 5:  # the end of changes that belong together
                window.apply()
                self._has_changed = True
            case 6:  # closed
                del self._windows[number]
                self._connection.forget(number)
                self._connection.send(number, _DESTROY, b"")
                self._has_changed = True
            case _:
                pass


_ACTIVATED: Final = 2  # among the states of a window
_DESTROY: Final = 7  # a request of a window


class _Properties:
    def __init__(self) -> None:
        self.title = ""
        self.app = ""
        self.is_active = False


class _Toplevel(_Properties):
    """A window: as it is, and with changes that are not complete yet."""

    def __init__(self) -> None:
        super().__init__()
        self.pending = _Properties()

    def apply(self) -> None:
        self.title, self.app, self.is_active = self.pending.title, self.pending.app, self.pending.is_active


# By interface: the number and the arguments of the request for notifications after a time without input.
_NOTIFIERS: Final[dict[str, tuple[int, Callable[[int, int, int], bytes]]]] = {
    "ext_idle_notifier_v1": (1, lambda new, seat, timeout: struct.pack("=III", new, timeout, seat)),
    "org_kde_kwin_idle": (0, lambda new, seat, timeout: struct.pack("=III", new, seat, timeout)),
}
_IDLED, _RESUMED = 0, 1  # events, the same in both protocols
_IDLE_AFTER_S: Final = 1.0
_NO_IDLE_TIME: Final = Limitation(
    message="it is not recorded whether you are away: the compositor supports neither ext-idle-notify nor KDE's idle "
    "protocol"
)


class IdleNotifications:
    """Notifications of a compositor about input, from the first seat, if it has a protocol for them."""

    def __init__(self, connection: "WaylandConnection") -> None:
        self.limitation: Limitation | None = None
        self._connection = connection
        self._idle_since: float | None = None  # monotonic, as the next one
        self._resumed_at: float | None = None
        interface = next((name for name in _NOTIFIERS if name in connection.globals), None)
        if interface is None or "wl_seat" not in connection.globals:
            self.limitation = _NO_IDLE_TIME
            return
        seat = connection.bind("wl_seat")
        notifier = connection.bind(interface)
        opcode, arguments = _NOTIFIERS[interface]
        notification = connection.new_id(self._take)
        connection.send(notifier, opcode, arguments(notification, seat, round(_IDLE_AFTER_S * 1000)))
        connection.wait()

    def seconds(self) -> float | None:
        """The time since the last input; 0 if that is less than a second ago. None without a protocol.

        The first time after a pause it is the time since the input that ended the pause.
        """
        self._connection.read()
        if self.limitation is not None:
            return None
        known, self._resumed_at = self._idle_since or self._resumed_at, None
        return 0.0 if known is None else time.monotonic() - known

    def _take(self, event: int, _arguments: bytes) -> None:
        if event == _IDLED:
            self._idle_since = time.monotonic() - _IDLE_AFTER_S
        elif event == _RESUMED:
            self._idle_since, self._resumed_at = None, time.monotonic()


class WaylandConnection:
    """A connection to the compositor of a session. Raises Unavailable if it cannot be reached, or not any more."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        path = runtime_folder(environment) / (environment.get("WAYLAND_DISPLAY") or "wayland-0")
        self.globals: dict[str, int] = {}  # by interface: the number to bind it with
        self._socket = SessionSocket("the compositor", path)
        self.fileno, self.close = self._socket.fileno, self._socket.close
        self._received = b""
        self._next_id = _FIRST_ID
        self._handlers: dict[int, Handler] = {_DISPLAY: self._display, _REGISTRY: self._registry}
        self.send(_DISPLAY, 1, struct.pack("=I", _REGISTRY))
        self.wait()

    def bind(self, interface: str, handler: Handler | None = None) -> int:
        """A new object for a global interface, in its first version. `handler` gets its events."""
        text = interface.encode() + b"\0"
        padded = text + bytes(-len(text) % 4)
        new = self.new_id(handler)
        head = struct.pack("=II", self.globals[interface], len(text))
        self.send(_REGISTRY, 0, head + padded + struct.pack("=II", 1, new))
        return new

    def new_id(self, handler: Handler | None = None) -> int:
        """The id of an object that a request creates."""
        number, self._next_id = self._next_id, self._next_id + 1
        if handler is not None:
            self.listen(number, handler)
        return number

    def listen(self, number: int, handler: Handler) -> None:
        """Pass events of an object on."""
        self._handlers[number] = handler

    def forget(self, number: int) -> None:
        """Ignore further events of an object."""
        self._handlers.pop(number, None)

    def send(self, sender: int, opcode: int, arguments: bytes) -> None:
        self._socket.send(struct.pack("=II", sender, (8 + len(arguments)) << 16 | opcode) + arguments)

    def wait(self) -> None:
        """Wait until the compositor has answered everything before."""
        is_answered = False

        def answer(_event: int, _arguments: bytes) -> None:
            nonlocal is_answered
            is_answered = True

        self._socket.set_blocking(True)
        callback = self.new_id(answer)
        self.send(_DISPLAY, 0, struct.pack("=I", callback))
        while not is_answered:
            self._receive()
        self.forget(callback)
        self._socket.set_blocking(False)

    def read(self) -> None:
        """Take in what has arrived, without waiting."""
        with suppress(BlockingIOError):
            while True:
                self._receive()

    def _receive(self) -> None:
        """Take in what has arrived. Raises BlockingIOError if there is nothing."""
        self._received += self._socket.receive()
        while len(self._received) >= 8:
            sender, word = struct.unpack_from("=II", self._received)
            size = word >> 16
            if len(self._received) < size:
                return
            arguments, self._received = self._received[8:size], self._received[size:]
            handler = self._handlers.get(sender)
            if handler is not None:
                handler(word & 0xFFFF, arguments)

    def _display(self, event: int, _arguments: bytes) -> None:
        if event == 0:
            raise self._socket.ended("error in the protocol")

    def _registry(self, event: int, arguments: bytes) -> None:
        if event == 0:
            (number,) = struct.unpack_from("=I", arguments)
            self.globals.setdefault(_text(arguments[4:]), number)


def _text(arguments: bytes) -> str:
    (length,) = struct.unpack_from("=I", arguments)
    return arguments[4 : 4 + length - 1].decode("utf-8", "replace")
