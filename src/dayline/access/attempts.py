"""How many wrong keys an address may show: after that it is told to slow down."""

from collections.abc import Callable
from time import monotonic
from typing import Final

_MINUTE_S: Final = 60.0
_MOST_ADDRESSES: Final = 10_000


class FailedAttempts:
    """Counts failures by address and minute. Right keys are never held up: others may share their address."""

    def __init__(self, most_a_minute: int, *, clock: Callable[[], float] = monotonic) -> None:
        self._most = most_a_minute
        self._clock = clock
        self._minute = 0
        self._failures: dict[str, int] = {}

    def note(self, address: str) -> bool:
        """Count a failure; whether this address has had too many."""
        minute = int(self._clock() / _MINUTE_S)
        if minute != self._minute or len(self._failures) >= _MOST_ADDRESSES:
            self._minute = minute
            self._failures.clear()
        failures = self._failures[address] = self._failures.get(address, 0) + 1
        return failures > self._most
