"""The rows of segments."""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from dayline.storage.columns.segment_plan import PackedPack, SegmentKey
from dayline.storage.postgres.connection import Connection, transaction

# Rows of derived data. Deleting locks the bucket first; adding locks it at the end. Added rows are invisible before the
# commit, so no lock is held while megabytes are sent, and under the lock it is known whether they are still wanted.
_SEGMENTS_AT_ONCE: Final = 24  # months read together: some tens of MiB for a busy bucket

_PACK_PLACES: Final = "SELECT generation, first, count FROM pack WHERE tenant = %s AND bucket = %s ORDER BY first"
_PACKS: Final = """
SELECT first, count, packed FROM pack WHERE tenant = %s AND bucket = %s AND generation = %s ORDER BY first
"""
_SEGMENTS: Final = """
SELECT segment.month, packed FROM unnest(%(months)s::integer[], %(versions)s::bigint[]) AS wanted(month, version)
CROSS JOIN LATERAL (
    SELECT month, packed FROM segment
    WHERE tenant = %(tenant)s AND bucket = %(bucket)s AND generation = %(generation)s
        AND month = wanted.month AND version = wanted.version LIMIT 1
) AS segment
"""
_ADD_PACK: Final = """
INSERT INTO pack(tenant, bucket, generation, first, count, packed) VALUES(%s, %s, %s, %s, %s, %b)
ON CONFLICT DO NOTHING
"""
_ADD_SEGMENT: Final = """
INSERT INTO segment(tenant, bucket, generation, month, version, packed) VALUES(%s, %s, %s, %s, %s, %b)
ON CONFLICT DO NOTHING
"""
_DICTIONARY: Final = "SELECT dictionary FROM bucket WHERE tenant = %s AND key = %s AND deleted IS NULL"
_UNCHANGED: Final = """
SELECT count(*) FROM unnest(%s::integer[], %s::bigint[]) AS built(month, version), LATERAL (
    SELECT 1 FROM month
    WHERE tenant = %s AND bucket = %s AND month.month = built.month AND changes = built.version AND is_sealed LIMIT 1
) AS same
"""
_SAME_PACKS: Final = """
SELECT count(*) FROM unnest(%s::integer[], %s::integer[]) AS known(first, count), LATERAL (
    SELECT 1 FROM pack
    WHERE tenant = %s AND bucket = %s AND generation = %s AND pack.first = known.first AND pack.count = known.count
) AS same
"""
_FORGET_OLD: Final = (
    """
DELETE FROM segment USING unnest(%(months)s::integer[], %(versions)s::bigint[]) AS new(month, version)
WHERE tenant = %(tenant)s AND bucket = %(bucket)s AND segment.month = new.month AND segment.version <> new.version
""",
    """
DELETE FROM pack USING unnest(%(firsts)s::integer[], %(counts)s::integer[]) AS new(first, count)
WHERE tenant = %(tenant)s AND bucket = %(bucket)s AND generation = %(generation)s
    AND pack.first = new.first AND pack.count < new.count
""",
    "DELETE FROM segment WHERE tenant = %(tenant)s AND bucket = %(bucket)s AND generation <> %(generation)s",
    "DELETE FROM pack WHERE tenant = %(tenant)s AND bucket = %(bucket)s AND generation <> %(generation)s",
)
_FORGET: Final = (
    "DELETE FROM segment WHERE tenant = %s AND bucket = %s AND generation = %s",
    "DELETE FROM pack WHERE tenant = %s AND bucket = %s AND generation = %s",
)

PackPlace = tuple[int, int]  # the number of its first value, and how many it has


class Packs(Struct, frozen=True):
    """The packs of a bucket, by position."""

    generation: int
    places: tuple[PackPlace, ...]


class Built(Struct, frozen=True, kw_only=True):
    """The result of building a bucket after this many text changes. `extended` are the packs that it extends."""

    generation: int
    dictionary: int
    extended: Sequence[PackPlace]
    packs: Sequence[PackedPack]
    segments: Sequence[tuple[SegmentKey, bytes]]


