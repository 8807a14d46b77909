"""What a file to import is, and the results of a migration.

Plain: the server loads this, only child processes and commands the rest.
"""

from enum import StrEnum
from pathlib import Path
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from dayline.model.errors import Invalid
from dayline.model.time import Microseconds
from dayline.runtime.encrypted_file import PLAIN_MAGIC

FileKind: TypeAlias = Literal["database", "document", "archive"]

FILE_HINT: Final = "give a database or folder of ActivityWatch, a JSON export, or an archive"
_ARCHIVE: Final = (b"\x28\xb5\x2f\xfd", b"DAYLINE-SEALED-1")  # zstd, and encrypted


class LeftOut(StrEnum):
    """Why an event of the source is left out."""

    NEGATIVE = "negative duration"
    OUTSIDE = "outside 1970 to 2261"
    BAD_DATA = "data is not a JSON object"
    BAD_TIME = "invalid time"
    TOO_LARGE = "data is larger than limits.event_kib"
    DROPPED = "dropped by your privacy rules"


class Sums(Struct, frozen=True, kw_only=True):
    """A checksum of a set of events: their number, total duration, and the sum of their digests."""

    events: int
    duration: Microseconds
    checksum: str


class Comparison(Struct, frozen=True, kw_only=True, rename={"source": "theirs", "target": "ours"}):
    """The source's events that should be here, the same events as they are here, and the rest.

    `continued` counts source events that are longer here, which are in neither checksum; `others` our events that are
    not in the source.
    """

    source: Sums
    target: Sums
    continued: int
    others: int

    @property
    def is_proven(self) -> bool:
        return self.source == self.target


class CopiedBucket(Struct, frozen=True, kw_only=True):
    """The result of copying a bucket.

    `events` is the number of valid ones; `repeated` of them were duplicates, which Dayline stores once. `imported` are
    new here, `extended` existed here and are longer in the source.
    """

    bucket: str
    events: int
    left_out: dict[LeftOut, int]
    repeated: int
    imported: int
    extended: int
    proof: Comparison


class CopiedSettings(Struct, frozen=True, kw_only=True):
    """Keys that were set, already had that value, kept another value, or were rejected (with the reason)."""

    copied: list[str]
    same: list[str]
    kept: list[str]
    refused: dict[str, str]


class Migrated(Struct, frozen=True, kw_only=True):
    """The result of migrating one source."""

    path: str
    settings: CopiedSettings
    buckets: list[CopiedBucket]

    @property
    def is_proven(self) -> bool:
        return all(bucket.proof.is_proven for bucket in self.buckets)


def file_kind(path: Path, *, name: str | None = None) -> FileKind:
    """What a file is. Raises Invalid, which calls it by `name`; default: its path."""
    from dayline.runtime.spool import open_input  # here: the command starts faster without SQLite

    try:
        with open_input(path) as file:
            head = file.read(1024)
    except OSError as error:
        raise Invalid(f"cannot read {path}: {error.strerror}") from error
    if head.startswith(PLAIN_MAGIC):
        return "database"
    if head.startswith(_ARCHIVE):
        return "archive"
    if head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith((b"{", b"[")):
        return "document"
    raise Invalid(f"{name or path} is neither a database, a JSON export nor an archive", hint=FILE_HINT)
