"""Changes of the texts of a bucket's values. The bucket must be locked; it may be deleted.

A value that a redaction has changed has its own key instead of a hash: no lookup finds it, so that no other event
shares it, and a guess of the original cannot be confirmed.
"""

from collections.abc import Iterable
from typing import Final

from dayline.storage.engine.rows import ValueText
from dayline.storage.postgres.connection import Connection
from dayline.storage.postgres.rows.arrays import as_array, as_text_array

_COUNT: Final = "UPDATE bucket SET dictionary = dictionary + 1 WHERE tenant = %s AND key = %s"
_UNSEAL: Final = """
UPDATE month SET is_sealed = false, changes = changes + 1 WHERE tenant = %s AND bucket = %s AND is_sealed
"""
# Rows of values, each looked up by key: the planner expects a new bucket to have hardly any, and would scan all of
# them.
NAMED_VALUES: Final = """
unnest(%(values)s::bigint[]) AS wanted(key) CROSS JOIN LATERAL (
    SELECT ctid AS place, key, hash, json, salt FROM value
    WHERE tenant = %(tenant)s AND bucket = %(bucket)s AND key BETWEEN wanted.key AND wanted.key ORDER BY key LIMIT 1
) AS named
"""
# Those of some hashes that a value has, hidden or not.
TAKEN_HASHES: Final = """
SELECT wanted.hash FROM unnest(%(hashes)s::bigint[]) AS wanted(hash) CROSS JOIN LATERAL (
    SELECT FROM value
    WHERE tenant = %(tenant)s AND hash = wanted.hash AND bucket::float8 = %(bucket)s ORDER BY hash LIMIT 1
) AS taken
"""
_CHANGE_TEXTS: Final = f"""
UPDATE value SET hash = new.hash, salt = 0, json = new.json
FROM unnest(%(hashes)s::bigint[], %(texts)s::text[], %(values)s::bigint[]) AS new(hash, json, key)
WHERE tenant = %(tenant)s AND ctid = ANY(ARRAY(SELECT named.place FROM {NAMED_VALUES})) AND value.key = new.key
"""


def change_texts(db: Connection, tenant: str, bucket: int, texts: Iterable[ValueText]) -> None:
    """Give values other hashes and texts: everything derived from the bucket becomes invalid."""
    hashes, new, keys = zip(*texts, strict=True)
    # Planned for these: a generic plan would not know how many they are, and compare each with each.
    db.execute(
        _CHANGE_TEXTS,
        {
            "tenant": tenant,
            "bucket": bucket,
            "hashes": as_array(hashes),
            "texts": as_text_array(new),
            "values": as_array(keys),
        },
        prepare=False,
    )
    db.execute(_COUNT, (tenant, bucket))
    db.execute(_UNSEAL, (tenant, bucket))
