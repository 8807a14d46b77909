"""Staged rows, and a slice of them merged into a tenant's data."""

from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct
from psycopg.errors import UniqueViolation

from dayline.model.time import month_of, start_of_month
from dayline.runtime.sqlite_file import READ_ONLY, UNCHANGING
from dayline.runtime.sqlite_file import connect as open_file
from dayline.storage.postgres.connection import Connection
from dayline.storage.postgres.rows.arrays import as_array, as_text_array
from dayline.storage.postgres.writing.transaction import PostgresTransaction
from dayline.storage.postgres.writing.values import numbers_of
from dayline.storage.transfer.staging import STAGED_FROM

_ROWS: Final = f"SELECT start + {STAGED_FROM}, duration, value FROM row WHERE number BETWEEN ? AND ? ORDER BY number"
_TEXTS: Final = "SELECT number, hash, json FROM value WHERE number IN (SELECT value FROM json_each(?))"

# One slice of an import: writes staged rows of a bucket in one transaction, except those already stored. The lookups
# use LATERAL … LIMIT 1, which PostgreSQL can only execute row by row with the index; otherwise, without statistics of a
# table that has grown, it reads the whole bucket for every slice.
_FIND_VALUES: Final = """
SELECT new.place, old.key
FROM unnest(%(hashes)s::bigint[], %(texts)s::text[]) WITH ORDINALITY AS new(hash, json, place),
LATERAL (
    SELECT key FROM value
    WHERE tenant = %(tenant)s AND bucket::float8 = %(bucket)s AND hash = new.hash AND json = new.json
    AND salt >= 0 LIMIT 1
) AS old
"""
# Skipping hashes that exist takes PostgreSQL a third more time per value, and hardly any does.
_ADD_VALUES: Final = """
INSERT INTO value(tenant, bucket, hash, json)
SELECT %(tenant)s, %(bucket)s, new.hash, new.json
FROM unnest(%(hashes)s::bigint[], %(texts)s::text[]) AS new(hash, json)
{conflict}
RETURNING hash, key
"""
_ADD_ALL_VALUES: Final = _ADD_VALUES.format(conflict="")
_ADD_MISSING_VALUES: Final = _ADD_VALUES.format(
    conflict="ON CONFLICT (tenant, hash, (bucket::float8), salt) DO NOTHING"
)
_FIND_EVENTS: Final = """
SELECT new.place
FROM unnest(%(starts)s::bigint[], %(durations)s::bigint[], %(values)s::bigint[])
    WITH ORDINALITY AS new(start, duration, value, place),
LATERAL (
    SELECT FROM event
    WHERE tenant = %(tenant)s AND bucket = %(bucket)s AND start = new.start AND duration = new.duration
    AND (value = new.value OR EXISTS (
        SELECT 1 FROM value AS changed JOIN value AS same ON same.json = changed.json
        WHERE changed.tenant = %(tenant)s AND changed.bucket = %(bucket)s AND changed.key = event.value
        AND same.tenant = %(tenant)s AND same.bucket = %(bucket)s AND same.key = new.value
    )) LIMIT 1
) AS old
"""
_HAS_EVENTS: Final = """
SELECT EXISTS (SELECT FROM event WHERE tenant = %s AND bucket = %s AND start BETWEEN %s AND %s)
"""
_ADD_EVENTS: Final = """
INSERT INTO event(tenant, bucket, start, id, duration, value)
SELECT %(tenant)s, %(bucket)s, start, %(id)s + place - 1, duration, value
FROM unnest(%(starts)s::bigint[], %(durations)s::bigint[], %(values)s::bigint[])
    WITH ORDINALITY AS new(start, duration, value, place)
"""

_START: Final = attrgetter("start")

Dictionary = tuple[int, int]  # a bucket's key, and the number of its text changes


class StagedRow(Struct, frozen=True, array_like=True):
    """A staged event; `value` is a number of the staged file."""

    start: int
    duration: int
    value: int


class StagedText(Struct, frozen=True, array_like=True):
    """A staged value."""

    number: int
    hash: int
    json: str


class StagedRows:
    """An open staged file. Use it on one thread at a time."""

    def __init__(self, path: Path) -> None:
        self._db = open_file(path, READ_ONLY, options=UNCHANGING)
        self.close = self._db.close

    def rows(self, first: int, last: int) -> list[StagedRow]:
        """The rows with these numbers, in order."""
        return msgspec.convert(self._db.execute(_ROWS, (first, last)).fetchall(), list[StagedRow])

    def texts(self, numbers: Collection[int]) -> list[StagedText]:
        """The values with these numbers."""
        if not numbers:
            return []
        return msgspec.convert(
            self._db.execute(_TEXTS, (msgspec.json.encode(list(numbers)).decode(),)).fetchall(), list[StagedText]
        )


class Slice(Struct, frozen=True, kw_only=True):
    """Staged rows, and for each of their values either its key in `dictionary` or its text.

    `is_new`: the bucket had no events before the import; None: not known yet.
    """

    rows: Sequence[StagedRow]
    dictionary: Dictionary | None
    keys: Mapping[int, int]
    texts: Sequence[StagedText]
    is_new: bool | None = None


