"""The process of a command: its versions, service manager, event loop, standard streams and home folder.

`dayline --version` loads only this module, so it imports little.
"""

import os
import sys
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TextIO

from dayline import __version__


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
    if os.path.expanduser("~").startswith("~"):  # what Path.home checks
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


def versions(*, is_json: bool = False) -> str:
    """What a bug report needs, in one line."""
    import apsw  # here and below, because other commands start faster without them

    system, python, sqlite = _system(), sys.version.partition(" ")[0], apsw.sqlite_lib_version()
    if not is_json:
        return f"dayline {__version__} (Python {python}, SQLite {sqlite}, {system})"
    import json

    return json.dumps({"version": __version__, "python": python, "sqlite": sqlite, "platform": system})


def _system() -> str:
    """The name and release of the system, and the machine."""
    if hasattr(os, "uname"):
        name = os.uname()
        return f"{name.sysname} {name.release} {name.machine}"
    import platform

    return f"{platform.system()} {platform.release()} {platform.machine()}"


def print_whole(text: str, stream: TextIO | None) -> None:
    """Write a line to a standard stream, and exit with 1 if that fails. None was closed before the start."""
    open_missing()
    if stream is None:
        return
    try:
        stream.write(f"{text}\n")
        stream.flush()
    except OSError:
        drop_unwritable(stream)
        sys.exit(1)
