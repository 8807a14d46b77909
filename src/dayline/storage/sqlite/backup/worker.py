"""The process that makes and verifies snapshots.

    python -m dayline.storage.sqlite.backup.worker

It reads one job (JSON) from its standard input and writes one line: what came of it. Compressing, hashing and checking
a year take seconds of a processor, and none of that is to be felt by what is recorded meanwhile.
"""

import os
import sys
from pathlib import Path
from typing import Final

import apsw
import msgspec

from dayline.model.errors import DaylineError, Invalid, StoreTooNew, StoreUnusable
from dayline.storage.sqlite.backup.encryption import DamagedSnapshot, Secret
from dayline.storage.sqlite.backup.file_format import FORMAT, Manifest, read_manifest, write_snapshot
from dayline.storage.sqlite.backup.process import Failed, Job, MakeJob, Manifests, Outcome, ReadJob, Verified
from dayline.storage.sqlite.backup.snapshot import check_snapshot, take_snapshot

# It gives way to recording: a little while the database is read, since that must not last on a busy machine either, and
# then as far as can be.
READING: Final = 5
WORKING: Final = 19
# What tells that a file is not what it should be, as against a full disk or the like.
_DAMAGE: Final = (DamagedSnapshot, StoreUnusable, apsw.CorruptError, apsw.NotADBError, UnicodeDecodeError)


def main() -> None:
    """Do the job that the standard input tells."""
    job = msgspec.json.decode(sys.stdin.buffer.read(), type=Job)
    sys.stdout.buffer.write(msgspec.json.encode(outcome_of(job)))


def outcome_of(job: Job) -> Outcome:
    """What came of it. What is wrong with a file or a disk is an outcome, too."""
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
    except (DaylineError, DamagedSnapshot, apsw.Error, OSError, UnicodeDecodeError) as error:
        return Failed(message=str(error), cause="damage" if isinstance(error, _unreadable(job)) else "other")


def make(job: MakeJob) -> Manifest:
    """A new snapshot, written and verified."""
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
    copy.unlink()  # there is to be room for the next one
    manifest = check_snapshot(target, folder / "check.db", secret=job.secret)
    (folder / "check.db").unlink()
    return manifest


def _unreadable(job: Job) -> tuple[type[Exception], ...]:
    # A snapshot that a newer program made is good; of a newer database this program cannot make one.
    return (*_DAMAGE, StoreTooNew) if isinstance(job, MakeJob) else _DAMAGE


def _manifest(path: Path, secret: Secret) -> Manifest | None:
    try:
        return read_manifest(path, secret=secret)
    except (Invalid, DamagedSnapshot, OSError):
        return None  # whoever needs it will be told why


def _give_way(niceness: int) -> None:
    if sys.platform != "win32":
        os.nice(max(0, niceness - os.nice(0)))


if __name__ == "__main__":
    main()
