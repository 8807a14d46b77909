"""The process of a command: its service manager, event loop, standard streams and home folder."""

import os
import sys
from collections.abc import Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO


def notify(state: str) -> None:
    """Send `READY=1` or the like to systemd's socket, if there is one."""
    import socket  # here, because other commands start faster without it

    address = os.environ.get("NOTIFY_SOCKET")
    if not address or not hasattr(socket, "AF_UNIX"):
        return
    if address.startswith("@"):
        address = f"\0{address[1:]}"  # a name in the abstract namespace
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
        try:
            sock.connect(address)
            sock.sendall(state.encode())
        except OSError:
            return  # a supervisor that does not listen is not an error


def run_on_loop(main: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine on the fastest event loop of the system."""
    try:
        if sys.platform == "win32":
            import asyncio  # here and below, because other commands start faster without them

            asyncio.run(main)
        else:
            import uvloop

            uvloop.run(main)
    finally:
        drop_unwritable(sys.stdout)


def open_missing() -> None:
    """Connect standard streams that were closed before the start to the null device.

    Otherwise the first socket or file that is opened gets one of their numbers, and libraries would write to it as
    standard error.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free number


def assume_home() -> None:
    """Give a user without an account and without HOME, as in some containers, the home of accounts that have none.

    Nothing is in /nonexistent, and nothing can be created there: files that are named by flags work.
    """
    try:
        Path.home()
    except RuntimeError:
        os.environ["HOME"] = "/nonexistent"


def drop_unwritable(stream: TextIO | None) -> None:
    """Flush a standard stream; if that fails, discard its buffer.

    Python flushes both streams at exit, and exits with 120 if that fails. A service manager would treat that as a
    failure of the server, although everything is stored.
    """
    if stream is None:
        return
    try:
        stream.flush()
    except (OSError, ValueError):
        with suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)
