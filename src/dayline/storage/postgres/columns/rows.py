"""Reads events and texts from rows as columns. Only query processes import this."""

from collections.abc import Iterator, Sequence
from typing import Final, LiteralString

import numpy as np
from msgspec import Struct

from dayline.model.data import EMPTY, CanonicalJson
from dayline.model.time import Microseconds
from dayline.storage.columns.months import Span
from dayline.storage.columns.snapshot import Rows
from dayline.storage.columns.source import Ids, Times
from dayline.storage.postgres.connection import Connection

_TEXTS_AT_ONCE: Final = 5000

# All rows as one byte string, 32 bytes each. 600,000 take 0.4 s, of which 15 ms here. With COPY they take 2.1 s:
# psycopg returns one row at a time. In any order, so that the database may read in parallel.
_ROWS: Final[LiteralString] = """
SELECT string_agg(int8send(start) || int8send(duration) || int8send(id) || int8send(value), '') FROM event
WHERE tenant = %(tenant)s AND bucket = %(bucket)s AND start BETWEEN %(low)s::bigint AND %(high)s::bigint
    AND greatest(start, start + duration) >= %(from)s::bigint
"""
_ROWS_OF_KEYS: Final[LiteralString] = _ROWS + "AND value = ANY(%(keys)s::bigint[])"
_COUNT: Final = """
SELECT count(*) FROM unnest(%s::bigint[], %s::bigint[]) AS span(low, high) JOIN event ON start BETWEEN low AND high
WHERE tenant = %s AND bucket = %s AND greatest(start, start + duration) >= %s::bigint
"""
# In the order of the primary key, so that it is used: without statistics of the bucket, another index that begins with
# the tenant looks just as good to the planner.
KEYS: Final = """
SELECT string_agg(int8send(key), '')
FROM (SELECT key FROM value WHERE tenant = %s AND bucket = %s AND key > %s ORDER BY key) AS ascending
"""
TEXTS: Final = """
SELECT found.key, found.json FROM unnest(%(keys)s::bigint[]) AS wanted(key) CROSS JOIN LATERAL (
    SELECT key, json FROM value
    WHERE tenant = %(tenant)s AND bucket = %(bucket)s AND key BETWEEN wanted.key AND wanted.key ORDER BY key LIMIT 1
) AS found
"""


class BucketKeys(Struct, frozen=True):
    """A bucket by its keys."""

    tenant: str
    bucket: int


def read_rows(db: Connection, place: BucketKeys, span: Span, touching: Microseconds, keys: Ids | None = None) -> Rows:
    """The events that start within a span and end at `touching` or later, optionally of some values."""
    bounds = {"tenant": place.tenant, "bucket": place.bucket, "low": span[0], "high": span[1], "from": touching}
    if keys is None:
        row = db.execute(_ROWS, bounds, binary=True).fetchone()
    else:
        row = db.execute(_ROWS_OF_KEYS, {**bounds, "keys": keys.tolist()}, binary=True).fetchone()
    columns = np.ascontiguousarray(_numbers(row).reshape(-1, 4).T)
    start = columns[0]
    if not (start[1:] > start[:-1]).all():
        columns = columns[:, np.lexsort((columns[2], start))]
    return Rows(*columns)


def count_rows(db: Connection, place: BucketKeys, spans: Sequence[Span], touching: Microseconds) -> int:
    """The number of events that start within spans and end at `touching` or later."""
    lows, highs = [low for low, _ in spans], [high for _, high in spans]
    row = db.execute(_COUNT, (lows, highs, place.tenant, place.bucket, touching)).fetchone()
    return 0 if row is None else int(row[0])


def read_keys(db: Connection, place: BucketKeys, *, after: int = 0) -> Ids:
    """The keys of a bucket's values after one, ascending."""
    row = db.execute(KEYS, (place.tenant, place.bucket, after), binary=True).fetchone()
    return np.sort(_numbers(row))


def read_texts(db: Connection, place: BucketKeys, keys: list[int]) -> Iterator[tuple[int, CanonicalJson]]:
    """The texts of the values with these keys, in any order."""
    for first in range(0, len(keys), _TEXTS_AT_ONCE):
        asked = keys[first : first + _TEXTS_AT_ONCE]
        named = {"tenant": place.tenant, "bucket": place.bucket, "keys": asked}
        rows = db.execute(TEXTS, named, binary=True).fetchall()
        found = {key: text.encode() for key, text in rows}
        # A missing value is damage, which the repair handles: its events have no data then.
        yield from ((key, found.get(key, EMPTY)) for key in asked)


def _numbers(row: tuple[bytes | None] | tuple[object, ...] | None) -> Times:
    """Integers from their bytes, as PostgreSQL sends them."""
    packed = row[0] if row is not None else None
    assert packed is None or isinstance(packed, bytes)
    return np.frombuffer(packed or b"", dtype=">i8").astype(np.int64)
