"""Checks the database file while it is in use, and restarts the server if the file is damaged.

start ─ a glance (milliseconds) ─▶ quick check (once) ─▶ full check (once a week)
                ╰──────── damage, or an error of SQLite in between ────────╯
                                   ╰─▶ mark the file, write heartbeats to the recovery file, restart the server
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

from dayline.config.data_folder import DataFile, data_file
from dayline.config.sections import CheckSettings
from dayline.maintenance.health import damage_text
from dayline.model.errors import DaylineError, Unavailable
from dayline.model.time import DAY, Microseconds
from dayline.runtime.background import DetachedTasks
from dayline.runtime.encryption import authentic, authenticated
from dayline.runtime.files import atomic_write
from dayline.storage.operations.children import ChildFailed, ChildFunction
from dayline.storage.sqlite.database import SqliteDatabase
from dayline.storage.sqlite.repair.mark import ignored_mark, write_mark

run_check = ChildFunction("dayline.storage.sqlite.repair.check_worker:check_file", list[str], niceness=15)
_SQLITE_WORDS: Final = ("malformed", "not a database")  # messages of SQLite that indicate damage
INITIAL_DELAY_S: Final = 60.0  # before the quick check
INTERVAL_S: Final = 3600.0  # between two checks whether a full check is due
_PURPOSE: Final = "time of the last check"
_MAX_RETRY_S: Final = 60.0  # short: heartbeats of a damaged file wait until the recovery file is used
_MAX_UNCONFIRMED: Final = 2  # checks without a finding; after that, SQLite's error counts as damage

log = logging.getLogger(__name__)


class _Checked(Struct, frozen=True):
    """The time of the last full check."""

    full: Microseconds


class FileWatch:
    """Checks one database. `close` ends it, and a running check."""

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
        self._restart = restart  # None after a restart: a second one would not help
        self._clock = clock
        self._loop = asyncio.get_running_loop()
        self._task = database.background.task(
            "database check",
            self._check_if_due,
            interval_s=interval_s,
            initial_delay_s=initial_delay_s,
            max_retry_s=_MAX_RETRY_S,
            problem_kind="check",
            hint="Dayline retries it; dayline doctor checks the database now",
        )
        self._leaving = DetachedTasks("leaving a damaged file")
        self._is_suspected = False  # SQLite has reported an error, and the file was not checked since
        self._is_checked = False
        self._message = ""  # the last error of SQLite
        self._unconfirmed = 0  # consecutive checks that did not confirm SQLite's error

    def start(self) -> None:
        """Start checking. If the file is known to be damaged, start copying what is readable."""
        if self._database.damage is not None:
            log.error(damage_text(self._database.damage, self._path))
            self._database.begin_recovery()
            return
        if (text := ignored_mark(self._path)) is not None:
            log.error(text)
        self._database.watch(self._suspect)
        self._task.start()

    async def close(self) -> None:
        await self._task.close()
        await self._leaving.finish()  # it must not stop between the two files

    def query_failed(self, message: str) -> None:
        """Call this when a query could not read the data, which may indicate damage."""
        if any(word in message for word in _SQLITE_WORDS):
            self._suspect(message)

    def _suspect(self, message: str) -> None:
        """Called on any thread when SQLite reports an error."""
        if not self._is_suspected:
            log.error("%s may be damaged: %s", self._path.name, message)
        self._message = message
        self._is_suspected = True
        self._loop.call_soon_threadsafe(self._task.wake)

    async def _check_if_due(self) -> float | None:
        """Check the file if a check is due or damage is suspected. Raises if the check is not possible."""
        if self._database.damage is not None:
            return math.inf
        is_suspected = self._is_suspected
        is_full = self._unconfirmed > 0 if is_suspected else await asyncio.to_thread(self._is_due)
        if is_full or is_suspected or not self._is_checked:
            await self._check(is_full=is_full, is_suspected=is_suspected)
        return None

    async def _check(self, *, is_full: bool, is_suspected: bool) -> None:
        self._is_suspected = False
        try:
            findings = await run_check(self._path, is_full=is_full)
            self._unconfirmed = self._unconfirmed + 1 if is_suspected else 0
            if findings or self._unconfirmed > _MAX_UNCONFIRMED:
                await self._leaving.run(self._leave(findings[0] if findings else self._message))
                return
        except ChildFailed as error:
            self._is_suspected |= is_suspected
            raise Unavailable(f"cannot check {self._path.name}: {error}") from error
        except Exception:
            self._is_suspected = True  # so that the next attempt checks again
            raise
        self._is_checked = True
        log.debug("Checked %s: no damage", self._path.name)
        if is_full:
            await asyncio.to_thread(self._note)

    async def _leave(self, message: str) -> None:
        damage = await asyncio.to_thread(write_mark, self._path, message, now=self._clock())
        if self._restart is None:
            raise Unavailable(
                f"{self._path.name} is damaged, and a restart did not switch to the recovery file; "
                "stop the server and start it again"
            )
        try:
            await self._database.leave_damaged(damage)
        except (DaylineError, OSError) as error:
            raise Unavailable(
                f"{self._path.name} is damaged, and the recovery file cannot be created: {error}"
            ) from error
        log.error("%s is damaged: %s. Restarting the server with a recovery file", self._path.name, damage.message)
        self._restart()

    def _is_due(self) -> bool:
        """Whether a full check is due. The first one is due an interval after the file was created."""
        try:
            # One that was not written with our key is ignored: it would prevent the check.
            noted = authentic(checked_path(self._path).read_bytes(), _PURPOSE)
            last = msgspec.json.decode(noted or b"", type=_Checked).full
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            self._note()
            return False
        # A time in the future was stored before the clock was set back: the age is unknown.
        return not 0 <= self._clock() - last < self._settings.full_interval_days * DAY

    def _note(self) -> None:
        with contextlib.suppress(OSError):  # for example a full disk: the check is repeated
            noted = authenticated(msgspec.json.encode(_Checked(self._clock())), _PURPOSE)
            with atomic_write(checked_path(self._path)) as file:
                file.write(noted)


def checked_path(database: Path) -> Path:
    """The file with the time of the last full check."""
    return data_file(database, DataFile.CHECKED)
