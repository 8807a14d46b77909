"""Health of the server: storage, backups, the clock, readiness, damage.

    steady    ────────────────────────────────▶   seconds that have passed, whatever the clock says
    clock     ───────────▶ ╮   ╭──────────────▶   set back, or far ahead: told for an hour
                       ────┴───╯

Recording needs no clock: events carry the times of their watchers.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from secrets import token_hex
from time import monotonic
from typing import Final

from dayline.maintenance.backups.keeper import BackupKeeper
from dayline.model.access import Once
from dayline.model.errors import DaylineError, StoreBusy, Unavailable
from dayline.model.health import Damage, HealthView, Problem, repair_command
from dayline.model.time import DAY, SECOND, Microseconds, format_timestamp, now_us
from dayline.runtime.background import BackgroundWorkers
from dayline.storage.sqlite.repair.mark import recovery_path
from dayline.storage.store import Database

ProblemSource = Callable[[], Iterable[Problem]]


class Health:
    """The state of the server. Each source is asked anew, so that what is mended is forgotten at once."""

    def __init__(self, sources: Sequence[ProblemSource], background: BackgroundWorkers) -> None:
        self._sources = tuple(sources)
        self._background = background

    def add(self, source: ProblemSource) -> None:
        """Ask one more source from now on."""
        self._sources = (*self._sources, source)

    def view(self, tenant: str = "") -> HealthView:
        """What is wrong now, as one tenant may see it. Reads from memory and from small files: call it on a thread."""
        problems = [problem for source in self._sources for problem in source()]
        problems += self._background.problems(problems, tenant)
        return HealthView(
            status="degraded" if problems else "ok", problems=problems, background=self._background.states(tenant)
        )


def backup_problems(keeper: BackupKeeper) -> list[Problem]:
    """Whether the last backup came to nothing."""
    failure = keeper.last_failure()
    if failure is None:
        return []
    return [
        Problem(
            kind="backup",
            message=f"the last backup came to nothing: {failure.message}",
            hint="dayline backup create tries again; dayline backup list shows what there is",
            since=format_timestamp(failure.when),
        )
    ]


# What is said of a damaged database, everywhere: in every answer, in the state of the server, and in the log.


_REPAIR: Final = "dayline doctor --repair"  # in a header, which clients elsewhere see: without the path


def damage_problems(database: Database, path: Path) -> list[Problem]:
    """Whether the file is damaged."""
    damage = database.damage
    if damage is None:
        return []
    return [
        Problem(
            kind="damage",
            message=f"{path.name} is damaged: {damage.message}; what is readable is served, recording goes on in "
            f"{recovery_path(path).name}",
            hint=f"stop the server, and run: {repair_command(path)}",
            since=format_timestamp(damage.found) if damage.found else None,
        )
    ]


def damage_headers(damage: Damage | None, path: Path) -> list[tuple[bytes, bytes]]:
    """What every answer says while the file is damaged."""
    if damage is None:
        return []
    name = "".join(letter for letter in path.name if letter.isascii() and letter.isprintable() and letter not in '"\\')
    return [(b"warning", f'199 dayline "{name} is damaged, recording goes on beside it; run: {_REPAIR}"'.encode())]


def told_damage(damage: Damage, path: Path) -> str:
    """The same, for the log."""
    return (
        f"{path.name} is damaged: {damage.message}. What is readable is served, and recording goes on in "
        f"{recovery_path(path).name}. To repair it, stop the server and run: {repair_command(path)}"
    )


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


# Whether this server should be sent anything: what a load balancer asks, again and again.


_FRESH_S: Final = 1.0  # however many ask, it is tried no more often
_WAIT_S: Final = 2.0  # those who ask have little patience


class Readiness:
    """Made and used on the event loop. A file says by itself what is wrong with it; of a server it is tried.

    With `is_tried` something is written, because a fault shows only when somebody writes, and so does its end: a server
    that a balancer leaves alone would never find out that it can go on.
    """

    def __init__(self, database: Database, *, is_tried: bool) -> None:
        self._database = database
        self._is_tried = is_tried
        self._is_stopping = False
        self._trying: asyncio.Task[bool] | None = None
        self._tried = 0.0

    def stop(self) -> None:
        """Say from now on that others are to be asked."""
        self._is_stopping = True

    async def check(self) -> None:
        """Return if it is ready. Raises Unavailable, which tells strangers nothing of where the data are."""
        if not self._is_stopping and self._is_tried:
            await self._try()
        if self._is_stopping:
            raise Unavailable("the server is stopping", hint="ask another one")
        is_refused = self._trying is not None and not (self._trying.done() and self._trying.result())
        if is_refused or self._database.problems():
            raise StoreBusy("the database does not take writes at present", hint="/api/1/health says why")

    async def close(self) -> None:
        """Wait for what is being tried: it is refused when the database is told to hold nothing."""
        if self._trying is not None:
            await asyncio.wait([self._trying])

    async def _try(self) -> None:
        """Begin unless it was tried just now, and wait for a while, or not at all where it is known to fail."""
        is_over = self._trying is None or self._trying.done()
        if is_over and monotonic() - self._tried >= _FRESH_S:
            self._trying = asyncio.get_running_loop().create_task(self._takes_writes())
        if self._trying is not None and not self._database.problems():
            await asyncio.wait({self._trying}, timeout=_WAIT_S)

    async def _takes_writes(self) -> bool:
        token = Once(token=f"ready {token_hex(16)}", until=now_us())  # kept for nobody: the next one removes it
        try:
            await self._database.store().once(token).begin()
        except DaylineError:
            return False
        finally:
            self._tried = monotonic()
        return True
