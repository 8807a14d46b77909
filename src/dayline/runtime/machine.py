"""This computer: its service manager, event loop, standard streams, home folder, time zone, and containers."""

import os
import sys
from collections.abc import Coroutine, Generator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, TextIO


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


_PR_SET_DUMPABLE: Final = 4


def protect_memory() -> None:
    """Keep the memory of this process out of core dumps, and from being read by other processes of the user.

    Both are inherited by child processes, except that on Linux another program can be dumped again: it calls this too.
    """
    with suppress(ImportError, OSError, ValueError):  # Windows has no such limit
        import resource  # here, because few commands need it

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # The limit does not apply to a program that receives core dumps through a pipe, such as systemd-coredump.
    _set_dumpable(0)


@contextmanager
def writable_process_files() -> Generator[None]:
    """For the block, let this process write its files in `/proc`: protected memory makes them root's. Keep it short."""
    _set_dumpable(1)
    try:
        yield
    finally:
        _set_dumpable(0)


def _set_dumpable(value: int) -> None:
    if sys.platform == "linux":
        import ctypes  # here, because few commands need it

        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, value, 0, 0, 0)


# Standard streams that are closed, or that cannot be written any more: a full disk, a closed pipe.


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


# The time zone.


_ZONES: Final = "zoneinfo/"


def machine_zone(*, localtime: Path = Path("/etc/localtime"), timezone: Path = Path("/etc/timezone")) -> str | None:
    """A name such as Europe/Berlin, from TZ, /etc/localtime, /etc/timezone, or the Windows registry.

    None if none of them has a name.
    """
    variable = os.environ.get("TZ", "").removeprefix(":")
    if variable and _is_name(variable):
        return variable
    if sys.platform == "win32":
        return _windows_zone()
    try:
        target = os.path.realpath(localtime)
    except OSError:
        target = ""
    name = target.partition(_ZONES)[2] if _ZONES in target else ""
    if not name:
        try:
            name = timezone.read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError):
            return None
    name = name.removeprefix("posix/").removeprefix("right/")
    return name if _is_name(name) else None


def _windows_zone() -> str | None:
    from tzlocal import get_localzone_name  # imported here because it is installed only on Windows

    with suppress(OSError, LookupError):
        name = get_localzone_name()
        if _is_name(name):
            return name
    return None


def _is_name(name: str) -> bool:
    """Whether it is a zone that servers know; TZ may also be a path or a rule."""
    package = find_spec("tzdata")
    if package is None or not package.submodule_search_locations:
        return False
    return name in (Path(package.submodule_search_locations[0]) / "zones").read_text("utf-8").split()


# Containers.


_CONTAINER_FILES: Final = ("/.dockerenv", "/run/.containerenv", "/run/systemd/container")
_CONTAINER_VARIABLES: Final = ("container", "KUBERNETES_SERVICE_HOST")


def is_in_container() -> bool:
    """Whether this process runs in a container, as far as the system shows it."""
    return any(name in os.environ for name in _CONTAINER_VARIABLES) or any(map(os.path.exists, _CONTAINER_FILES))
