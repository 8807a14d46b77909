"""Databases with a few events, snapshots of them, and a scheduler of backups with a clock that a test sets."""

import asyncio
from pathlib import Path
from typing import Any

from dayline.config.sections import BackupSettings
from dayline.maintenance.backups.folder import Backup
from dayline.maintenance.backups.scheduler import BackupScheduler
from dayline.model.time import SECOND, Microseconds, parse_timestamp
from dayline.storage.sqlite.backup.encryption import Secret
from dayline.storage.sqlite.backup.file_format import FORMAT, Manifest, write_snapshot
from dayline.storage.sqlite.backup.snapshot import take_snapshot
from tests.support.storage.opened import beat, bucket, events_of, opened


def filled(path: Path, *apps: str, bucket_id: str = "window") -> None:
    """Make a database, or add to one: an event for each app."""

    async def fill() -> None:
        async with opened(path) as store:
            if bucket_id not in store.buckets():
                await store.create_bucket(bucket(bucket_id))
            first = store.count(bucket_id, start=None, end=None)
            await store.insert(bucket_id, [beat(60 * (first + n), app=app) for n, app in enumerate(apps)])

    asyncio.run(fill())


def events_in(path: Path, bucket_id: str = "window") -> list[dict[str, Any]]:
    """All events of a bucket with their ids, as the store gives them."""

    async def read() -> list[dict[str, Any]]:
        async with opened(path) as store:
            return events_of(store, bucket_id)

    return asyncio.run(read())


def packed(database: Path, target: Path, *, work: Path, secret: Secret | None = None) -> Manifest:
    """A snapshot of a database, made in this process, not verified."""
    copy = work / "copy.db"
    copy.unlink(missing_ok=True)
    contents = take_snapshot(database, copy)
    manifest = Manifest(format=FORMAT, made=0, stamp=(), size=copy.stat().st_size, contents=contents)
    write_snapshot(copy, target, manifest, secret=secret)
    return manifest


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
