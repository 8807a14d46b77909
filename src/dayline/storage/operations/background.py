"""The size of the slices in which long work runs: a heartbeat waits at most a few milliseconds for one."""

import asyncio
from collections.abc import Awaitable, Callable
from time import perf_counter
from typing import Final, TypeVar

C = TypeVar("C")
T = TypeVar("T")


SLICE_ROWS: Final = 1000
SLICE_S: Final = 0.005  # target duration of a slice: a heartbeat waits for at most one
_SMALLEST_SLICE: Final = 50


class SlicePace:
    """The number of rows per slice, adjusted to the duration of the last slice; constant if `fixed` is given."""

    def __init__(self, *, most: int | None = None, seconds: float | None = None, fixed: int | None = None) -> None:
        self._most = SLICE_ROWS if most is None else most
        self._seconds = SLICE_S if seconds is None else seconds
        self._is_fixed = fixed is not None
        self.rows = self._most // 4 if fixed is None else fixed

    def note(self, rows: int, seconds: float) -> None:
        if not self._is_fixed:
            fitting = int(rows * self._seconds / max(seconds, 1e-6))
            self.rows = max(_SMALLEST_SLICE, min(self._most, (self.rows + fitting) // 2))

    async def with_pause(self, change: Awaitable[T], *, rows: int) -> T:
        """Await a change of this many rows; its duration, with the commit, adjusts the pace. Then pause for as long.

        Without the pause, every heartbeat would share its commit with a slice.
        """
        started = perf_counter()
        result = await change
        took_s = perf_counter() - started
        self.note(rows, took_s)
        await asyncio.sleep(took_s)
        return result

    def timed(self, change: Callable[[C], T], *, rows: int) -> Callable[[C], T]:
        """Wrap a change of this many rows so that its duration, without the commit, adjusts the pace."""

        def timed_change(tx: C) -> T:
            started = perf_counter()
            result = change(tx)
            self.note(rows, perf_counter() - started)
            return result

        return timed_change
