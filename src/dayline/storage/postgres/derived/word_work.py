"""What is to be done for the index of words of a tenant."""

from typing import Final

from msgspec import Struct

from dayline.storage.postgres.connections.connection import Connection

# Up to so many new values are counted: it is asked again and again.
_NEW: Final = """
SELECT bucket.key, (
    SELECT count(*) FROM (
        SELECT 1 FROM value WHERE value.tenant = %(tenant)s AND value.bucket = bucket.key
        AND value.key > coalesce(mark.upto, 0) ORDER BY value.key LIMIT %(least)s
    ) AS few
)
FROM bucket
LEFT JOIN word_mark AS mark
    ON mark.tenant = %(tenant)s AND mark.bucket = bucket.key AND mark.dictionary = bucket.dictionary
WHERE bucket.tenant = %(tenant)s AND bucket.deleted IS NULL ORDER BY bucket.key
"""
_STALE: Final = """
SELECT mark.bucket FROM word_mark AS mark
LEFT JOIN bucket ON bucket.tenant = %(tenant)s AND bucket.key = mark.bucket
WHERE mark.tenant = %(tenant)s AND bucket.dictionary IS DISTINCT FROM mark.dictionary ORDER BY mark.bucket
"""


class WordWork(Struct, frozen=True):
    """Buckets whose index does not fit their texts, and those with values that are not indexed."""

    stale: list[int]
    new: list[int]


def word_work(db: Connection, tenant: str, *, least_values: int) -> WordWork:
    """What there is to do. Where fewer values are new than that, they are as quickly looked through."""
    stale = [key for (key,) in db.execute(_STALE, {"tenant": tenant}).fetchall()]
    rows = db.execute(_NEW, {"tenant": tenant, "least": least_values}).fetchall()
    is_worth_it = sum(count for _, count in rows) >= least_values
    return WordWork(stale, [key for key, count in rows if count] if is_worth_it else [])


def has_words_to_index(db: Connection, tenant: str, *, least_values: int) -> bool:
    """Whether the index is to be brought up to date."""
    return word_work(db, tenant, least_values=least_values) != WordWork([], [])
