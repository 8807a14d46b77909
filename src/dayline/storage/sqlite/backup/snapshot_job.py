"""What the process that makes snapshots is asked, and what it answers."""

from typing import Literal

from msgspec import Struct

from dayline.model.timestamps import Microseconds
from dayline.storage.sqlite.backup.snapshot_file import Manifest
from dayline.storage.sqlite.backup.snapshot_secret import Secret


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
