"""Watches the clock of the machine: a jump is told, and what is let go for its age does not follow one.

    steady    ────────────────────────────────▶   seconds that have passed, whatever the clock says
    clock     ───────────▶ ╮   ╭──────────────▶   set back, or far ahead: told for an hour
                       ────┴───╯

Recording needs no clock: events carry the times of their watchers.
"""

import logging
import time
from collections.abc import Callable
from typing import Final

from dayline.model.health import Problem
from dayline.model.timestamps import DAY, SECOND, Microseconds, format_timestamp, now_us

BACK: Final[Microseconds] = 60 * SECOND  # less is what a time server corrects
AHEAD: Final[Microseconds] = DAY  # less may be a machine that was frozen for a while
TOLD: Final[Microseconds] = 3600 * SECOND  # for so long health tells it
ASLEEP: Final[Microseconds] = 30 * SECOND  # between two ticks, which come every second: the machine was asleep

log = logging.getLogger(__name__)


def steady_us() -> Microseconds:
    """Time that goes on whatever the clock is set to, while the machine sleeps too, where the system can tell that."""
    boot_time: int | None = getattr(time, "CLOCK_BOOTTIME", None)
    return (time.monotonic_ns() if boot_time is None else time.clock_gettime_ns(boot_time)) // 1000


class ClockWatch:
    """Looks at the clock with every tick of the server's; asked from any thread."""

    def __init__(
        self, *, clock: Callable[[], Microseconds] = now_us, steady: Callable[[], Microseconds] = steady_us
    ) -> None:
        self._clock = clock
        self._steady = steady
        self._knows_sleep = hasattr(time, "CLOCK_BOOTTIME")
        self._distance = self._first = clock() - steady()
        self._told: tuple[Microseconds, Problem] | None = None
        self._ticked = self._awake_since = clock()

    def tick(self) -> None:
        """Compare the clock with what has passed since the last tick."""
        now = self._clock()
        if now - self._ticked > ASLEEP:
            self._awake_since = now
        self._ticked = now
        distance = now - self._steady()
        jump, self._distance = distance - self._distance, distance
        if jump <= -BACK:
            self._tell(f"the clock of this machine was set back by {_length(-jump)}")
        elif jump >= AHEAD and self._knows_sleep:
            self._tell(f"the clock of this machine was set ahead by {_length(jump)}")

    def for_ages(self) -> Microseconds:
        """The time by which something may be let go for its age: never ahead of what has passed since the start."""
        return min(self._clock(), self._first + self._steady())

    def awake_since(self) -> Microseconds:
        """Since when the machine has been awake, as far as this process has seen it."""
        return self._awake_since

    def problems(self) -> list[Problem]:
        """The last jump, for an hour."""
        told = self._told
        return [] if told is None or self._steady() - told[0] > TOLD else [told[1]]

    def _tell(self, message: str) -> None:
        hint = "see that it is right (timedatectl); what watchers recorded by a wrong clock lies at wrong times"
        log.warning("%s; recording goes on", message, extra={"hint": hint})
        problem = Problem(kind="clock", message=message, hint=hint, since=format_timestamp(max(self._clock(), 0)))
        self._told = (self._steady(), problem)


def _length(jump: Microseconds) -> str:
    seconds = round(jump / SECOND)
    for unit, length in (("days", 86_400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{round(seconds / length):,} {unit}"
    return f"{seconds} seconds"
