"""What a file to import is, and the results of a migration with their proof.

Plain: the server loads this, only child processes and commands the rest.
"""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final, Literal, TypeAlias

from msgspec import Meta, Struct

from dayline.model.errors import Invalid
from dayline.model.time import SECOND, Microseconds
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


# The proof of a migration, as the API returns it.


class ProvenSums(Struct, frozen=True, kw_only=True):
    """Checksum of a set of events."""

    events: int
    seconds: Annotated[float, Meta(description="sum of their durations")]
    checksum: Annotated[str, Meta(description="sum of their digests, independent of their order")]


class ProvenBucket(Struct, frozen=True, kw_only=True):
    """A bucket of the source: `theirs` is the checksum of its events there, `ours` of the same events here."""

    bucket: str
    is_proven: Annotated[bool, Meta(description="whether both checksums are equal")]
    theirs: ProvenSums
    ours: ProvenSums
    imported: Annotated[int, Meta(description="events that are new here")]
    extended: Annotated[int, Meta(description="events that existed here and are longer in the source")]
    repeated: Annotated[int, Meta(description="duplicates in the source, which are stored once here")]
    continued: Annotated[int, Meta(description="events that continued here, and are in neither checksum")]
    others: Annotated[int, Meta(description="events of the bucket here that are not in the source")]
    left_out: Annotated[dict[str, int], Meta(description="invalid or dropped events, by reason")]


class MigrationProof(Struct, frozen=True, kw_only=True):
    """The checksums of both sides, each computed independently after the copy."""

    path: str
    is_proven: Annotated[bool, Meta(description="whether the checksums of all buckets are equal")]
    buckets: list[ProvenBucket]
    settings: CopiedSettings


def proof_of(migrated: Migrated) -> MigrationProof:
    """The proof of a migration as the API returns it."""
    return MigrationProof(
        path=migrated.path,
        is_proven=migrated.is_proven,
        buckets=[_bucket(copied) for copied in migrated.buckets],
        settings=migrated.settings,
    )


def _bucket(copied: CopiedBucket) -> ProvenBucket:
    proof = copied.proof
    return ProvenBucket(
        bucket=copied.bucket,
        is_proven=proof.is_proven,
        theirs=_sums(proof.source),
        ours=_sums(proof.target),
        imported=copied.imported,
        extended=copied.extended,
        repeated=copied.repeated,
        continued=proof.continued,
        others=proof.others,
        left_out={reason.value: count for reason, count in copied.left_out.items()},
    )


def _sums(sums: Sums) -> ProvenSums:
    return ProvenSums(events=sums.events, seconds=sums.duration / SECOND, checksum=sums.checksum)


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
