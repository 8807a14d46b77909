"""Waiting for what another process will have done soon."""

import time
from collections.abc import Callable


def eventually(is_so: Callable[[], bool], *, within_s: float = 20) -> None:
    """Return as soon as it is so; fail when it never is."""
    deadline = time.monotonic() + within_s
    while not is_so():
        assert time.monotonic() < deadline, f"it was not so within {within_s} seconds"
        time.sleep(0.02)
