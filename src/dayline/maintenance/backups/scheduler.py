"""Creates backups once a day if something changed, or on request, and deletes expired ones.

    day          │ mon   │ tue   │ wed   │ thu   │
    written      │ ▪ ▪▪  │  ▪    │       │   ▪▪  │
    backups      │ B     │ B     │       │ B     │

A child process does the work (storage/sqlite/backup/worker.py). This module only checks whether a backup is due.
"""

import asyncio
import logging
import shutil
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from dayline.config.sections import BackupSettings
from dayline.maintenance.backups.folder import (
    Backup,
    BackupFailure,
    BackupFolder,
    check_space,
    expired_backups,
    folder_of,
)
from dayline.model.errors import DaylineError, Invalid, Unavailable
from dayline.model.time import SECOND, Microseconds
from dayline.runtime.background import BackgroundWorkers, DetachedTasks
from dayline.storage.sqlite.backup.encryption import DamagedSnapshot, Secret
from dayline.storage.sqlite.backup.file_format import Manifest
from dayline.storage.sqlite.backup.messages import CheckJob, MakeJob, ReadJob
from dayline.storage.sqlite.backup.process import read_manifests, run_snapshot, stamp_of

_BackupKey = tuple[str, int, Microseconds, str | None]
Kept = Annotated[int, Meta(ge=0, le=1000)]


