"""The proof that what was migrated is here as it is there, in the form that goes over the wire."""

from typing import Annotated

from msgspec import Meta, Struct

from dayline.care.migration.copying import CopiedBucket
from dayline.care.migration.ledger import Sums
from dayline.care.migration.migrated import Migrated
from dayline.care.migration.their_settings import CopiedSettings
from dayline.model.timestamps import SECOND


class ProvenSums(Struct, frozen=True, kw_only=True):
    """What stands for a set of events."""

    events: int
    seconds: Annotated[float, Meta(description="how long they are together")]
    checksum: Annotated[str, Meta(description="the sum of their digests, whatever their order")]


class ProvenBucket(Struct, frozen=True, kw_only=True):
    """A bucket of theirs: the events that are to be here, added up there and here."""

    bucket: str
    is_proven: Annotated[bool, Meta(description="whether both sums are equal")]
    theirs: ProvenSums
    ours: ProvenSums
    imported: Annotated[int, Meta(description="events that are new here")]
    extended: Annotated[int, Meta(description="events that were here, and have become longer there")]
    repeated: Annotated[int, Meta(description="events that are there more than once, and here once")]
    continued: Annotated[int, Meta(description="events that went on here, and are in neither sum")]
    others: Annotated[int, Meta(description="events of the bucket here that are none of theirs")]
    left_out: Annotated[dict[str, int], Meta(description="events that cannot be used, by the reason")]


class MigrationProof(Struct, frozen=True, kw_only=True):
    """Both sides of a migration, each added up by itself after everything was copied."""

    path: str
    is_proven: Annotated[bool, Meta(description="whether that is so of every bucket")]
    buckets: list[ProvenBucket]
    settings: CopiedSettings


def proof_of(migrated: Migrated) -> MigrationProof:
    """What a migration has proven."""
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
        theirs=_sums(proof.theirs),
        ours=_sums(proof.ours),
        imported=copied.imported,
        extended=copied.extended,
        repeated=copied.repeated,
        continued=proof.continued,
        others=proof.others,
        left_out={reason.value: count for reason, count in copied.left_out.items()},
    )


def _sums(sums: Sums) -> ProvenSums:
    return ProvenSums(events=sums.events, seconds=sums.duration / SECOND, checksum=sums.checksum)
