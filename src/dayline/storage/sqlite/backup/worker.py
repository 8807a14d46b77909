"""Makes and verifies snapshots, in a child process. Compressing, hashing and checking a
year of data takes seconds of CPU time, which must not slow down recording.
"""

import os
import sys
from pathlib import Path
from typing import Final

import apsw

from dayline.model.errors import DaylineError, Invalid, StoreTooNew, StoreUnusable
from dayline.storage.sqlite.backup.encryption import DamagedSnapshot, Secret
from dayline.storage.sqlite.backup.file_format import FORMAT, Manifest, read_manifest, write_snapshot
from dayline.storage.sqlite.backup.messages import Failed, Job, MakeJob, Manifests, Outcome, ReadJob, Verified
from dayline.storage.sqlite.backup.snapshot import check_snapshot, take_snapshot
from dayline.storage.sqlite.file.conversion import UnreadablePages

# It gives way to recording: a little while it reads the database, since that must not take long on a busy machine, and
# then as much as possible.
READING: Final = 5
WORKING: Final = 19
# Errors of a damaged file, as opposed to a full disk and the like.
_DAMAGE: Final = (
    DamagedSnapshot,
    UnreadablePages,
    StoreUnusable,
    apsw.CorruptError,
    apsw.NotADBError,
    UnicodeDecodeError,
)


def outcome_of(job: Job) -> Outcome:
    """The result of a job. Errors of files and disks are results too."""
    try:
        if isinstance(job, MakeJob):
            return Verified(manifest=make(job))
        _give_way(WORKING)
        if isinstance(job, ReadJob):
            return Manifests(found=[_manifest(Path(path), job.secret) for path in job.snapshots])
        plain = Path(job.folder) / "check.db"
        return Verified(manifest=check_snapshot(Path(job.snapshot), plain, secret=job.secret))
    except Invalid as error:
        return Failed(message=error.message, cause="key", hint=error.hint)
    except (DaylineError, *_DAMAGE, apsw.Error, OSError) as error:
        return Failed(message=str(error), cause="damage" if isinstance(error, _unreadable(job)) else "other")


def make(job: MakeJob) -> Manifest:
    """Write and verify a new snapshot."""
    folder, target = Path(job.folder), Path(job.snapshot)
    copy = folder / "copy.db"
    if job.gives_way:
        _give_way(READING)
    contents = take_snapshot(Path(job.database), copy)
    if job.gives_way:
        _give_way(WORKING)
    size = copy.stat().st_size
    manifest = Manifest(format=FORMAT, made=job.made, stamp=job.stamp, size=size, contents=contents)
    write_snapshot(copy, target, manifest, secret=job.secret)
    copy.unlink()  # frees the disk space for the next one
    manifest = check_snapshot(target, folder / "check.db", secret=job.secret)
    (folder / "check.db").unlink()
    return manifest


def _unreadable(job: Job) -> tuple[type[Exception], ...]:
    # A snapshot made by a newer program is valid; this program cannot make one of a newer database.
    return (*_DAMAGE, StoreTooNew) if isinstance(job, MakeJob) else _DAMAGE


def _manifest(path: Path, secret: Secret) -> Manifest | None:
    try:
        return read_manifest(path, secret=secret)
    except (Invalid, DamagedSnapshot, OSError):
        return None  # a later use reports the error


def _give_way(niceness: int) -> None:
    if sys.platform != "win32":
        os.nice(max(0, niceness - os.nice(0)))
