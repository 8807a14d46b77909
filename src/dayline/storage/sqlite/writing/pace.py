"""How quick commits are, and so where they are made."""

from typing import Final

QUICK_COMMIT_S: Final = 0.004  # the loop may stand still this long; a flush to a healthy disk takes a tenth of it
QUICK_COMMITS_IN_A_ROW: Final = 8  # so many must have been quick before one is trusted to the loop
IDLE_S: Final = 1.0  # after a pause as long as this nothing is known about the disk any more


class Pace:
    """Whether commits have been quick enough lately to be made on the loop."""

    def __init__(self) -> None:
        self._quick_in_a_row = 0
        self._latest = 0.0

    def is_quick(self, now: float) -> bool:
        return self._quick_in_a_row >= QUICK_COMMITS_IN_A_ROW and now - self._latest < IDLE_S

    def note(self, started: float, ended: float) -> None:
        self._latest = ended
        self._quick_in_a_row = self._quick_in_a_row + 1 if ended - started < QUICK_COMMIT_S else 0
