"""Snapshots as the server makes them: in a process of their own, and before anything that cannot be undone."""

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal

import msgspec
from msgspec import Struct

from dayline.model.errors import Invalid, Unavailable
from dayline.model.time import SECOND, Microseconds, now_us
from dayline.runtime.files import replace_file
from dayline.storage.background import ChildFailed, run_child, wait_for_child
from dayline.storage.sqlite.backup.encryption import DamagedSnapshot, Secret
from dayline.storage.sqlite.backup.file_format import Manifest
from dayline.storage.sqlite.backup.restore import time_in_name


class MakeJob(Struct, frozen=True, kw_only=True, tag="make"):
    """Make a snapshot of a database and verify it. `folder` is for what is needed on the way."""

    database: str
    snapshot: str
    folder: str
    made: Microseconds
    stamp: tuple[int, ...]
    secret: Secret | None = None  # what it is encrypted with, if it is
    gives_way: bool = True  # to what is recorded meanwhile


class CheckJob(Struct, frozen=True, kw_only=True, tag="check"):
    """Verify a snapshot that was made before."""

    snapshot: str
    folder: str
    secret: Secret | None = None


class ReadJob(Struct, frozen=True, kw_only=True, tag="read"):
    """Read what the heads of encrypted snapshots say."""

    snapshots: list[str]
    secret: Secret


Job = MakeJob | CheckJob | ReadJob


class Verified(Struct, frozen=True, kw_only=True, tag="verified"):
    """The snapshot is there, and holds what the source held."""

    manifest: Manifest


class Manifests(Struct, frozen=True, kw_only=True, tag="manifests"):
    """What the heads say, in the order in which they were named; None where one cannot be read with this secret."""

    found: list[Manifest | None]


class Failed(Struct, frozen=True, kw_only=True, tag="failed"):
    """It is not. What is to blame: a file that is damaged, the key, or neither of them, such as a full disk."""

    message: str
    cause: Literal["damage", "key", "other"] = "other"
    hint: str | None = None


Outcome = Verified | Manifests | Failed


# Starts the process that makes and verifies snapshots, and waits for it.


SNAPSHOT_MODULE: Final = "dayline.storage.sqlite.backup.worker"


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


# A verified snapshot before something that cannot be taken back: an upgrade of the schema, a restore.
#
# It is waited for, since nothing is recorded at such a moment. The work is done by the same process as that of any
# other snapshot: what it needs is not to be loaded into the one that will record afterwards.


# Makes a verified snapshot of a database, wherever there is a place for it. Raises DamagedSnapshot where the database
# cannot be read, and Unavailable or OSError where there is no place.
Keep = Callable[[Path], object]


def name_of(database: Path, made: Microseconds, secret: Secret | None) -> str:
    """The name of a snapshot by the time it was made."""
    return f"{database.stem}-{time_in_name(made)}.db.zst{'' if secret is None else '.enc'}"


def make_snapshot(job: MakeJob) -> Manifest:
    """Make a snapshot, verified, and wait for it. Raises as `manifest_in` does."""
    try:
        answer = wait_for_child(SNAPSHOT_MODULE, given=msgspec.json.encode(job))
    except ChildFailed as error:
        raise Unavailable(f"the process that makes backups was stopped: {error}") from error
    return manifest_in(answer)


def snapshot_in(work: Path, database: Path, *, made: Microseconds, secret: Secret | None) -> Path:
    """Make a snapshot in a folder of its own, which has no name yet; wait for it."""
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
    """Make a snapshot right beside the database. It has its name once it is verified."""
    made = now_us()
    work = Path(tempfile.mkdtemp(prefix=f"{database.name}-scratch-", dir=database.parent))
    try:
        part = snapshot_in(work, database, made=made, secret=secret)
        while (target := database.with_name(name_of(database, made, secret))).exists():
            made += SECOND
        replace_file(part, target)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return target
