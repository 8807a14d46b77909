"""Health of the server: storage, backups, the clock, readiness, damage.

    steady    ────────────────────────────────▶   elapsed time, independent of the clock
    clock     ───────────▶ ╮   ╭──────────────▶   set back, or far ahead: reported for an hour
                       ────┴───╯

Recording does not depend on the server's clock: events have the times of their watchers.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from secrets import token_hex
from time import monotonic
from typing import Final

from dayline.maintenance.backups.scheduler import BackupScheduler
from dayline.model.access import Once
from dayline.model.errors import DaylineError, StoreBusy, Unavailable
from dayline.model.health import Damage, HealthView, Problem, repair_command
from dayline.model.time import DAY, SECOND, Microseconds, format_timestamp, now_us
from dayline.runtime.background import BackgroundWorkers
from dayline.storage.opening import Database
from dayline.storage.sqlite.repair.mark import recovery_path

ProblemSource = Callable[[], Iterable[Problem]]


class Health:
    """The state of the server. Every view asks all sources again, so fixed problems disappear at once."""

    def __init__(self, sources: Sequence[ProblemSource], background: BackgroundWorkers) -> None:
        self._sources = tuple(sources)
        self._background = background

    def add(self, source: ProblemSource) -> None:
        """Add a source."""
        self._sources = (*self._sources, source)

    def view(self, tenant: str = "") -> HealthView:
        """The current problems that a tenant may see. Reads memory and small files: call it in a thread."""
        problems = [problem for source in self._sources for problem in source()]
        problems += self._background.problems(problems, tenant)
        return HealthView(
            status="degraded" if problems else "ok", problems=problems, background=self._background.states(tenant)
        )


def backup_problems(scheduler: BackupScheduler) -> list[Problem]:
    """A problem if the last backup failed."""
    failure = scheduler.last_failure()
    if failure is None:
        return []
    return [
        Problem(
            kind="backup",
            message=f"the last backup failed: {failure.message}",
            hint="dayline backup create tries again; dayline backup list shows the backups",
            since=format_timestamp(failure.when),
        )
    ]


# The texts for a damaged database: in every response, in health, and in the log.
_REPAIR: Final = "dayline doctor --repair"  # in a header that remote clients see: without the path


def damage_problems(database: Database, path: Path) -> list[Problem]:
    """A problem if the file is damaged."""
    damage = database.damage
    if damage is None:
        return []
    return [
        Problem(
            kind="damage",
            message=f"{path.name} is damaged: {damage.message}; readable data is served, and recording continues in "
            f"{recovery_path(path).name}",
            hint=f"stop the server and run: {repair_command(path)}",
            since=format_timestamp(damage.found) if damage.found else None,
        )
    ]


def damage_headers(damage: Damage | None, path: Path) -> list[tuple[bytes, bytes]]:
    """The header of every response while the file is damaged."""
    if damage is None:
        return []
    name = "".join(letter for letter in path.name if letter.isascii() and letter.isprintable() and letter not in '"\\')
    return [
        (b"warning", f'199 dayline "{name} is damaged, recording continues in another file; run: {_REPAIR}"'.encode())
    ]


def damage_text(damage: Damage, path: Path) -> str:
    """The text for the log."""
    return (
        f"{path.name} is damaged: {damage.message}. Readable data is served, and recording continues in "
        f"{recovery_path(path).name}. To repair it, stop the server and run: {repair_command(path)}"
    )


BACK: Final[Microseconds] = 60 * SECOND  # smaller jumps are corrections by a time server
AHEAD: Final[Microseconds] = DAY  # smaller jumps may be a suspended machine
REPORTED: Final[Microseconds] = 3600 * SECOND  # how long health reports a jump
ASLEEP: Final[Microseconds] = 30 * SECOND  # between two ticks, which come every second: the machine was asleep

log = logging.getLogger(__name__)


def steady_us() -> Microseconds:
    """Elapsed time, independent of the clock, including sleep if the system supports that."""
    boot_time: int | None = getattr(time, "CLOCK_BOOTTIME", None)
    return (time.monotonic_ns() if boot_time is None else time.clock_gettime_ns(boot_time)) // 1000


class ClockWatch:
    """Checks the clock with every tick of the server. Can be read on any thread."""

    def __init__(
        self, *, clock: Callable[[], Microseconds] = now_us, steady: Callable[[], Microseconds] = steady_us
    ) -> None:
        self._clock = clock
        self._steady = steady
        self._knows_sleep = hasattr(time, "CLOCK_BOOTTIME")
        self._distance = self._first = clock() - steady()
        self._jump: tuple[Microseconds, Problem] | None = None
        self._ticked = self._awake_since = clock()

    def tick(self) -> None:
        """Compare the clock with the time elapsed since the last tick."""
        now = self._clock()
        if now - self._ticked > ASLEEP:
            self._awake_since = now
        self._ticked = now
        distance = now - self._steady()
        jump, self._distance = distance - self._distance, distance
        if jump <= -BACK:
            self._report(f"the clock of this machine was set back by {_length(-jump)}")
        elif jump >= AHEAD and self._knows_sleep:
            self._report(f"the clock of this machine was set ahead by {_length(jump)}")

    def for_ages(self) -> Microseconds:
        """The time for expiry by age: never ahead of the time elapsed since the start."""
        return min(self._clock(), self._first + self._steady())

    def awake_since(self) -> Microseconds:
        """The time since which the machine has been awake, as far as this process knows."""
        return self._awake_since

    def problems(self) -> list[Problem]:
        """The last jump, for an hour."""
        jump = self._jump
        return [] if jump is None or self._steady() - jump[0] > REPORTED else [jump[1]]

    def _report(self, message: str) -> None:
        hint = "check that the clock is right (timedatectl); events recorded with a wrong clock have wrong times"
        log.warning("%s; recording continues", message, extra={"hint": hint})
        problem = Problem(kind="clock", message=message, hint=hint, since=format_timestamp(max(self._clock(), 0)))
        self._jump = (self._steady(), problem)


def _length(jump: Microseconds) -> str:
    seconds = round(jump / SECOND)
    for unit, length in (("days", 86_400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{round(seconds / length):,} {unit}"
    return f"{seconds} seconds"


# Readiness, for load balancers.
_CACHE_S: Final = 1.0  # min time between two test writes
_WAIT_S: Final = 2.0  # load balancers have short timeouts


class Readiness:
    """Whether the server can take requests. Use on the event loop. A SQLite file reports its problems itself.

    With `is_tried` a test write is made: faults of a database server show only on a write, and so does their end. A
    server that a load balancer has excluded would otherwise never notice that it can resume.
    """

    def __init__(self, database: Database, *, is_tried: bool) -> None:
        self._database = database
        self._is_tried = is_tried
        self._is_stopping = False
        self._trying: asyncio.Task[bool] | None = None
        self._tried = 0.0

    def stop(self) -> None:
        """Report from now on that the server is not ready."""
        self._is_stopping = True

    async def check(self) -> None:
        """Return if the server is ready. Raises Unavailable, without details: the endpoint is public."""
        if not self._is_stopping and self._is_tried:
            await self._try()
        if self._is_stopping:
            raise Unavailable("the server is stopping", hint="use another server")
        is_refused = self._trying is not None and not (self._trying.done() and self._trying.result())
        if is_refused or self._database.problems():
            raise StoreBusy("the database cannot be written at the moment", hint="GET /api/1/health returns the reason")

    async def close(self) -> None:
        """Wait for a running test write, which fails when the database closes."""
        if self._trying is not None:
            await asyncio.wait([self._trying])

    async def _try(self) -> None:
        """Start a test write unless there was one just now, and wait for it, unless it is known to fail."""
        is_over = self._trying is None or self._trying.done()
        if is_over and monotonic() - self._tried >= _CACHE_S:
            self._trying = asyncio.get_running_loop().create_task(self._takes_writes())
        if self._trying is not None and not self._database.problems():
            await asyncio.wait({self._trying}, timeout=_WAIT_S)

    async def _takes_writes(self) -> bool:
        token = Once(token=f"ready {token_hex(16)}", until=now_us())  # expires at once: the next one removes it
        try:
            await self._database.store().once(token).begin()
        except DaylineError:
            return False
        finally:
            self._tried = monotonic()
        return True
