"""The dictionary of values in the database: maps a data object to its key."""

from collections.abc import Iterable
from typing import Final, LiteralString

from dayline.model.data import CanonicalJson
from dayline.storage.columns.hashes import hash_of
from dayline.storage.postgres.connection import Connection

_REMEMBERED: Final = 16_384
_REMEMBERED_BYTES: Final = 512

# (tenant, bucket, number of text changes, text): what was cached before a change is not found after it. Two tenants may
# have buckets with the same key, if one of them was copied from another database.
Place = tuple[str, int, int, CanonicalJson]

# Those below zero are hidden (dictionary.py).
_FIND: Final = """
SELECT wanted.bucket, wanted.json, found.key
FROM unnest(%(buckets)s::bigint[], %(hashes)s::bigint[], %(texts)s::text[]) AS wanted(bucket, hash, json)
CROSS JOIN LATERAL (
    SELECT key FROM value
    WHERE tenant = %(tenant)s AND hash = wanted.hash AND bucket::float8 = wanted.bucket AND salt >= 0
    AND json = wanted.json LIMIT 1
) AS found
"""
_ADD: Final = """
INSERT INTO value(tenant, bucket, hash, salt, json)
SELECT %(tenant)s, bucket, hash,
    (
        SELECT coalesce(max(salt) + 1, 0) FROM value
        WHERE tenant = %(tenant)s AND hash = new.hash AND bucket::float8 = new.bucket AND salt >= 0
    ), json
FROM unnest(%(buckets)s::bigint[], %(hashes)s::bigint[], %(texts)s::text[]) AS new(bucket, hash, json)
ON CONFLICT (tenant, hash, (bucket::float8), salt) DO NOTHING
RETURNING bucket, json, key
"""


class ValueDictionary:
    """Keys of values, found by hash with the text compared. Only committed keys are cached."""

    def __init__(self) -> None:
        self._recent: dict[Place, int] = {}

    def known(self, place: Place) -> int | None:
        return self._recent.get(place)

    def remember(self, numbers: Iterable[tuple[Place, int]]) -> None:
        """Cache the keys that a committed transaction has looked up."""
        for place, number in numbers:
            if len(place[-1]) <= _REMEMBERED_BYTES:
                if len(self._recent) >= _REMEMBERED:
                    del self._recent[next(iter(self._recent))]
                self._recent[place] = number


def numbers_of(
    db: Connection, tenant: str, wanted: Iterable[tuple[int, CanonicalJson]]
) -> dict[tuple[int, CanonicalJson], int]:
    """The keys of these values; new ones are added. The buckets must be locked."""
    missing = dict.fromkeys(wanted)
    found: dict[tuple[int, CanonicalJson], int] = {}
    for statement in (_FIND, _ADD, _FIND):
        _take(db, statement, tenant, missing, found)
        if not missing:
            return found
    # Two new values had the same hash, and only the first was added.
    for place in list(missing):
        _take(db, _ADD, tenant, {place: None}, found)
    return found


def _take(
    db: Connection,
    statement: LiteralString,
    tenant: str,
    missing: dict[tuple[int, CanonicalJson], None],
    found: dict[tuple[int, CanonicalJson], int],
) -> None:
    rows = db.execute(
        statement,
        {
            "tenant": tenant,
            "buckets": [bucket for bucket, _ in missing],
            "hashes": [hash_of(text) for _, text in missing],
            "texts": [text.decode() for _, text in missing],
        },
    ).fetchall()
    for bucket, text, key in rows:
        place = (bucket, text.encode())
        if place in missing:
            del missing[place]
            found[place] = key
