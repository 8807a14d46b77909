"""Backups and their health as the API shows them."""

import asyncio
from typing import Final, Literal

from msgspec import Struct

from dayline.maintenance.backups.folder import Backup
from dayline.maintenance.backups.keeper import BackupKeeper
from dayline.model.errors import Unavailable
from dayline.model.health import Problem
from dayline.model.time import Timestamp, format_timestamp


class BackupView(Struct, frozen=True, kw_only=True):
    """A backup. One that `failed` was good once and is damaged now; `problem` says how that shows.

    What an encrypted one holds is null where the server does not know its key.
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
    """The last try, where it came to nothing."""

    when: Timestamp
    message: str


class BackupList(Struct, frozen=True, kw_only=True):
    """The backups, the newest first, and the folder they are in."""

    folder: str
    backups: list[BackupView]
    last_failure: BackupFailureView | None


async def view_of_backups(keeper: BackupKeeper) -> BackupList:
    """All that is known of the backups, in the form that goes over the wire."""
    failure = await asyncio.to_thread(keeper.last_failure)
    return BackupList(
        folder=str(keeper.folder.path),
        backups=[view_of_backup(backup) for backup in await keeper.all()],
        last_failure=None
        if failure is None
        else BackupFailureView(when=format_timestamp(failure.when), message=failure.message),
    )


def view_of_backup(backup: Backup) -> BackupView:
    """A backup in the form that goes over the wire."""
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


# What is wrong with the backups that there are: one that is damaged, none that is new enough.


_NAMED: Final = 3  # of those that are damaged; the list has them all


def backup_state_problems(keeper: BackupKeeper) -> list[Problem]:
    """Backups that failed when they were verified again, and a backup that is overdue."""
    try:
        backups = keeper.folder.all()
    except Unavailable as error:
        if keeper.last_failure() is not None:
            return []  # which says it already
        return [Problem(kind="backup", message=error.message, hint="[backup] in the settings names the folder")]
    return [*_damaged(backups), *_overdue(keeper, backups)]


def _damaged(backups: list[Backup]) -> list[Problem]:
    damaged = [backup.name for backup in backups if not backup.is_verified]
    if not damaged:
        return []
    names = ", ".join(damaged[:_NAMED]) + (f" and {len(damaged) - _NAMED} more" if len(damaged) > _NAMED else "")
    return [
        Problem(
            kind="backup",
            message=f"not good any more: {names}",
            hint="look after the disk; dayline backup create makes a new one, and lets go of those that are damaged",
        )
    ]


def _overdue(keeper: BackupKeeper, backups: list[Backup]) -> list[Problem]:
    if not keeper.is_overdue(backups):
        return []
    newest = next((backup for backup in backups if backup.is_verified), None)
    since = None if newest is None else format_timestamp(newest.made)
    return [
        Problem(
            kind="backup",
            message="there is no backup" if since is None else f"the last good backup is of {since}",
            hint="dayline backup create makes one, and tells what is in the way",
            since=since,
        )
    ]
