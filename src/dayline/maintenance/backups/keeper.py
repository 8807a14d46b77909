"""Makes backups daily if something changed, or on request, and deletes old ones.

    day          │ mon   │ tue   │ wed   │ thu   │
    written      │ ▪ ▪▪  │  ▪    │       │   ▪▪  │
    backups      │ B     │ B     │       │ B     │

The work is done in a process of its own (storage/sqlite/backup/worker.py). This module only checks whether it is due.
"""

import asyncio
import logging
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from dayline.config.sections import BackupSettings
from dayline.maintenance.backups.folder import Backup, BackupFailure, BackupFolder, check_room, folder_of, let_go
from dayline.model.errors import DaylineError, Invalid, Unavailable
from dayline.model.time import SECOND, Microseconds
from dayline.runtime.background import BackgroundWorkers, DetachedTasks
from dayline.storage.sqlite.backup.encryption import DamagedSnapshot, Secret
from dayline.storage.sqlite.backup.file_format import Manifest
from dayline.storage.sqlite.backup.process import CheckJob, MakeJob, ReadJob, read_manifests, run_snapshot, stamp_of

_Place = tuple[str, int, Microseconds, str | None]


class OpenedManifests:
    """The manifests of encrypted backups, remembered. Those that the key does not open are remembered as well."""

    def __init__(self, secret: Secret | None) -> None:
        self._secret = secret
        self._known: dict[_Place, Manifest | None] = {}

    async def added(self, folder: Path, backups: Sequence[Backup]) -> list[Backup]:
        """The backups with what they hold."""
        unread = [each for each in backups if each.is_encrypted and _place(each) not in self._known]
        if unread and self._secret is not None:
            job = ReadJob(snapshots=[str(folder / each.name) for each in unread], secret=self._secret)
            self._known.update(zip(map(_place, unread), await read_manifests(job), strict=True))
        return [self._with_manifest(backup) for backup in backups]

    def noted(self, backup: Backup, manifest: Manifest) -> Backup:
        """Remember what a new one holds."""
        self._known[_place(backup)] = manifest
        return self._with_manifest(backup)

    def _with_manifest(self, backup: Backup) -> Backup:
        return replace(backup, manifest=backup.manifest or self._known.get(_place(backup)))


def _place(backup: Backup) -> _Place:
    return backup.name, backup.bytes, backup.made, backup.mark


INITIAL_DELAY_S: Final = 120.0
INTERVAL_S: Final = 600.0  # between two checks whether a backup is due
_MAX_RETRIES_APART: Final = 64  # intervals: an attempt that fails may have copied the whole file
_OVERDUE: Final = 3  # times the hours between two

log = logging.getLogger(__name__)


