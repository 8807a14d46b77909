"""What the process that makes snapshots is asked, and what it answers."""

from msgspec import Struct

from dayline.model.timestamps import Microseconds
from dayline.storage.sqlite.snapshot_file import Manifest


class MakeJob(Struct, frozen=True, kw_only=True, tag="make"):
    """Make a snapshot of a database and verify it. `folder` is for what is needed on the way."""

    database: str
    snapshot: str
    folder: str
    made: Microseconds
    stamp: tuple[int, ...]


class CheckJob(Struct, frozen=True, kw_only=True, tag="check"):
    """Verify a snapshot that was made before."""

    snapshot: str
    folder: str


Job = MakeJob | CheckJob


class Verified(Struct, frozen=True, kw_only=True, tag="verified"):
    """The snapshot is there, and holds what the source held."""

    manifest: Manifest


class Failed(Struct, frozen=True, kw_only=True, tag="failed"):
    """It is not. `is_damaged` says that the file is to blame, the database or the snapshot, not a full disk."""

    message: str
    is_damaged: bool = False


Outcome = Verified | Failed
