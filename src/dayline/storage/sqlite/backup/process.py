"""Runs the process that makes and verifies snapshots."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import cast

from dayline.config.data_folder import DataFile, beside, make_data_folder
from dayline.model.errors import Invalid, Unavailable
from dayline.model.time import SECOND, Microseconds, now_us
from dayline.runtime.files import replace_file
from dayline.storage.operations.children import ChildFunction
from dayline.storage.sqlite.backup.encryption import DamagedSnapshot, Secret
from dayline.storage.sqlite.backup.file_format import Manifest, snapshot_key
from dayline.storage.sqlite.backup.messages import (
    CheckJob,
    Failed,
    MakeJob,
    Manifests,
    Outcome,
    ReadJob,
    Verified,
)
from dayline.storage.sqlite.backup.restore import time_in_name

run_job = ChildFunction(
    "dayline.storage.sqlite.backup.worker:outcome_of",
    cast("type[Outcome]", Outcome),  # a union is a type to msgspec, and not to the type checker
    failure="the backup process failed",
)


async def run_snapshot(job: MakeJob | CheckJob) -> Manifest:
    """The manifest of the verified snapshot.

    Raises DamagedSnapshot, Invalid if the secret is unusable, or Unavailable with the reason.
    """
    key = snapshot_key(Path(job.snapshot)) if isinstance(job, CheckJob) else None
    return manifest_in(await run_job(job, key=key))


async def read_manifests(job: ReadJob) -> list[Manifest | None]:
    """The manifests of encrypted snapshots; None for those that the secret does not decrypt."""
    return _manifests_in(await run_job(job), job)


def read_manifests_now(job: ReadJob) -> list[Manifest | None]:
    """The same, blocking."""
    return _manifests_in(run_job.wait(job), job)


def _manifests_in(outcome: Outcome, job: ReadJob) -> list[Manifest | None]:
    return outcome.found if isinstance(outcome, Manifests) else [None] * len(job.snapshots)


def manifest_in(outcome: Outcome) -> Manifest:
    """The manifest in the outcome of a job. Raises DamagedSnapshot, Invalid, or Unavailable with the reason."""
    if isinstance(outcome, Verified):
        return outcome.manifest
    assert isinstance(outcome, Failed)
    if outcome.cause == "damage":
        raise DamagedSnapshot(outcome.message)
    kind = Invalid if outcome.cause == "key" else Unavailable
    raise kind(outcome.message, hint=outcome.hint)


def stamp_of(database: Path) -> tuple[int, ...]:
    """A value that changes with every write to the database. Costs two stat calls."""
    stamp: list[int] = []
    for file in (database, beside(database, "-wal")):
        try:
            status = file.stat()
        except FileNotFoundError:
            stamp += (0, 0)
        else:
            stamp += (status.st_size, status.st_mtime_ns if status.st_size else 0)
    return tuple(stamp)


# A verified snapshot before something that cannot be undone: a schema upgrade or a restore. The caller waits for it,
# because nothing is recorded at that time. It runs in its own process, so that the libraries it needs are not loaded
# into the process that will record.


# Makes a verified snapshot of a database. Raises DamagedSnapshot if the database cannot be read, and Unavailable or
# OSError if the snapshot cannot be written.
Keep = Callable[[Path], object]


def name_of(database: Path, made: Microseconds, secret: Secret | None) -> str:
    """The file name of a snapshot, with the time it was made."""
    return f"{database.stem}-{time_in_name(made)}.db.zst{'' if secret is None else '.enc'}"


def make_snapshot(job: MakeJob) -> Manifest:
    """Make a verified snapshot, blocking. Raises the errors of `manifest_in`."""
    return manifest_in(run_job.wait(job))


def snapshot_in(work: Path, database: Path, *, made: Microseconds, secret: Secret | None) -> Path:
    """Make a snapshot in a temporary folder, blocking."""
    part = work / "snapshot.part"
    make_snapshot(
        MakeJob(
            database=str(database),
            snapshot=str(part),
            folder=str(work),
            made=made,
            stamp=stamp_of(database),
            secret=secret,
            gives_way=False,
        )
    )
    return part


def snapshot_beside(database: Path, secret: Secret | None = None) -> Path:
    """Make a snapshot next to the database. It gets its final name once it is verified."""
    made = now_us()
    work = make_data_folder(database, DataFile.SCRATCH)
    try:
        part = snapshot_in(work, database, made=made, secret=secret)
        while (target := database.with_name(name_of(database, made, secret))).exists():
            made += SECOND
        replace_file(part, target)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return target
