"""Checks the database file while it is in use, and restarts the server if the file is damaged.

start ─ a look (milliseconds) ─▶ quick check (once) ─▶ full check (once a week)
                ╰──────── damage, or an error of SQLite's in between ────────╯
                                   ╰─▶ mark it, write heartbeats to the recovery file, restart the server
"""

import asyncio
import contextlib
import logging
import math
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from dayline.config.sections import CheckSettings
from dayline.maintenance.health import told_damage
from dayline.model.errors import DaylineError, Unavailable
from dayline.model.time import DAY, Microseconds
from dayline.runtime.background import DetachedTasks
from dayline.storage.background import ChildFailed, run_child
from dayline.storage.sqlite.database import SqliteDatabase
from dayline.storage.sqlite.repair.mark import write_mark

_MODULE: Final = "dayline.storage.sqlite.repair.check_worker"
_SQLITE_WORDS: Final = ("malformed", "not a database")  # of damage, where only the message is known
INITIAL_DELAY_S: Final = 60.0  # before the quick check
INTERVAL_S: Final = 3600.0  # between two looks whether a full check is due
_MAX_RETRY_S: Final = 60.0  # soon: where the file is damaged, heartbeats are held until another one is used
_ENOUGH: Final = 2  # checks that find nothing; after that, what SQLite says is believed

log = logging.getLogger(__name__)


class _Checked(Struct, frozen=True):
    """When the file was checked in full."""

    full: Microseconds


class FileWatch:
    """The watch over one database. `close` ends it, and a check under way."""

    def __init__(
        self,
        database: SqliteDatabase,
        path: Path,
        settings: CheckSettings,
        *,
        restart: Callable[[], None] | None,
        clock: Callable[[], Microseconds],
        initial_delay_s: float = INITIAL_DELAY_S,
        interval_s: float = INTERVAL_S,
    ) -> None:
        self._database = database
        self._path = path
        self._settings = settings
        self._restart = restart  # None if the server was restarted: a second restart would not help either
        self._clock = clock
        self._loop = asyncio.get_running_loop()
        self._task = database.background.task(
            "database check",
            self._look,
            interval_s=interval_s,
            initial_delay_s=initial_delay_s,
            max_retry_s=_MAX_RETRY_S,
            problem_kind="check",
            hint="Dayline tries it again; dayline doctor checks the database now",
        )
        self._leaving = DetachedTasks("leaving a damaged file")
        self._is_suspected = False  # since SQLite came upon something, until a check was made
        self._is_looked_through = False
        self._message = ""  # of SQLite, about what it came upon last
        self._unconfirmed = 0  # checks in a row that did not find what SQLite had come upon

    def start(self) -> None:
        """Begin to watch; where the file is known to be damaged, begin to copy what is readable of it."""
        if self._database.damage is not None:
            log.error(told_damage(self._database.damage, self._path))
            self._database.begin_recovery()
            return
        self._database.watch(self._suspected)
        self._task.start()

    async def close(self) -> None:
        await self._task.close()
        await self._leaving.finish()  # half of it would be neither the one file nor the other

    def query_failed(self, message: str) -> None:
        """A query could not read the data: that may be damage, or something that goes by."""
        if any(word in message for word in _SQLITE_WORDS):
            self._suspected(message)

    def _suspected(self, message: str) -> None:
        """SQLite has come upon something, on whatever thread."""
        if not self._is_suspected:
            log.error("%s may be damaged: %s", self._path.name, message)
        self._message = message
        self._is_suspected = True
        self._loop.call_soon_threadsafe(self._task.wake)

    async def _look(self) -> float | None:
        """Check the file if it is due, or if something is wrong with it. Raises what keeps it from being checked."""
        if self._database.damage is not None:
            return math.inf
        is_suspected = self._is_suspected
        is_full = self._unconfirmed > 0 if is_suspected else await asyncio.to_thread(self._is_due)
        if is_full or is_suspected or not self._is_looked_through:
            await self._check(is_full=is_full, is_suspected=is_suspected)
        return None

    async def _check(self, *, is_full: bool, is_suspected: bool) -> None:
        self._is_suspected = False
        try:
            answer = await run_child(_MODULE, self._path, Path("full" if is_full else "quick"))
            findings = msgspec.json.decode(answer, type=list[str])
            self._unconfirmed = self._unconfirmed + 1 if is_suspected else 0
            if findings or self._unconfirmed > _ENOUGH:
                await self._leaving.run(self._leave(findings[0] if findings else self._message))
                return
        except ChildFailed as error:
            self._is_suspected |= is_suspected
            raise Unavailable(f"{self._path.name} could not be checked: {error}") from error
        except Exception:
            self._is_suspected = True  # so that the next attempt looks again
            raise
        self._is_looked_through = True
        log.debug("%s was checked, and is whole", self._path.name)
        if is_full:
            await asyncio.to_thread(self._note)

    async def _leave(self, message: str) -> None:
        damage = await asyncio.to_thread(write_mark, self._path, message, now=self._clock())
        if self._restart is None:
            raise Unavailable(
                f"{self._path.name} is damaged, and a restart did not switch to the recovery file; "
                "stop the server, and start it again"
            )
        try:
            await self._database.leave_damaged(damage)
        except (DaylineError, OSError) as error:
            raise Unavailable(f"{self._path.name} is damaged, and no recovery file can be created: {error}") from error
        log.error("%s is damaged: %s. The server restarts to use a recovery file", self._path.name, damage.message)
        self._restart()

    def _is_due(self) -> bool:
        """Whether the last full check is long enough ago; the first one is due a while after the file was made."""
        try:
            last = msgspec.json.decode(checked_path(self._path).read_bytes(), type=_Checked).full
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            self._note()
            return False
        # One of the future was made before the clock was set back: it says nothing about how long ago that was.
        return not 0 <= self._clock() - last < self._settings.full_interval_days * DAY

    def _note(self) -> None:
        with contextlib.suppress(OSError):  # a disk that is full, say: then it is checked again
            checked_path(self._path).write_bytes(msgspec.json.encode(_Checked(self._clock())))


def checked_path(database: Path) -> Path:
    """A small file that says when the database was checked in full."""
    return database.with_name(f"{database.name}-checked")
