"""How long to gather heartbeats before they are sent, where many arrive.

    without   ▐ 32 beats are committed ▐ the other 32 are committed ▐ ···
    with      ▐ 64 beats are committed ▐ gather ▐ 64 beats are committed ▐ ···

Those who have their answers send their next one a moment later, and would miss the commit that begins at once. What is
gathered for a part of a commit's time is more in every commit, and less waiting: for the disk, and for the locks of
another server that records in the same buckets.
"""

from typing import Final

_SHARE: Final = 0.3  # of the time that a commit takes; measured: less gathers little, more only waits
_LONGEST_S: Final = 0.002
_MANY: Final = 4  # heartbeats in one commit: fewer do not come so close that waiting would pay


class Gathering:
    """Learns from every commit."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def note(self, heartbeats: int, took_s: float) -> None:
        """Take into account how many there were in a commit, and how long it took."""
        self.seconds = min(_SHARE * took_s, _LONGEST_S) if heartbeats >= _MANY else 0.0
