"""A verified snapshot before something that cannot be taken back: an upgrade of the schema, a restore.

It is waited for, since nothing is recorded at such a moment. The work is done by the same process as that of any other
snapshot: what it needs is not to be loaded into the one that will record afterwards.
"""

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import msgspec

from dayline.model.errors import Unavailable
from dayline.model.timestamps import SECOND, Microseconds, now_us
from dayline.runtime.files import flush_folder
from dayline.storage.child import ChildFailed, wait_for_child
from dayline.storage.sqlite.backup.snapshot_file import Manifest
from dayline.storage.sqlite.backup.snapshot_job import MakeJob
from dayline.storage.sqlite.backup.snapshot_process import SNAPSHOT_MODULE, manifest_in, stamp_of
from dayline.storage.sqlite.backup.snapshot_restore import time_in_name
from dayline.storage.sqlite.backup.snapshot_secret import Secret

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
        os.replace(part, target)
        flush_folder(database.parent)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return target
