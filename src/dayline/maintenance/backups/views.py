"""Backups and their health as the API shows them."""

import asyncio
from typing import Final, Literal

from msgspec import Struct

from dayline.maintenance.backups.folder import Backup
from dayline.maintenance.backups.scheduler import BackupSchedule, BackupScheduler
from dayline.model.errors import Unavailable
from dayline.model.health import Problem
from dayline.model.time import Timestamp, format_timestamp


class BackupView(Struct, frozen=True, kw_only=True):
    """A backup. If the state is `failed`, it was good once and is damaged now; `problem` describes the damage.

    The contents of an encrypted backup are null if the server does not have its key.
    """

    name: str
    made: Timestamp
    state: Literal["verified", "failed"]
    bytes: int
    encrypted: bool
    buckets: int | None
    events: int | None
    schema: int | None
    problem: str | None


class BackupFailureView(Struct, frozen=True, kw_only=True):
    """The last attempt, if it failed."""

    when: Timestamp
    message: str


class BackupList(Struct, frozen=True, kw_only=True):
    """The backups, the newest first, the folder they are in, and when they are created."""

    folder: str
    schedule: BackupSchedule
    backups: list[BackupView]
    last_failure: BackupFailureView | None


async def view_of_backups(scheduler: BackupScheduler) -> BackupList:
    """The backups as the API returns them."""
    failure = await asyncio.to_thread(scheduler.last_failure)
    return BackupList(
        folder=str(scheduler.folder.path),
        schedule=scheduler.schedule,
        backups=[view_of_backup(backup) for backup in await scheduler.all()],
        last_failure=None
        if failure is None
        else BackupFailureView(when=format_timestamp(failure.when), message=failure.message),
    )


def view_of_backup(backup: Backup) -> BackupView:
    """A backup as the API returns it."""
    contents = None if backup.manifest is None else backup.manifest.contents
    return BackupView(
        name=backup.name,
        made=format_timestamp(backup.made),
        state="verified" if backup.is_verified else "failed",
        bytes=backup.bytes,
        encrypted=backup.is_encrypted,
        buckets=None if contents is None else len(contents.buckets),
        events=None if contents is None else contents.events,
        schema=None if contents is None else contents.schema,
        problem=backup.problem,
    )


# Problems with existing backups: a damaged one, or none that is recent.
_NAMED: Final = 3  # damaged backups named in the message


def backup_state_problems(scheduler: BackupScheduler) -> list[Problem]:
    """Problems: backups that failed a later verification, and an overdue backup."""
    try:
        backups = scheduler.folder.all()
    except Unavailable as error:
        if scheduler.last_failure() is not None:
            return []  # reported already
        return [Problem(kind="backup", message=error.message, hint="check the folder in [backup] in the settings")]
    return [*_damaged(backups), *_overdue(scheduler, backups)]


def _damaged(backups: list[Backup]) -> list[Problem]:
    damaged = [backup.name for backup in backups if not backup.is_verified]
    if not damaged:
        return []
    names = ", ".join(damaged[:_NAMED]) + (f" and {len(damaged) - _NAMED} more" if len(damaged) > _NAMED else "")
    return [
        Problem(
            kind="backup",
            message=f"damaged: {names}",
            hint="check the disk; dayline backup create creates a new backup and deletes damaged ones",
        )
    ]


def _overdue(scheduler: BackupScheduler, backups: list[Backup]) -> list[Problem]:
    if not scheduler.is_overdue(backups):
        return []
    newest = scheduler.newest(backups)
    since = None if newest is None else format_timestamp(newest.made)
    return [
        Problem(
            kind="backup",
            message="there is no backup" if since is None else f"the last good backup is from {since}",
            hint="dayline backup create creates one, or reports what prevents it",
            since=since,
        )
    ]
