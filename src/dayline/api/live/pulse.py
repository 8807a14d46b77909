"""Work that is asked for often, and done soon, but not more often than once in a while."""

import asyncio
from collections.abc import Callable


class Pulse:
    """Calls `action` `soon_s` after it was first asked to, and never twice within `interval_s`. On the event loop."""

    def __init__(self, action: Callable[[], None], *, interval_s: float, soon_s: float) -> None:
        self._action = action
        self._interval_s = interval_s
        self._soon_s = soon_s
        self._last = float("-inf")
        self._timer: asyncio.TimerHandle | None = None

    @property
    def is_armed(self) -> bool:
        """Whether it will be done anyway."""
        return self._timer is not None

    def arm(self) -> None:
        """Ask for it. Asked again before it is done, it is done once."""
        if self._timer is None:
            loop = asyncio.get_running_loop()
            due = max(loop.time() + self._soon_s, self._last + self._interval_s)
            self._timer = loop.call_at(due, self._run)

    def stop(self) -> None:
        """What was asked for is not done any more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _run(self) -> None:
        self._timer = None
        self._last = asyncio.get_running_loop().time()
        self._action()
