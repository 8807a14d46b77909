"""How much long work writes at once, so that a heartbeat never waits for more than a few milliseconds of it."""

from typing import Final

SLICE_ROWS: Final = 1000
SLICE_S: Final = 0.005  # what a slice should take: a heartbeat waits for one at most
_SMALLEST_SLICE: Final = 50


class SlicePace:
    """How many rows to write at once, from how long the last slice took."""

    def __init__(self, *, most: int | None = None, seconds: float | None = None) -> None:
        self._most = SLICE_ROWS if most is None else most
        self._seconds = SLICE_S if seconds is None else seconds
        self.rows = self._most // 4

    def note(self, rows: int, seconds: float) -> None:
        fitting = int(rows * self._seconds / max(seconds, 1e-6))
        self.rows = max(_SMALLEST_SLICE, min(self._most, (self.rows + fitting) // 2))