class BackupKeeper:
    """The backups of one database. `start` begins to look after them; `close` ends it, and a backup under way."""

    def __init__(
        self,
        database: Path,
        settings: BackupSettings,
        *,
        clock: Callable[[], Microseconds],
        secret: Secret | None = None,
        background: BackgroundWorkers | None = None,
        initial_delay_s: float = INITIAL_DELAY_S,
        interval_s: float = INTERVAL_S,
    ) -> None:
        self._database = database
        self._settings = settings
        self._clock = clock
        self._secret = secret
        self._opened = OpenedManifests(secret)
        self.folder = BackupFolder(folder_of(database, settings), database)
        self._last_failure: BackupFailure | None = None
        self._alone = asyncio.Lock()
        self._calls = DetachedTasks("backup")
        self._daily = (background or BackgroundWorkers()).task(
            "daily backup",
            self._make_if_due,
            interval_s=interval_s,
            initial_delay_s=initial_delay_s,
            retry_s=interval_s,
            max_retry_s=_MAX_RETRIES_APART * interval_s,
            problem_kind="backup",
            hint="dayline backup create tries again; dayline backup list shows the backups that exist",
        )
        self._started: Microseconds | None = None
        self._first_due_s = initial_delay_s + 2 * interval_s  # after the start: by then a missing backup was tried

    def start(self) -> None:
        """Look from now on whether a backup is due. Called on the event loop."""
        if self._settings.enabled:
            self._started = self._clock()
            self._daily.start()

    async def close(self) -> None:
        await self._daily.close()
        await self._calls.close()

    def last_failure(self) -> BackupFailure | None:
        """What went wrong with the last try; None after one that succeeded."""
        return self._last_failure or self.folder.last_failure()

    async def all(self) -> list[Backup]:
        """Every backup, the newest first, with what encrypted ones hold where the key is known."""
        return await self._opened.added(self.folder.path, await asyncio.to_thread(self.folder.all))

    async def make(self) -> Backup:
        """A new backup, verified. Goes on where nobody waits for it any more. Raises Unavailable with the reason."""
        try:
            return await self._calls.run(self._made())
        except Unavailable as error:
            log.error("%s", error.message)
            raise

    async def verify(self, name: str) -> Backup:
        """Unpack a backup and compare it with what its source held. What is found out is remembered.

        Raises NotFound, Invalid where its key is another one, or Unavailable where it cannot be told now.
        """
        path = self.folder.find(name)
        work = await asyncio.to_thread(self.folder.begin_checking)
        try:
            await run_snapshot(CheckJob(snapshot=str(path), folder=str(work), secret=self._secret))
            problem = None
        except Invalid as error:
            raise Invalid(f"{name}: {error.message}", hint=error.hint) from error
        except DamagedSnapshot as error:
            problem = str(error)
            log.error("the backup %s is damaged: %s", name, error)
        finally:
            await asyncio.to_thread(shutil.rmtree, work, ignore_errors=True)
        return (await self._opened.added(self.folder.path, [await asyncio.to_thread(self._noted, name, problem)]))[0]

    async def _make_if_due(self) -> None:
        if await asyncio.to_thread(self.is_due):
            await self._made()

    def is_due(self) -> bool:
        """Whether the last good backup is old enough, and not of what is in the file now."""
        try:
            newest = next((backup for backup in self.folder.all() if backup.is_verified), None)
        except Unavailable:
            return True  # the try will tell what is wrong
        if newest is None:
            return True
        age = self._clock() - newest.made
        # One of the future was made before the clock was set back: it says nothing about how long ago that was.
        if 0 <= age < self._settings.interval_hours * 3600 * SECOND:
            return False
        return not newest.is_of(self._database)

    def is_overdue(self, backups: list[Backup]) -> bool:
        """Whether something was written, and for a long time none of it came into a backup that is good.

        Never where none is made by itself, and not right after the start: a computer may have been off for weeks.
        """
        if self._started is None:
            return False
        now, allowed = self._clock(), _OVERDUE * self._settings.interval_hours * 3600 * SECOND
        newest = next((backup for backup in backups if backup.is_verified), None)
        if newest is None:
            return now - self._started > allowed
        has_had_time = now - self._started > self._first_due_s * SECOND
        return has_had_time and now - newest.made > allowed and not newest.is_of(self._database)

    async def _made(self) -> Backup:
        async with self._alone:
            try:
                backup = await self._make()
            except (DaylineError, OSError, DamagedSnapshot) as error:
                reason = _reason(error)
                self._last_failure = BackupFailure(when=self._clock(), message=reason)
                await asyncio.to_thread(self.folder.note_failure, self._last_failure)
                raise Unavailable(f"no backup was made: {reason}", hint="recording goes on") from error
        self._last_failure = None
        log.info("the backup %s was made and verified", backup.name, extra={"bytes": backup.bytes})
        return backup

    async def _make(self) -> Backup:
        await asyncio.to_thread(check_room, self.folder.path, self._database)
        work = await asyncio.to_thread(self.folder.begin_making)
        try:
            now = self._clock()
            job = MakeJob(
                database=str(self._database),
                snapshot=str(work / "snapshot.part"),
                folder=str(work),
                made=now,
                stamp=stamp_of(self._database),  # before anything is read: what is written from here on shows later
                secret=self._secret,
            )
            manifest = await run_snapshot(job)
            backup = await asyncio.to_thread(self._kept, work / "snapshot.part", now)
            return self._opened.noted(backup, manifest)
        finally:
            await asyncio.to_thread(shutil.rmtree, work, ignore_errors=True)

    def _kept(self, part: Path, made: Microseconds) -> Backup:
        path = self.folder.new(made, self._secret)
        self.folder.keep(part, path)
        self._remove_old()
        return self.folder.described(path.name)

    def _remove_old(self) -> None:
        """Delete the backups that retention does not keep. Logs what cannot be deleted: the next backup tries again."""
        try:
            expired = let_go(self.folder.all(), self._settings)
        except Unavailable as error:
            log.warning("no old backup was deleted: %s", error.message)
            return
        for old in expired:
            try:
                self.folder.remove(old)
            except OSError as error:
                log.warning("the old backup %s could not be deleted: %s", old.name, _reason(error))
            else:
                log.info("the backup %s was removed: newer ones are kept", old.name)

    def _noted(self, name: str, problem: str | None) -> Backup:
        self.folder.find(name)  # it may have been deleted while it was verified
        self.folder.note_problem(name, problem)
        return self.folder.described(name)


def _reason(error: Exception) -> str:
    """What went wrong, in words: of the system's errors the place and the reason, without its number."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)
