"""A socket of a program of the desktop session."""

import os
import socket
from typing import Final

from dayline.model.errors import Unavailable

_TIMEOUT_S: Final = 10.0  # for the program to answer


class SessionSocket:
    """A connection to `program`, as messages call it. Raises Unavailable if it cannot be reached, or not any more.

    Reading and writing wait, for ten seconds at most, until `set_blocking` changes that.
    """

    def __init__(self, program: str, path: str | os.PathLike[str]) -> None:
        self._program = program
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(_TIMEOUT_S)
        try:
            self._socket.connect(os.fspath(path))
        except OSError as error:
            self._socket.close()
            raise Unavailable(
                f"cannot connect to {program} at {path}: {error.strerror or error}", hint="is the session running?"
            ) from error

    def fileno(self) -> int:
        return self._socket.fileno()

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

    def close(self) -> None:
        self._socket.close()
