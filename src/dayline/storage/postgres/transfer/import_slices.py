"""One slice of an import: staged rows of a bucket go in place in one transaction, but for those that are there already.

The searches are written as LATERAL … LIMIT 1, which PostgreSQL can only do row by row, with the index: otherwise, while
it knows nothing of a table that has grown since it was looked at last, it reads the whole bucket for every slice.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from dayline.storage.postgres.connections.arrays import as_array, as_text_array
from dayline.storage.postgres.connections.connection import Connection
from dayline.storage.postgres.transfer.staged_rows import StagedRow, StagedText
from dayline.storage.postgres.writing.turn import Turn
from dayline.storage.postgres.writing.values import numbers_of

_FIND_VALUES: Final = """
SELECT new.place, old.key
FROM unnest(%(hashes)s::bigint[], %(texts)s::text[]) WITH ORDINALITY AS new(hash, json, place),
LATERAL (
    SELECT key FROM value
    WHERE tenant = %(tenant)s AND bucket::float8 = %(bucket)s AND hash = new.hash AND json = new.json
    AND salt >= 0 LIMIT 1
) AS old
"""
_ADD_VALUES: Final = """
INSERT INTO value(tenant, bucket, hash, json)
SELECT %(tenant)s, %(bucket)s, new.hash, new.json
FROM unnest(%(hashes)s::bigint[], %(texts)s::text[]) AS new(hash, json)
ON CONFLICT (tenant, hash, (bucket::float8), salt) DO NOTHING
RETURNING hash, key
"""
_FIND_EVENTS: Final = """
SELECT new.place
FROM unnest(%(starts)s::bigint[], %(durations)s::bigint[], %(values)s::bigint[])
    WITH ORDINALITY AS new(start, duration, value, place),
LATERAL (
    SELECT FROM event
    WHERE tenant = %(tenant)s AND bucket = %(bucket)s
    AND start = new.start AND duration = new.duration AND value = new.value LIMIT 1
) AS old
"""
_ADD_EVENTS: Final = """
INSERT INTO event(tenant, bucket, start, id, duration, value)
SELECT %(tenant)s, %(bucket)s, start, %(id)s + place - 1, duration, value
FROM unnest(%(starts)s::bigint[], %(durations)s::bigint[], %(values)s::bigint[])
    WITH ORDINALITY AS new(start, duration, value, place)
"""

Dictionary = tuple[int, int]  # a bucket's key, and how often texts of its dictionary were changed


class Slice(Struct, frozen=True, kw_only=True):
    """Staged rows, and what their values are called here: either the key of one in `dictionary`, or its text."""

    rows: Sequence[StagedRow]
    dictionary: Dictionary | None
    keys: Mapping[int, int]
    texts: Sequence[StagedText]


class Merged(Struct, frozen=True, kw_only=True):
    """How many events were new, and the keys of values that were found out."""

    imported: int
    dictionary: Dictionary
    keys: Mapping[int, int]


def merge_slice(turn: Turn, bucket_id: str, part: Slice) -> Merged | None:
    """Write what is not there yet; None, and nothing, where the keys are those of another dictionary."""
    state = turn.find(bucket_id)
    dictionary = (state.key, state.dictionary)
    if part.dictionary not in (None, dictionary):
        return None
    added = _value_keys(turn.db, turn.tenant, state.key, part.texts)
    keys = {**part.keys, **added}
    known = known_places(turn.db, turn.tenant, state.key, part.rows, keys)
    rows = [row for place, row in enumerate(part.rows, 1) if place not in known] if known else part.rows
    if rows:
        _cover(turn, state.key, rows)
        first = turn.take_event_ids(len(rows))
        values = _columns(turn.tenant, state.key, rows, keys)
        # Planned for this slice: a plan for any would not know how many rows it has.
        turn.db.execute(_ADD_EVENTS, {**values, "id": first}, prepare=False)
    return Merged(imported=len(rows), dictionary=dictionary, keys=added)


def stored_keys(db: Connection, tenant: str, bucket: int, texts: Sequence[StagedText]) -> dict[int, int]:
    """The keys of those values that a bucket has, by their staged numbers."""
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
    """Which of the rows a bucket has already, counted from 1."""
    found = db.execute(_FIND_EVENTS, _columns(tenant, bucket, rows, keys), prepare=False).fetchall()
    return {place for (place,) in found}


def _value_keys(db: Connection, tenant: str, bucket: int, texts: Sequence[StagedText]) -> dict[int, int]:
    """The keys of values, which are added where they are new."""
    keys = stored_keys(db, tenant, bucket, texts)
    missing = {text.hash: text for text in texts if text.number not in keys}
    if missing:
        wanted = {
            "tenant": tenant,
            "bucket": bucket,
            "hashes": as_array(missing),
            "texts": as_text_array(text.json for text in missing.values()),
        }
        rows = db.execute(_ADD_VALUES, wanted, prepare=False).fetchall()
        keys |= {missing[hash_].number: key for hash_, key in rows}
    # Different texts with the same hash.
    for text in texts:
        if text.number not in keys:
            place = (bucket, text.json.encode())
            keys[text.number] = numbers_of(db, tenant, [place])[place]
    return keys


def _columns(tenant: str, bucket: int, rows: Sequence[StagedRow], keys: Mapping[int, int]) -> dict[str, object]:
    return {
        "tenant": tenant,
        "bucket": bucket,
        "starts": as_array(row.start for row in rows),
        "durations": as_array(row.duration for row in rows),
        "values": as_array(keys.get(row.value, 0) for row in rows),
    }


def _cover(turn: Turn, bucket: int, rows: Sequence[StagedRow]) -> None:
    months: defaultdict[int, list[StagedRow]] = defaultdict(list)
    for row in rows:
        months[row.month].append(row)
    for found in months.values():
        first, longest = min(row.start for row in found), max(row.duration for row in found)
        last = max(found, key=lambda row: row.start + row.duration)
        # The longest does not begin before the first, so that this reaches no further than that one does.
        turn.cover(bucket, first, longest, events=len(found))
        turn.cover(bucket, last.start, last.duration, events=0)
