"""Messages between the server and the process that makes and verifies snapshots.

Separate from `process`: the child loads only what it needs, and starts in half the time.
"""

from typing import Literal

from msgspec import Struct

from dayline.model.time import Microseconds
from dayline.storage.sqlite.backup.encryption import Secret
from dayline.storage.sqlite.backup.file_format import Manifest


class MakeJob(Struct, frozen=True, kw_only=True, tag="make"):
    """Make and verify a snapshot. `folder` is for temporary files."""

    database: str
    snapshot: str
    folder: str
    made: Microseconds
    stamp: tuple[int, ...]
    secret: Secret | None = None  # encrypts the snapshot, if given
    gives_way: bool = True  # run at low priority, in favor of recording


class CheckJob(Struct, frozen=True, kw_only=True, tag="check"):
    """Verify an existing snapshot."""

    snapshot: str
    folder: str
    secret: Secret | None = None


class ReadJob(Struct, frozen=True, kw_only=True, tag="read"):
    """Read the manifests of encrypted snapshots."""

    snapshots: list[str]
    secret: Secret


Job = MakeJob | CheckJob | ReadJob


class Verified(Struct, frozen=True, kw_only=True, tag="verified"):
    """The snapshot exists and matches the source."""

    manifest: Manifest


class Manifests(Struct, frozen=True, kw_only=True, tag="manifests"):
    """The manifests in the order of the job; None for one that this secret does not decrypt."""

    found: list[Manifest | None]


class Failed(Struct, frozen=True, kw_only=True, tag="failed"):
    """The job failed: because of a damaged file, the key, or something else such as a full disk."""

    message: str
    cause: Literal["damage", "key", "other"] = "other"
    hint: str | None = None


Outcome = Verified | Manifests | Failed
