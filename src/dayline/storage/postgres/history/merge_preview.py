"""What merging two buckets would do, counted by the database."""

from typing import Final

from dayline.model.bucket import Bucket, Merged
from dayline.storage.postgres.connection import Connection, Readers
from dayline.storage.postgres.history.aliases import seen
from dayline.storage.postgres.history.merges import SAME_VALUE

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


def preview_merge(readers: Readers, tenant: str, bucket_id: str, into: str) -> Merged:
    """Count what would go over. Raises BucketNotFound."""
    with readers.transaction(tenant) as db:
        source, target = seen(db, tenant, bucket_id), seen(db, tenant, into)
        events, skipped, overlapping = _counted(db, tenant, source.key, target.key, source.bucket)
    return Merged(
        bucket=source.bucket.id,
        into=target.bucket.id,
        events=events,
        moved=events - skipped,
        skipped=skipped,
        overlapping=overlapping,
        warnings=_warnings(source.bucket, target.bucket),
        undo=None,
    )


def _counted(db: Connection, tenant: str, source: int, target: int, bucket: Bucket) -> tuple[int, int, int]:
    """How many events there are, how many the target has already, and how many others overlap with some there."""
    if bucket.start is None or bucket.end is None:
        return 0, 0, 0
    place = {"tenant": tenant, "source": source, "target": target, "start": bucket.start, "end": bucket.end}
    row = db.execute(_COUNT, place).fetchone()
    assert row is not None
    return row[0], row[1], row[2]


def _warnings(source: Bucket, target: Bucket) -> list[str]:
    named = (("type", "types"), ("client", "clients"), ("hostname", "host names"))
    return [
        f"different {words}: {getattr(source, field)!r} and {getattr(target, field)!r}"
        for field, words in named
        if getattr(source, field) != getattr(target, field)
    ]
