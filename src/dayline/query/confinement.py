"""What a query process does to itself before it serves, so that the machine stays usable whatever it is asked."""

import contextlib
import ctypes
import os
import signal
import sys
from pathlib import Path
from typing import Final

_NICENESS: Final = 10
_OOM_SCORE: Final = 500  # of 1,000: where memory runs out, the system ends this process before the one that records


def confine(*, memory_mib: int) -> None:
    """Limit the memory, give way to others, and leave Ctrl-C to the recording process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "win32":
        return
    import resource  # here, because Windows has none

    os.nice(_NICENESS)
    # Only Linux counts what is really taken; elsewhere the whole address space has to do.
    kind = resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS
    _, most = resource.getrlimit(kind)
    limit = memory_mib << 20
    with contextlib.suppress(ValueError):  # macOS has the call, and refuses some limits
        resource.setrlimit(kind, (limit if most == resource.RLIM_INFINITY else min(limit, most), most))
    if sys.platform == "linux":
        _offer_to_the_system()


def give_back_memory() -> None:
    """Hand memory that is free but scattered back to the system, where the C library can."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):  # not every Linux has glibc
            ctypes.CDLL(None).malloc_trim(0)


def _offer_to_the_system() -> None:
    try:
        Path("/proc/self/oom_score_adj").write_text(f"{_OOM_SCORE}\n")
    except OSError:
        return  # not in every container; nothing else depends on it
