"""Starts the process that makes and verifies snapshots, and waits for it."""

from pathlib import Path
from typing import Final

import msgspec

from dayline.model.errors import Unavailable
from dayline.storage.sqlite.child import ChildFailed, run_child
from dayline.storage.sqlite.snapshot_file import DamagedSnapshot, Manifest
from dayline.storage.sqlite.snapshot_job import Job, Outcome, Verified

SNAPSHOT_MODULE: Final = "dayline.storage.sqlite.snapshot_child"


async def run_snapshot(job: Job) -> Manifest:
    """The manifest of the snapshot, which is verified then. Raises DamagedSnapshot, or Unavailable with the reason."""
    try:
        answer = await run_child(SNAPSHOT_MODULE, given=msgspec.json.encode(job))
    except ChildFailed as error:
        raise Unavailable(f"the process that makes backups was stopped: {error}") from error
    return manifest_in(answer)


def manifest_in(answer: bytes) -> Manifest:
    """What the process answered. Raises DamagedSnapshot, or Unavailable with the reason."""
    outcome = msgspec.json.decode(answer, type=Outcome)
    if isinstance(outcome, Verified):
        return outcome.manifest
    if outcome.is_damaged:
        raise DamagedSnapshot(outcome.message)
    raise Unavailable(outcome.message)


def stamp_of(database: Path) -> tuple[int, ...]:
    """Changes whenever something is written to the database; tells nothing more. Costs two looks at the folder."""
    stamp: list[int] = []
    for file in (database, database.with_name(f"{database.name}-wal")):
        try:
            status = file.stat()
        except FileNotFoundError:
            stamp += (0, 0)
        else:
            stamp += (status.st_size, status.st_mtime_ns if status.st_size else 0)
    return tuple(stamp)
