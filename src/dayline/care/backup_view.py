"""Backups in the form that goes over the wire."""

import asyncio
from typing import Literal

from msgspec import Struct

from dayline.care.backup_folder import Backup
from dayline.care.backup_keeper import BackupKeeper
from dayline.model.timestamps import Timestamp, format_timestamp


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
