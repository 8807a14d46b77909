"""The proof of a migration, as the API returns it."""

from typing import Annotated

from msgspec import Meta, Struct

from dayline.maintenance.migration.model import CopiedBucket, CopiedSettings, Migrated, Sums
from dayline.model.time import SECOND


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