class BackupSchedule(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The schedule of automatic backups. All of the last 24 hours and the newest good one are always kept."""

    enabled: Annotated[bool, Meta(description="back up the database automatically when it has changed")]
    interval_hours: Annotated[float, Meta(ge=1, le=744, description="hours between two backups", examples=[24.0])]
    keep_daily: Annotated[Kept, Meta(description="days of which the last backup is kept", examples=[7])]
    keep_weekly: Annotated[Kept, Meta(description="weeks of which the last backup is kept", examples=[4])]
    keep_monthly: Annotated[Kept, Meta(description="months of which the last backup is kept", examples=[12])]


def schedule_of(settings: BackupSettings) -> BackupSchedule:
    """The part of the settings that is the schedule."""
    return BackupSchedule(
        enabled=settings.enabled,
        interval_hours=settings.interval_hours,
        keep_daily=settings.keep_daily,
        keep_weekly=settings.keep_weekly,
        keep_monthly=settings.keep_monthly,
    )


class OpenedManifests:
    """A cache of the manifests of encrypted backups, including those that the key does not open."""

    def __init__(self, secret: Secret | None) -> None:
        self._secret = secret
        self._known: dict[_BackupKey, Manifest | None] = {}

    async def add(self, folder: Path, backups: Sequence[Backup]) -> list[Backup]:
        """The backups with their manifests."""
        unread = [each for each in backups if each.is_encrypted and _key(each) not in self._known]
        if unread and self._secret is not None:
            job = ReadJob(snapshots=[str(folder / each.name) for each in unread], secret=self._secret)
            self._known.update(zip(map(_key, unread), await read_manifests(job), strict=True))
        return self.known(backups)

    def known(self, backups: Sequence[Backup]) -> list[Backup]:
        """The backups with the manifests that were opened before."""
        return [self._with_manifest(backup) for backup in backups]

    def note(self, backup: Backup, manifest: Manifest) -> Backup:
        """Cache the manifest of a new backup."""
        self._known[_key(backup)] = manifest
        return self._with_manifest(backup)

    def _with_manifest(self, backup: Backup) -> Backup:
        return replace(backup, manifest=backup.manifest or self._known.get(_key(backup)))


def _key(backup: Backup) -> _BackupKey:
    return backup.name, backup.bytes, backup.made, backup.mark


INITIAL_DELAY_S: Final = 120.0
INTERVAL_S: Final = 600.0  # between two checks whether a backup is due
_MAX_RETRIES_APART: Final = 64  # intervals; a failed attempt may have copied the whole file
_OVERDUE: Final = 3  # intervals

log = logging.getLogger(__name__)


class BackupScheduler:
    """The backups of one database. `start` begins the schedule; `close` ends it, and a running backup."""

    def __init__(
        self,
        database: Path,
        settings: BackupSettings,
        *,
        clock: Callable[[], Microseconds],
        secret: Secret | None = None,
        background: BackgroundWorkers | None = None,
        save: Callable[[str, object], None] | None = None,
        initial_delay_s: float = INITIAL_DELAY_S,
        interval_s: float = INTERVAL_S,
    ) -> None:
        self._database = database
        self._settings = settings
        self._clock = clock
        self._secret = secret
        self._save = save
        self._changing = asyncio.Lock()
        self._runs = False
        self._opened = OpenedManifests(secret)
        self.folder = BackupFolder(folder_of(database, settings), database)
        self._last_failure: BackupFailure | None = None
        self._exclusive = asyncio.Lock()
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
        self._first_due_s = initial_delay_s + 2 * interval_s  # after the start; by then a due backup was attempted

    def start(self) -> None:
        """Start checking whether a backup is due. Call on the event loop."""
        self._runs = True
        self._apply()

    def _apply(self) -> None:
        """Start or stop automatic backups, as the settings say."""
        is_on = self._runs and self._settings.enabled
        self._started = (self._started or self._clock()) if is_on else None
        if is_on:
            self._daily.start()

    async def close(self) -> None:
        await self._daily.close()
        await self._calls.close()

    @property
    def schedule(self) -> BackupSchedule:
        """When backups are created, and how many are kept."""
        return schedule_of(self._settings)

    async def change_schedule(self, schedule: BackupSchedule, *, claim: Callable[[], Awaitable[None]]) -> None:
        """Use another schedule from now on, and store it in the settings file. Raises Unavailable or Invalid.

        `claim` is called before anything changes; it raises if the same request was carried out already.
        """
        if self._save is None:
            raise Unavailable("no server is running", hint="start it with: dayline serve")
        async with self._changing:
            await claim()
            for name, value in msgspec.structs.asdict(schedule).items():
                if value != getattr(self._settings, name):
                    await asyncio.to_thread(self._save, f"backup.{name}", value)
                    self._settings = replace(self._settings, **{name: value})
            self._apply()
            self._daily.wake()

    def last_failure(self) -> BackupFailure | None:
        """The failure of the last attempt; None if it succeeded."""
        return self._last_failure or self.folder.last_failure()

    async def all(self) -> list[Backup]:
        """All backups, the newest first, with the contents of encrypted ones if the key is known."""
        return await self._opened.add(self.folder.path, await asyncio.to_thread(self.folder.all))

    async def make(self) -> Backup:
        """Create and verify a backup. Continues if the caller stops waiting. Raises Unavailable."""
        try:
            return await self._calls.run(self._make_exclusively())
        except Unavailable as error:
            log.error("%s", error.message)
            raise

    async def verify(self, name: str) -> Backup:
        """Unpack a backup and compare it with its manifest. Stores the result.

        Raises NotFound, Invalid if it has another key, or Unavailable if it cannot be verified now.
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
            log.error("The backup %s is damaged: %s", name, error)
        finally:
            await asyncio.to_thread(shutil.rmtree, work, ignore_errors=True)
        return (await self._opened.add(self.folder.path, [await asyncio.to_thread(self._store_result, name, problem)]))[
            0
        ]

    async def _make_if_due(self) -> None:
        if self._settings.enabled and await self.is_due():
            await self._make_exclusively()

    async def is_due(self) -> bool:
        """Whether the last verified backup is old enough, and something was written since."""
        try:
            newest = self.newest(await self.all())
        except Unavailable:
            return True  # the attempt reports the error
        if newest is None:
            return True
        age = self._clock() - newest.made
        # A backup of the future was made before the clock was set back: its age is unknown.
        if 0 <= age < self._settings.interval_hours * 3600 * SECOND:
            return False
        return not newest.is_of(self._database)

    def is_overdue(self, backups: list[Backup]) -> bool:
        """Whether something was written, and there was no verified backup for a long time.

        Never if automatic backups are off, and not right after the start: a computer may have been off for weeks.
        """
        if self._started is None:
            return False
        now, allowed = self._clock(), _OVERDUE * self._settings.interval_hours * 3600 * SECOND
        newest = self.newest(backups)
        if newest is None:
            return now - self._started > allowed
        has_had_time = now - self._started > self._first_due_s * SECOND
        return has_had_time and now - newest.made > allowed and not newest.is_of(self._database)

    def newest(self, backups: Sequence[Backup]) -> Backup | None:
        """The first verified backup that is ours, as far as they were opened."""
        known = self._opened.known(backups)
        return next((backup for backup in known if backup.is_verified and backup.is_ours(self._secret)), None)

    async def _make_exclusively(self) -> Backup:
        async with self._exclusive:
            try:
                backup = await self._make()
            except (DaylineError, OSError, DamagedSnapshot) as error:
                reason = _reason(error)
                self._last_failure = BackupFailure(when=self._clock(), message=reason)
                await asyncio.to_thread(self.folder.note_failure, self._last_failure)
                raise Unavailable(f"the backup failed: {reason}", hint="recording continues") from error
        self._last_failure = None
        log.info("Created and verified the backup %s", backup.name, extra={"bytes": backup.bytes})
        return backup

    async def _make(self) -> Backup:
        await asyncio.to_thread(check_space, self.folder.path, self._database)
        work = await asyncio.to_thread(self.folder.begin_making)
        try:
            now = self._clock()
            job = MakeJob(
                database=str(self._database),
                snapshot=str(work / "snapshot.part"),
                folder=str(work),
                made=now,
                stamp=stamp_of(self._database),  # before any read, so that later writes are detected
                secret=self._secret,
            )
            manifest = await run_snapshot(job)
            backup = await asyncio.to_thread(self._keep, work / "snapshot.part", now)
            return self._opened.note(backup, manifest)
        finally:
            await asyncio.to_thread(shutil.rmtree, work, ignore_errors=True)

    def _keep(self, part: Path, made: Microseconds) -> Backup:
        path = self.folder.new(made, self._secret)
        self.folder.keep(part, path)
        self._remove_old()
        return self.folder.describe(path.name)

    def _remove_old(self) -> None:
        """Delete expired backups. Logs failures: the next backup tries again."""
        try:
            expired = expired_backups(self.folder.all(), self._settings)
        except Unavailable as error:
            log.warning("Cannot delete old backups: %s", error.message)
            return
        for old in expired:
            try:
                self.folder.remove(old)
            except OSError as error:
                log.warning("Cannot delete the old backup %s: %s", old.name, _reason(error))
            else:
                log.info("Deleted the expired backup %s", old.name)

    def _store_result(self, name: str, problem: str | None) -> Backup:
        self.folder.find(name)  # it may have been deleted while it was verified
        self.folder.note_problem(name, problem)
        return self.folder.describe(name)


def _reason(error: Exception) -> str:
    """The error as text; for an OSError the path and the reason, without its number."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)
