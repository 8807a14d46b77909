"""A scheduler of backups with a clock that stands where a test puts it."""

import asyncio
from pathlib import Path

from dayline.config.sections import BackupSettings
from dayline.maintenance.backups.folder import Backup
from dayline.maintenance.backups.scheduler import BackupScheduler
from dayline.model.time import SECOND, Microseconds, parse_timestamp
from dayline.storage.sqlite.backup.encryption import Secret

HOUR: Microseconds = 3600 * SECOND
DAY: Microseconds = 24 * HOUR


class Clock:
    """Shows the time that it was given."""

    def __init__(self) -> None:
        self.now = parse_timestamp("2026-03-01T12:00:00Z")

    def __call__(self) -> Microseconds:
        return self.now


def scheduler_of(
    database: Path, clock: Clock, settings: BackupSettings | None = None, *, secret: Secret | None = None
) -> BackupScheduler:
    return BackupScheduler(database, settings or BackupSettings(), clock=clock, secret=secret)


def made(scheduler: BackupScheduler) -> Backup:
    """A new backup."""
    return asyncio.run(scheduler.make())


def damage(path: Path, place: int = -100) -> None:
    """Flip one bit of a file."""
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)
