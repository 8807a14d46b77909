"""Which backups may go."""

from collections.abc import Callable, Hashable, Iterable
from datetime import UTC, datetime

from dayline.care.backup_folder import Backup
from dayline.care.backup_settings import BackupSettings
from dayline.model.timestamps import DAY, SECOND


def let_go(backups: Iterable[Backup], settings: BackupSettings) -> list[Backup]:
    """What need not be kept any longer, the newest first.

    Kept are all of the last 24 hours, and the last one of each of the latest days, weeks and months that have any
    (UTC). Over the size that is allowed the oldest give way. The newest that is verified stays in any case; one that
    failed counts for nothing, and goes when there is a newer one that is verified.
    """
    newest_first = sorted(backups, key=lambda backup: backup.made, reverse=True)
    verified = [backup for backup in newest_first if backup.is_verified]
    if not verified:
        return []
    kept = _within_size(_chosen(verified, settings), settings.most_mib << 20)
    return [
        backup
        for backup in newest_first
        if backup.name not in kept and (backup.is_verified or backup.made < verified[0].made)
    ]


def _chosen(verified: list[Backup], settings: BackupSettings) -> list[Backup]:
    newest = verified[0]
    names = {backup.name for backup in verified if newest.made - backup.made < DAY}
    periods: tuple[tuple[int, Callable[[datetime], Hashable]], ...] = (
        (settings.daily, lambda moment: moment.date()),
        (settings.weekly, lambda moment: moment.isocalendar()[:2]),
        (settings.monthly, lambda moment: (moment.year, moment.month)),
    )
    for count, period_of in periods:
        latest: dict[Hashable, str] = {}
        for backup in verified:
            latest.setdefault(period_of(datetime.fromtimestamp(backup.made // SECOND, UTC)), backup.name)
        names.update(list(latest.values())[:count])
    return [backup for backup in verified if backup.name in names]


def _within_size(chosen: list[Backup], most_bytes: int) -> set[str]:
    kept: set[str] = set()
    size = 0
    for backup in chosen:
        size += backup.bytes
        if kept and most_bytes and size > most_bytes:
            break
        kept.add(backup.name)
    return kept