class Merged(Struct, frozen=True, kw_only=True):
    """The number of new events, and the keys of values that were looked up."""

    imported: int
    dictionary: Dictionary
    keys: Mapping[int, int]
    is_new: bool


def merge_slice(turn: PostgresTransaction, bucket_id: str, part: Slice) -> Merged | None:
    """Write the rows that are not stored yet; None, with nothing written, if the keys belong to another dictionary."""
    state = turn.find(bucket_id)
    dictionary = (state.key, state.dictionary)
    if part.dictionary not in (None, dictionary):
        return None
    is_new = state.bucket.start is None if part.is_new is None else part.is_new
    added = _value_keys(turn.db, turn.tenant, state.key, part.texts, is_new=is_new)
    keys = {**part.keys, **added}
    known = known_places(turn.db, turn.tenant, state.key, part.rows, keys)
    rows = [row for place, row in enumerate(part.rows, 1) if place not in known] if known else part.rows
    if rows:
        _cover(turn, state.key, rows)
        first = turn.take_event_ids(len(rows))
        values = _columns(turn.tenant, state.key, rows, keys)
        # Planned for this slice: a generic plan would not know how many rows it has.
        turn.db.execute(_ADD_EVENTS, {**values, "id": first}, prepare=False)
    return Merged(imported=len(rows), dictionary=dictionary, keys=added, is_new=is_new)


def stored_keys(db: Connection, tenant: str, bucket: int, texts: Sequence[StagedText]) -> dict[int, int]:
    """The keys of the values that a bucket has, by their staged numbers."""
    if not texts:
        return {}
    wanted = {
        "tenant": tenant,
        "bucket": bucket,
        "hashes": as_array(text.hash for text in texts),
        "texts": as_text_array(text.json for text in texts),
    }
    rows: list[tuple[int, int]] = db.execute(_FIND_VALUES, wanted, prepare=False).fetchall()
    return {texts[place - 1].number: key for place, key in rows}


def known_places(
    db: Connection, tenant: str, bucket: int, rows: Sequence[StagedRow], keys: Mapping[int, int]
) -> set[int]:
    """The positions, from 1, of the rows that a bucket already has. The rows are in order of their starts."""
    extent = (rows[0].start, rows[-1].start)
    row: tuple[bool] | None = db.execute(_HAS_EVENTS, (tenant, bucket, *extent)).fetchone()
    if row == (False,):
        return set()
    found = db.execute(_FIND_EVENTS, _columns(tenant, bucket, rows, keys), prepare=False).fetchall()
    return {place for (place,) in found}


def _value_keys(
    db: Connection, tenant: str, bucket: int, texts: Sequence[StagedText], *, is_new: bool
) -> dict[int, int]:
    """The keys of values; new ones are added. `is_new`: the bucket hardly has any of them, so add them first."""
    keys = {} if is_new else stored_keys(db, tenant, bucket, texts)
    missing = {text.hash: text for text in texts if text.number not in keys}
    if missing:
        keys |= {missing[hash_].number: key for hash_, key in _add_values(db, tenant, bucket, missing)}
    if is_new:
        keys |= stored_keys(db, tenant, bucket, [text for text in texts if text.number not in keys])
    # Different texts with the same hash.
    for text in texts:
        if text.number not in keys:
            place = (bucket, text.json.encode())
            keys[text.number] = numbers_of(db, tenant, [place])[place]
    return keys


def _add_values(db: Connection, tenant: str, bucket: int, texts: Mapping[int, StagedText]) -> Sequence[tuple[int, int]]:
    """Add values by their hashes, except those whose hash exists; returns the hashes and keys of those added."""
    new = {
        "tenant": tenant,
        "bucket": bucket,
        "hashes": as_array(texts),
        "texts": as_text_array(text.json for text in texts.values()),
    }
    try:
        with db.transaction():
            return db.execute(_ADD_ALL_VALUES, new, prepare=False).fetchall()
    except UniqueViolation:
        return db.execute(_ADD_MISSING_VALUES, new, prepare=False).fetchall()


def _columns(tenant: str, bucket: int, rows: Sequence[StagedRow], keys: Mapping[int, int]) -> dict[str, object]:
    return {
        "tenant": tenant,
        "bucket": bucket,
        "starts": as_array([row.start for row in rows]),
        "durations": as_array([row.duration for row in rows]),
        "values": as_array([keys.get(row.value, 0) for row in rows]),
    }


def _cover(turn: PostgresTransaction, bucket: int, rows: Sequence[StagedRow]) -> None:
    """Account for these rows, which are in order of their starts."""
    low = 0
    while low < len(rows):
        month = month_of(rows[low].start)
        high = bisect_left(rows, start_of_month(month + 1), lo=low, key=_START)
        found, low = rows[low:high], high
        last = max(found, key=lambda row: row.start + row.duration)
        # The longest does not start before the first, so this bound is not too low.
        turn.cover(bucket, found[0].start, max(row.duration for row in found), events=len(found))
        turn.cover(bucket, last.start, last.duration, events=0)
