"""Waiting for what another thread or process will have done soon."""

import asyncio
import time
from collections.abc import Callable
from typing import Any, Final

# No test measures with this: it only ends a run in which something will never happen. On a busy machine a process of
# the lowest priority may need a hundred times as long as on a quiet one.
PATIENCE_S: Final = 300.0


def eventually(is_so: Callable[[], bool]) -> None:
    """Return as soon as it is so; fail when it never is."""
    deadline = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < deadline, f"it was not so within {PATIENCE_S:.0f} seconds"
        time.sleep(0.02)


async def eventually_async(
    is_so: Callable[[], bool], *, during: asyncio.Future[Any] | None = None, pause_s: float = 0.002
) -> None:
    """Return as soon as it is so, and let the tasks of the event loop run until then.

    Fails at once if it can only be so `during` something, and that is over.
    """
    deadline = time.monotonic() + PATIENCE_S
    while not is_so():
        assert during is None or not during.done(), "it was over before it was seen"
        assert time.monotonic() < deadline, f"it was not so within {PATIENCE_S:.0f} seconds"
        await asyncio.sleep(pause_s)
