"""What the system keeps from a process, or shows it: protected memory, and containers."""

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import Final

_PR_SET_DUMPABLE: Final = 4

_CONTAINER_FILES: Final = ("/.dockerenv", "/run/.containerenv", "/run/systemd/container")
_CONTAINER_VARIABLES: Final = ("container", "KUBERNETES_SERVICE_HOST")


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


def is_in_container() -> bool:
    """Whether this process runs in a container, as far as the system shows it."""
    return any(name in os.environ for name in _CONTAINER_VARIABLES) or any(map(os.path.exists, _CONTAINER_FILES))
