"""Standard streams that are closed, or that cannot be written any more: a full disk, a closed pipe."""

import contextlib
import os
from typing import TextIO


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
        with contextlib.suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)
