"""Events read from rows as columns, without an object for any of them."""

from collections.abc import Iterator, Sequence
from typing import Final, LiteralString

import numpy as np
from msgspec import Struct

from dayline.model.data import EMPTY, CanonicalJson
from dayline.model.timestamps import Microseconds
from dayline.storage.columns.columns import Flags, Ids, Times
from dayline.storage.postgres.connections.connection import Connection
from dayline.storage.postgres.rows.spans import Span

FEW_KEYS: Final = 2000  # values: rows of more are quicker read and looked at
_TEXTS_AT_ONCE: Final = 5000

# All rows as one string of bytes, 32 for each. 600,000 take 0.4 s, 15 ms of them here. By COPY they take 2.1 s: psycopg
# hands over one row at a time. In any order: so the database may read them as it likes, with several processes too.
_ROWS: Final[LiteralString] = """
SELECT string_agg(int8send(start) || int8send(duration) || int8send(id) || int8send(value), '') FROM event
WHERE tenant = %(tenant)s AND bucket = %(bucket)s AND start BETWEEN %(low)s::bigint AND %(high)s::bigint
    AND greatest(start, start + duration) >= %(from)s::bigint
"""
_ROWS_OF_KEYS: Final[LiteralString] = _ROWS + "AND value = ANY(%(keys)s::bigint[])"
# In the order of the key of the table, so that it is used: another index that begins with the tenant looks as good to
# the planner where it knows nothing of the bucket.
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


class Place(Struct, frozen=True):
    """A bucket, as rows call it."""

    tenant: str
    bucket: int


class Rows(Struct, frozen=True, eq=False):
    """Events by start and then by id, as they are stored; `key` is what the store calls their data."""

    start: Times
    duration: Times
    id: Ids
    key: Ids

    def taken(self, which: Flags) -> "Rows":
        """Some of them."""
        return Rows(self.start[which], self.duration[which], self.id[which], self.key[which])


def read_rows(
    db: Connection, place: Place, spans: Sequence[Span], touching: Microseconds, keys: Ids | None = None
) -> Rows:
    """The events that start within these ascending spans and end at `touching` or later; of some values if so asked."""
    parts = [_read(db, place, span, touching, keys) for span in spans]
    columns = np.concatenate(parts, axis=1) if parts else np.empty((4, 0), dtype=np.int64)
    start, duration, ids, values = columns
    return Rows(start, duration, ids, values)


def read_keys(db: Connection, place: Place, *, after: int = 0) -> Ids:
    """What the store calls the values of a bucket that come after one, ascending."""
    row = db.execute(KEYS, (place.tenant, place.bucket, after), binary=True).fetchone()
    return np.sort(_numbers(row))


def read_texts(db: Connection, place: Place, keys: list[int]) -> Iterator[tuple[int, CanonicalJson]]:
    """The data that the store calls so, in no order."""
    for first in range(0, len(keys), _TEXTS_AT_ONCE):
        asked = keys[first : first + _TEXTS_AT_ONCE]
        named = {"tenant": place.tenant, "bucket": place.bucket, "keys": asked}
        rows = db.execute(TEXTS, named, binary=True).fetchall()
        found = {key: text.encode() for key, text in rows}
        # A value that is not there is damage, which is for others to mend: its events have no data then.
        yield from ((key, found.get(key, EMPTY)) for key in asked)


def _read(db: Connection, place: Place, span: Span, touching: Microseconds, keys: Ids | None) -> Times:
    bounds = {"tenant": place.tenant, "bucket": place.bucket, "low": span[0], "high": span[1], "from": touching}
    if keys is None:
        row = db.execute(_ROWS, bounds, binary=True).fetchone()
    else:
        row = db.execute(_ROWS_OF_KEYS, {**bounds, "keys": keys.tolist()}, binary=True).fetchone()
    columns = np.ascontiguousarray(_numbers(row).reshape(-1, 4).T)
    start = columns[0]
    if (start[1:] > start[:-1]).all():
        return columns
    return columns[:, np.lexsort((columns[2], start))]


def _numbers(row: tuple[bytes | None] | tuple[object, ...] | None) -> Times:
    """Whole numbers from their bytes, as PostgreSQL sends them."""
    packed = row[0] if row is not None else None
    assert packed is None or isinstance(packed, bytes)
    return np.frombuffer(packed or b"", dtype=">i8").astype(np.int64)
