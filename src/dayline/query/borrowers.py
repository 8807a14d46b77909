"""Which clients have query processes now, and which had them for long in the last minutes."""

from collections import Counter
from collections.abc import Callable, Hashable
from typing import Final

# A page of the web UI with all its calls takes less than that when nothing is cached.
QUICK_S: Final = 5.0
_HALVED_AFTER_S: Final = 60.0
_CLIENTS_REMEMBERED: Final = 1000


class Borrowers:
    """Time is given by `clock`, in seconds. To be used on one event loop."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._now: dict[Hashable, tuple[str, float]] = {}  # what is borrowed: by whom, and since when
        self._running: Counter[str] = Counter()
        self._used: dict[str, tuple[float, float]] = {}  # seconds, and when they were counted

    def __len__(self) -> int:
        """How many processes are borrowed."""
        return len(self._now)

    def lend(self, process: Hashable, client: str) -> None:
        self._now[process] = client, self._clock()
        self._running[client] += 1

    def settle(self, process: Hashable) -> None:
        """Take a process back; nothing if it was not borrowed."""
        client, since = self._now.pop(process, ("", 0.0))
        if not client:
            return
        self._running[client] -= 1
        if not self._running[client]:
            del self._running[client]
        now = self._clock()
        self._used[client] = self._finished_s(client, now) + now - since, now
        if len(self._used) > _CLIENTS_REMEMBERED:
            self._used.pop(min(self._used, key=lambda each: self._finished_s(each, now)))

    def running(self, client: str) -> int:
        """How many processes a client has."""
        return self._running[client]

    def is_quick(self, client: str) -> bool:
        """Whether the client has no process, and has used little lately: less than half of what another has."""
        if self._running[client]:
            return False
        now = self._clock()
        most_s = max((self._recent_s(each, now) for each in self._running), default=0.0)
        return self._recent_s(client, now) < max(QUICK_S, most_s / 2)

    def _recent_s(self, client: str, now: float) -> float:
        """With the time of what runs now."""
        running_s = sum(now - since for each, since in self._now.values() if each == client)
        return self._finished_s(client, now) + running_s

    def _finished_s(self, client: str, now: float) -> float:
        seconds, at = self._used.get(client, (0.0, now))
        return float(seconds * 0.5 ** ((now - at) / _HALVED_AFTER_S))
