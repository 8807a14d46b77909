"""Ctrl-C in work that must not be interrupted halfway."""

import select
import signal
import socket
from collections.abc import Callable, Generator
from contextlib import contextmanager


@contextmanager
def ctrl_c_deferred() -> Generator[Callable[[float], bool]]:
    """A function that waits this many seconds for Ctrl-C and returns whether it was pressed. Ctrl-C raises nothing.

    It closes a socket instead of setting a `threading.Event`, whose lock may be held by the interrupted code.
    """
    ours, theirs = socket.socketpair()
    with ours, theirs:
        before = signal.signal(signal.SIGINT, lambda _number, _frame: theirs.close())
        try:
            yield lambda seconds: bool(select.select([ours], [], [], seconds)[0])
        finally:
            signal.signal(signal.SIGINT, before)
