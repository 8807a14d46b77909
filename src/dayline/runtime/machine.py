"""Notifications to the service manager, the event loop, and containers."""

import asyncio
import os
import socket
import sys
from collections.abc import Coroutine
from typing import Any, Final

from dayline.runtime.streams import drop_unwritable


def notify(state: str) -> None:
    """Send `READY=1` or the like to systemd's socket, if there is one."""
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


# The event loop of long-running commands.


def run_on_loop(main: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine on the fastest event loop of the system."""
    try:
        if sys.platform == "win32":
            asyncio.run(main)
        else:
            import uvloop  # imported here because other commands start faster without it

            uvloop.run(main)
    finally:
        drop_unwritable(sys.stdout)


# Containers.


_CONTAINER_FILES: Final = ("/.dockerenv", "/run/.containerenv", "/run/systemd/container")
_CONTAINER_VARIABLES: Final = ("container", "KUBERNETES_SERVICE_HOST")


def is_in_container() -> bool:
    """Whether this process runs in a container, as far as the system shows it."""
    return any(name in os.environ for name in _CONTAINER_VARIABLES) or any(map(os.path.exists, _CONTAINER_FILES))
