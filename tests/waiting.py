"""Waiting for what another thread or process will have done soon."""

import time
from collections.abc import Callable
from typing import Final

# No test measures with this: it only ends a run in which something will never happen. On a busy machine a process of
# the lowest priority may need a hundred times as long as on a quiet one.
PATIENCE_S: Final = 300.0


def eventually(is_so: Callable[[], bool]) -> None:
    """Return as soon as it is so; fail when it never is."""
    deadline = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < deadline, f"it was not so within {PATIENCE_S:.0f} seconds"
        time.sleep(0.02)
