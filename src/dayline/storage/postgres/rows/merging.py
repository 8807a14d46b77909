"""SQL for merging two buckets of a tenant: copying events, and finding the copies again."""

import json
from collections.abc import Mapping
from typing import Any, Final

from dayline.storage.columns.hashes import hash_of
from dayline.storage.engine.merge import Merge, MergePair
from dayline.storage.engine.rows import EventRow
from dayline.storage.postgres.connection import Connection

_SLICE: Final = """
SELECT start, id, duration, value FROM event
WHERE tenant = %(tenant)s AND bucket = %(source)s AND (start, id) > (%(start)s, %(id)s)
ORDER BY start, id LIMIT %(rows)s
"""
# Values that a redaction has changed, which have no hash: the target gets their texts as if they had been recorded.
_OF_SLICE: Final = f"""
SELECT changed.key, changed.json FROM (SELECT DISTINCT value FROM ({_SLICE}) AS slice) AS moving CROSS JOIN LATERAL (
    SELECT key, hash, json FROM value
    WHERE tenant = %(tenant)s AND bucket = %(source)s AND key BETWEEN moving.value AND moving.value
    ORDER BY key LIMIT 1
) AS changed WHERE changed.hash = changed.key
"""
# For each event in `moving`, the text of its data and the target's key for it, or NULL. Each is looked up separately,
# in the order of the matching index: without statistics of a table that has just grown, the planner may scan a whole
# dictionary for every event.
SAME_VALUE: Final = """
CROSS JOIN LATERAL (
    SELECT coalesce((%(missing_hashes)s::jsonb ->> key::text)::bigint, hash) AS hash, json FROM value
    WHERE tenant = %(tenant)s AND bucket = %(source)s AND key BETWEEN moving.value AND moving.value
    ORDER BY key LIMIT 1
) AS old
LEFT JOIN LATERAL (
    SELECT key FROM value
    WHERE tenant = %(tenant)s AND bucket::float8 = %(target)s AND hash = old.hash AND json = old.json
    AND salt >= 0 LIMIT 1
) AS same ON true
"""
# Different texts with the same hash are distinguished by the salt, including those added here.
_COPY_VALUES: Final = f"""
INSERT INTO value(tenant, bucket, hash, salt, json)
SELECT %(tenant)s, %(target)s, new.hash, row_number() OVER (PARTITION BY new.hash) - 1 + (
    SELECT coalesce(max(salt) + 1, 0) FROM value
    WHERE tenant = %(tenant)s AND bucket::float8 = %(target)s AND hash = new.hash AND salt >= 0
), new.json
FROM (
    SELECT DISTINCT old.hash, old.json FROM (SELECT DISTINCT value FROM ({_SLICE}) AS slice) AS moving
    {SAME_VALUE} WHERE same.key IS NULL
) AS new
"""
# Events that the target had before the merge are skipped.
_COPY_EVENTS: Final = f"""
WITH copying AS MATERIALIZED (
    SELECT moving.start, moving.id, moving.duration, same.key AS value, old.json,
        %(next)s + row_number() OVER (ORDER BY moving.start, moving.id) - 1 AS new_id
    FROM ({_SLICE}) AS moving {SAME_VALUE}
), judged AS MATERIALIZED (
    SELECT copying.*, EXISTS (
        SELECT 1 FROM event AS same WHERE same.tenant = %(tenant)s AND same.bucket = %(target)s
        AND same.start = copying.start AND same.duration = copying.duration
        AND same.id NOT BETWEEN %(first)s AND %(last)s AND (same.value = copying.value OR copying.json = (
            SELECT json FROM value WHERE tenant = %(tenant)s AND bucket = %(target)s AND key = same.value
        ))
    ) AS is_there FROM copying
), copied AS (
    INSERT INTO event(tenant, bucket, start, id, duration, value)
    SELECT %(tenant)s, %(target)s, start, new_id, duration, value FROM judged WHERE NOT is_there
)
SELECT start, id, duration, is_there FROM judged ORDER BY start, id
"""
# Copies are found by their ids, which were reserved in the order of the originals. They are paired by row number,
# because the planner cannot estimate a join on a computed number.
_PAIRS: Final = f"""
SELECT start, id, duration, value, copy_start, copy_id, copy_duration, copy_value,
    coalesce(copy_start = start AND copy_duration >= duration AND copy_value = same_value, false) AS is_same
FROM (
    SELECT *, lead(start) OVER pair AS copy_start, lead(id) OVER pair AS copy_id,
        lead(duration) OVER pair AS copy_duration, lead(value) OVER pair AS copy_value
    FROM (
        SELECT row_number() OVER (ORDER BY start, id) AS rank, false AS is_copy, start, id, duration, value,
            same.key AS same_value
        FROM (
            SELECT start, id, duration, value FROM event
            WHERE tenant = %(tenant)s AND bucket = %(source)s AND (start, id) > (%(start)s, %(id)s)
            ORDER BY start, id LIMIT %(rows)s
        ) AS moving {SAME_VALUE}
        UNION ALL
        SELECT id - %(next)s + 1, true, start, id, duration, value, NULL FROM event
        WHERE tenant = %(tenant)s AND bucket = %(target)s
        AND id BETWEEN %(next)s AND least(%(last)s, %(next)s::bigint + %(rows)s - 1)
    ) AS both_buckets
    WINDOW pair AS (PARTITION BY rank ORDER BY is_copy)
) AS paired WHERE NOT is_copy
"""
_NEXT_PAIRS: Final = f"{_PAIRS} ORDER BY start, id"


def copy_slice(db: Connection, tenant: str, source: int, merge: Merge, *, rows: int) -> list[tuple[Any, ...]]:
    """Copy the next events that the target does not have; returns start, id, duration and whether it has them, of
    each.
    """
    place = _place(tenant, source, merge, rows)
    place["missing_hashes"] = _missing_hashes(db, place)
    db.execute(_COPY_VALUES, place)
    return db.execute(_COPY_EVENTS, place).fetchall()


def merge_pairs(db: Connection, tenant: str, source: int, merge: Merge, *, rows: int) -> list[MergePair]:
    """The next events of the source, each with the target's event that has the id reserved for its copy."""
    place = _place(tenant, source, merge, rows)
    found = db.execute(_NEXT_PAIRS, {**place, "missing_hashes": _missing_hashes(db, place)}).fetchall()
    return [
        MergePair(
            EventRow(source, *row[:4]), None if row[5] is None else EventRow(merge.target, *row[4:8]), is_same=row[8]
        )
        for row in found
    ]


def _missing_hashes(db: Connection, place: Mapping[str, object]) -> str:
    """The hashes of the texts that redactions have changed, by the keys of their values, as JSON."""
    return json.dumps({key: hash_of(text.encode()) for key, text in db.execute(_OF_SLICE, place).fetchall()})


def _place(tenant: str, source: int, merge: Merge, rows: int) -> dict[str, object]:
    """The SQL parameters of the next slice."""
    own = {field: getattr(merge, field) for field in ("target", "first", "last", "next", "start", "id")}
    return {**own, "tenant": tenant, "source": source, "rows": rows}
