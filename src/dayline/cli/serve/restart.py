"""Restarts the server in place: the process id and the listening TCP sockets stay, so no connection is refused."""

import os
import socket
import sys
from collections.abc import Iterable
from typing import Final, NoReturn

import msgspec
from msgspec import Struct

from dayline.cli.options.settings import Settings
from dayline.model.errors import Unavailable

_VARIABLE: Final = "DAYLINE_RESTARTED"  # set for the restarted server only: commands that it starts do not see it
_TCP: Final = (socket.AF_INET, socket.AF_INET6)


class _Kept(Struct, frozen=True):
    """The listening sockets that a server left open, and the settings that they were opened with."""

    host: str
    port: int
    sockets: tuple[int, ...]


class Restart:
    """What a start takes over from the server that this process was before, and leaves to the next one."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._kept: list[socket.socket] = []
        self.is_due = False
        text = os.environ.pop(_VARIABLE, None)
        self.is_restarted = text is not None
        self._inherited: list[socket.socket] = [] if text is None else self._adopted(text)

    def take_sockets(self) -> list[socket.socket]:
        """The TCP sockets of the server before; empty after an ordinary start, or if other addresses are set now."""
        sockets, self._inherited = self._inherited, []
        return sockets

    def keep(self, sockets: Iterable[socket.socket]) -> None:
        """Keep TCP sockets open: clients that connect wait until the restarted server accepts them."""
        self._kept = [sock.dup() for sock in sockets if sock.family in _TCP]

    def execute(self) -> NoReturn:
        """Start the command of this process again, in this process. Raises Unavailable if the system cannot do that."""
        if sys.platform == "win32":
            raise Unavailable(
                f"{self._settings.database.name} is damaged, and the server has stopped",
                hint="start it again: it continues in a recovery file and restores what can be read",
            )
        numbers = tuple(sock.fileno() for sock in self._kept)
        kept = _Kept(host=self._settings.server.host, port=self._settings.port, sockets=numbers)
        os.environ[_VARIABLE] = msgspec.json.encode(kept).decode()
        for number in numbers:
            os.set_inheritable(number, True)
        try:
            os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])
        except OSError as error:  # Python was removed or replaced while the server ran
            raise Unavailable(
                f"the server has stopped and cannot start again: {sys.executable}: {error.strerror}",
                hint="start it again: it continues in a recovery file and restores what can be read",
            ) from error

    def _adopted(self, text: str) -> list[socket.socket]:
        try:
            kept = msgspec.json.decode(text, type=_Kept)
            sockets = [socket.socket(fileno=number) for number in kept.sockets]
        except (msgspec.DecodeError, OSError):
            return []
        for sock in sockets:
            sock.set_inheritable(False)
        if (kept.host, kept.port) == (self._settings.server.host, self._settings.port):
            return sockets
        for sock in sockets:
            sock.close()
        return []
