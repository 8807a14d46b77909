"""Standard streams that are closed, or that can no longer be written: a full disk, a closed pipe."""

import contextlib
import os
from typing import TextIO


def open_missing() -> None:
    """Connect standard streams that were closed before the start to nothing.

    Otherwise the first socket or file that is opened gets the number of one, and what libraries write to standard
    error goes into it.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest number that is free


def drop_unwritable(stream: TextIO | None) -> None:
    """Flush a standard stream; if that fails, drop what it still holds.

    Python flushes both streams when it exits, and exits with 120 if it cannot. For a server that has stored everything
    that would be a failure which its service manager acts on.
    """
    if stream is None:
        return
    try:
        stream.flush()
    except (OSError, ValueError):
        with contextlib.suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)
