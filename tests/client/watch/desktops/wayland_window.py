"""A program with one Wayland window: `python -m … APP`. Each line of standard input is its title, from the first on.

Small, and independent of fonts and graphics drivers, which compositors without a screen may not have.
"""

import os
import select
import socket
import struct
import subprocess
import sys
from collections.abc import Mapping
from typing import Final

from dayline.client.watch.desktops.wayland import WaylandConnection

_SIZE: Final = 64  # of the window, in pixels


class Window:
    def __init__(self, connection: WaylandConnection, app: str) -> None:
        self._connection = connection
        self._shell = connection.bind("xdg_wm_base", self._ping)
        compositor = connection.bind("wl_compositor")
        self._surface = connection.new_id()
        connection.send(compositor, 0, struct.pack("=I", self._surface))
        self._shell_surface = connection.new_id(self._configure)
        connection.send(self._shell, 2, struct.pack("=II", self._shell_surface, self._surface))
        self._toplevel = connection.new_id()
        connection.send(self._shell_surface, 1, struct.pack("=I", self._toplevel))
        connection.send(self._toplevel, 3, string(app))
        self._buffer = self._new_buffer()

    def show(self, title: str) -> None:
        self._connection.send(self._toplevel, 2, string(title))
        self._connection.send(self._surface, 6, b"")

    def _ping(self, _event: int, serial: bytes) -> None:
        self._connection.send(self._shell, 3, serial)

    def _configure(self, _event: int, serial: bytes) -> None:
        self._connection.send(self._shell_surface, 4, serial)
        self._connection.send(self._surface, 1, struct.pack("=Iii", self._buffer, 0, 0))
        self._connection.send(self._surface, 2, struct.pack("=iiii", 0, 0, _SIZE, _SIZE))
        self._connection.send(self._surface, 6, b"")

    def _new_buffer(self) -> int:
        pixels = os.memfd_create("pixels")
        os.ftruncate(pixels, _SIZE * _SIZE * 4)
        memory = self._connection.bind("wl_shm")
        pool, buffer = self._connection.new_id(), self._connection.new_id()
        # The one request with a file: its head, the new object and the size.
        message = struct.pack("=IIIi", memory, 16 << 16, pool, _SIZE * _SIZE * 4)
        with socket.socket(fileno=os.dup(self._connection.fileno())) as stream:
            socket.send_fds(stream, [message], [pixels])
        self._connection.send(pool, 0, struct.pack("=IiiiiI", buffer, 0, _SIZE, _SIZE, _SIZE * 4, 0))
        return buffer


def string(text: str) -> bytes:
    """A text as an argument of a request."""
    value = text.encode() + b"\0"
    return struct.pack("=I", len(value)) + value + bytes(-len(value) % 4)


def main() -> None:
    connection = WaylandConnection(os.environ)
    window = Window(connection, sys.argv[1])
    while True:
        connection.read()
        readable, _, _ = select.select([connection, sys.stdin], [], [])
        if sys.stdin in readable:
            title = sys.stdin.readline()
            if not title:
                return
            window.show(title.rstrip("\n"))


class WaylandProgram:
    """Such a program in a process of its own, in the session of these variables."""

    def __init__(self, app: str, variables: Mapping[str, str]) -> None:
        command = [sys.executable, "-m", __name__, app]
        self._process = subprocess.Popen(
            command, env={**os.environ, **variables}, stdin=subprocess.PIPE, text=True, bufsize=1
        )

    def set_title(self, title: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{title}\n")

    def close(self) -> None:
        self._process.communicate()


if __name__ == "__main__":
    main()
