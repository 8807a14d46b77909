"""Merging two buckets of a tenant: the statements that copy events, find the copies again, and count beforehand."""

from typing import Any, Final

from dayline.model.bucket import Bucket
from dayline.storage.engine import EventRow, Merge, MergePair
from dayline.storage.postgres.connection import Connection

_SLICE: Final = """
SELECT start, id, duration, value FROM event
WHERE tenant = %(tenant)s AND bucket = %(source)s AND (start, id) > (%(start)s, %(id)s)
ORDER BY start, id LIMIT %(rows)s
"""
# For each of the events `moving` the text of its data, and the number that the target has for that, or NULL. Each is
# looked up by itself, and in the order of the index that fits: of a table that has grown just now the planner knows
# nothing yet, and is easily led to go through a whole dictionary for every event.
SAME_VALUE: Final = """
CROSS JOIN LATERAL (
    SELECT hash, json FROM value
    WHERE tenant = %(tenant)s AND bucket = %(source)s AND key BETWEEN moving.value AND moving.value
    ORDER BY key LIMIT 1
) AS old
LEFT JOIN LATERAL (
    SELECT key FROM value
    WHERE tenant = %(tenant)s AND bucket::float8 = %(target)s AND hash = old.hash AND json = old.json
    AND salt >= 0 LIMIT 1
) AS same ON true
"""
# Texts of one hash are told apart by the salt, those that are new here too.
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
# What the target has already counts; what was copied here does not.
_COPY_EVENTS: Final = f"""
WITH copying AS MATERIALIZED (
    SELECT moving.start, moving.id, moving.duration, same.key AS value,
        %(next)s + row_number() OVER (ORDER BY moving.start, moving.id) - 1 AS new_id
    FROM ({_SLICE}) AS moving {SAME_VALUE}
), judged AS MATERIALIZED (
    SELECT copying.*, EXISTS (
        SELECT 1 FROM event AS same WHERE same.tenant = %(tenant)s AND same.bucket = %(target)s
        AND same.start = copying.start AND same.duration = copying.duration AND same.value = copying.value
        AND same.id NOT BETWEEN %(first)s AND %(last)s
    ) AS is_there FROM copying
), copied AS (
    INSERT INTO event(tenant, bucket, start, id, duration, value)
    SELECT %(tenant)s, %(target)s, start, new_id, duration, value FROM judged WHERE NOT is_there
)
SELECT start, id, duration, is_there FROM judged ORDER BY start, id
"""
# Copies are found by their ids, which were reserved in the order of the originals. Put in one row by their order, since
# a join of so many by a number that is reckoned is beyond what the planner can know.
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
# Events of both in order of their beginning: for one that would go over, how far those reach that begin before it, and
# which begins next. An event of no length overlaps with nothing.
_COUNT: Final = f"""
WITH compared AS (
    SELECT start, duration, EXISTS (
        SELECT 1 FROM event AS theirs WHERE theirs.tenant = %(tenant)s AND theirs.bucket = %(target)s
        AND theirs.start = moving.start AND theirs.duration = moving.duration AND theirs.value = same.key
    ) AS is_there
    FROM (
        SELECT start, duration, value FROM event WHERE tenant = %(tenant)s AND bucket = %(source)s
    ) AS moving {SAME_VALUE}
), placed AS (
    SELECT is_moving, is_there, start, start + duration AS stop,
        max(start + duration) FILTER (WHERE NOT is_moving) OVER (ORDER BY start) AS reach,
        min(start) FILTER (WHERE NOT is_moving) OVER (ORDER BY start DESC) AS following
    FROM (
        SELECT start, duration, is_there, true AS is_moving FROM compared
        UNION ALL
        SELECT start, duration, false, false FROM event
        WHERE tenant = %(tenant)s AND bucket = %(target)s AND duration > 0
        AND start < %(end)s AND start + duration > %(start)s
    ) AS both_buckets
)
SELECT count(*), count(*) FILTER (WHERE is_there),
    count(*) FILTER (WHERE NOT is_there AND stop > start AND (reach > start OR following < stop))
FROM placed WHERE is_moving
"""


def copy_slice(db: Connection, tenant: str, source: int, merge: Merge, *, rows: int) -> list[tuple[Any, ...]]:
    """Copy the next events, except those that the target has; start, id, duration and whether it has them, of each."""
    place = _place(tenant, source, merge, rows)
    db.execute(_COPY_VALUES, place)
    return db.execute(_COPY_EVENTS, place).fetchall()


def merge_pairs(db: Connection, tenant: str, source: int, merge: Merge, *, rows: int) -> list[MergePair]:
    """The next events of the source, each with the event of the target that has the id reserved for its copy."""
    found = db.execute(_NEXT_PAIRS, _place(tenant, source, merge, rows)).fetchall()
    return [
        MergePair(
            EventRow(source, *row[:4]), None if row[5] is None else EventRow(merge.target, *row[4:8]), is_same=row[8]
        )
        for row in found
    ]


def count_merge(db: Connection, tenant: str, source: int, target: int, bucket: Bucket) -> tuple[int, int, int]:
    """How many events the source has, how many of them the target has too, and how many others would overlap."""
    if bucket.start is None or bucket.end is None:
        return 0, 0, 0
    place = {"tenant": tenant, "source": source, "target": target, "start": bucket.start, "end": bucket.end}
    row = db.execute(_COUNT, place).fetchone()
    assert row is not None
    return row[0], row[1], row[2]


def _place(tenant: str, source: int, merge: Merge, rows: int) -> dict[str, object]:
    """The next slice, as SQL has to know it."""
    own = {field: getattr(merge, field) for field in ("target", "first", "last", "next", "start", "id")}
    return {**own, "tenant": tenant, "source": source, "rows": rows}
