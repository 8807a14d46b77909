"""Starts the process that makes and verifies snapshots, and waits for it."""

from pathlib import Path
from typing import Final

import msgspec

from dayline.model.errors import Invalid, Unavailable
from dayline.storage.child import ChildFailed, run_child
from dayline.storage.sqlite.backup.snapshot_damage import DamagedSnapshot
from dayline.storage.sqlite.backup.snapshot_file import Manifest
from dayline.storage.sqlite.backup.snapshot_job import (
    CheckJob,
    Failed,
    Job,
    MakeJob,
    Manifests,
    Outcome,
    ReadJob,
    Verified,
)

SNAPSHOT_MODULE: Final = "dayline.storage.sqlite.backup.snapshot_child"


async def run_snapshot(job: MakeJob | CheckJob) -> Manifest:
    """The manifest of the snapshot, which is verified then.

    Raises DamagedSnapshot, Invalid where the secret cannot be used, or Unavailable with the reason.
    """
    return manifest_in(await _answer(job))


async def read_manifests(job: ReadJob) -> list[Manifest | None]:
    """What the heads of encrypted snapshots say; None for those that the secret does not open."""
    outcome = msgspec.json.decode(await _answer(job), type=Outcome)
    return outcome.found if isinstance(outcome, Manifests) else [None] * len(job.snapshots)


def manifest_in(answer: bytes) -> Manifest:
    """What the process answered. Raises DamagedSnapshot, Invalid, or Unavailable with the reason."""
    outcome = msgspec.json.decode(answer, type=Verified | Failed)
    if isinstance(outcome, Verified):
        return outcome.manifest
    if outcome.cause == "damage":
        raise DamagedSnapshot(outcome.message)
    kind = Invalid if outcome.cause == "key" else Unavailable
    raise kind(outcome.message, hint=outcome.hint)


async def _answer(job: Job) -> bytes:
    try:
        return await run_child(SNAPSHOT_MODULE, given=msgspec.json.encode(job))
    except ChildFailed as error:
        raise Unavailable(f"the process that makes backups was stopped: {error}") from error


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
