"""What is wrong with the backups that there are: one that is damaged, none that is new enough."""

from typing import Final

from dayline.care.backup_folder import Backup
from dayline.care.backup_keeper import BackupKeeper
from dayline.model.errors import Unavailable
from dayline.model.health import Problem
from dayline.model.timestamps import format_timestamp

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
            hint="look after the disk; dayline backup now makes a new one, and lets go of those that are damaged",
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
            hint="dayline backup now makes one, and tells what is in the way",
            since=since,
        )
    ]