def packs_of(db: Connection, tenant: str, bucket: int) -> Packs | None:
    """The packs of a bucket; None if it has none."""
    rows = db.execute(_PACK_PLACES, (tenant, bucket)).fetchall()
    return Packs(rows[0][0], tuple((first, count) for _, first, count in rows)) if rows else None


def segment_places(db: Connection, tenant: str, bucket: int) -> set[SegmentKey]:
    """The segments of a bucket, valid or not."""
    rows = db.execute("SELECT bucket, month, version FROM segment WHERE tenant = %s AND bucket = %s", (tenant, bucket))
    return {SegmentKey(*row) for row in rows.fetchall()}


def read_packs(db: Connection, tenant: str, bucket: int, generation: int) -> list[PackedPack]:
    return db.execute(_PACKS, (tenant, bucket, generation), binary=True).fetchall()


def read_segments(
    db: Connection, tenant: str, generation: int, places: Sequence[SegmentKey]
) -> Iterator[tuple[SegmentKey, bytes]]:
    """The existing ones of these segments of a bucket."""
    for low in range(0, len(places), _SEGMENTS_AT_ONCE):
        some = places[low : low + _SEGMENTS_AT_ONCE]
        wanted = {
            "tenant": tenant,
            "bucket": some[0].bucket,
            "generation": generation,
            "months": [place.month for place in some],
            "versions": [place.version for place in some],
        }
        found: dict[int, bytes] = dict(db.execute(_SEGMENTS, wanted, binary=True).fetchall())
        yield from ((place, found.pop(place.month)) for place in some if place.month in found)


def keep(db: Connection, tenant: str, bucket: int, built: Built) -> bool:
    """Replace the stored result; False, with nothing written, if the bucket has changed.

    So every text in it belongs to an event at this time. If an event is deleted later, so are the packs.
    """
    with transaction(db, tenant):
        db.execute("SET LOCAL synchronous_commit = off")  # what is lost is built again
        for first, count, packed in built.packs:
            db.execute(_ADD_PACK, (tenant, bucket, built.generation, first, count, packed))
        for place, packed in built.segments:
            db.execute(_ADD_SEGMENT, (tenant, bucket, built.generation, place.month, place.version, packed))
        if not _is_as_it_was(db, tenant, bucket, built):
            db.rollback()
            return False
        _forget_old(db, tenant, bucket, built)
    return True


def forget(db: Connection, tenant: str, bucket: int, generation: int) -> None:
    """Delete the derived data of a bucket."""
    with transaction(db, tenant):
        db.execute("SELECT 1 FROM bucket WHERE tenant = %s AND key = %s FOR UPDATE", (tenant, bucket))
        for statement in _FORGET:
            db.execute(statement, (tenant, bucket, generation))


def dictionary_of(db: Connection, tenant: str, bucket: int) -> int | None:
    """The number of text changes of a bucket; None if it no longer exists."""
    row = db.execute(_DICTIONARY, (tenant, bucket)).fetchone()
    return None if row is None else int(row[0])


def _forget_old(db: Connection, tenant: str, bucket: int, built: Built) -> None:
    place = {
        "tenant": tenant,
        "bucket": bucket,
        "generation": built.generation,
        "months": [place.month for place, _ in built.segments],
        "versions": [place.version for place, _ in built.segments],
        "firsts": [first for first, _, _ in built.packs],
        "counts": [count for _, count, _ in built.packs],
    }
    for statement in _FORGET_OLD:
        db.execute(statement, place)


def _is_as_it_was(db: Connection, tenant: str, bucket: int, built: Built) -> bool:
    """Whether texts, months and packs of a bucket are unchanged since they were read. Locks the bucket."""
    if db.execute(f"{_DICTIONARY} FOR SHARE", (tenant, bucket)).fetchone() != (built.dictionary,):
        return False
    months = [place.month for place, _ in built.segments]
    versions = [place.version for place, _ in built.segments]
    if db.execute(_UNCHANGED, (months, versions, tenant, bucket)).fetchone() != (len(months),):
        return False
    firsts, counts = [first for first, _ in built.extended], [count for _, count in built.extended]
    return db.execute(_SAME_PACKS, (firsts, counts, tenant, bucket, built.generation)).fetchone() == (len(firsts),)
