"""What thinning would do, found out by the database, month after month."""

from collections.abc import Mapping

from dayline.model.errors import BucketNotFound
from dayline.model.retention import BucketThinning
from dayline.model.timestamps import Microseconds
from dayline.storage.postgres.connections.connection import Readers
from dayline.storage.postgres.rows.reader import bucket_key
from dayline.storage.postgres.upkeep.table_sizes import table_sizes
from dayline.storage.postgres.upkeep.thinning_rows import months_to_thin, removed_by_thinning
from dayline.storage.retention.thinning import Span, cutoff_of

_EVENTS = "SELECT coalesce(sum(events), 0)::bigint FROM month WHERE tenant = %s AND bucket = %s"


def preview(readers: Readers, tenant: str, days: Mapping[str, int], *, now: Microseconds) -> list[BucketThinning]:
    """What thinning would make of buckets, in short transactions. On a thread."""
    with readers.transaction(tenant) as db:
        event_bytes = table_sizes(db, tenant).event_bytes
    found: list[BucketThinning] = []
    for bucket_id, age in days.items():
        try:
            key, events, months = _bucket(readers, tenant, bucket_id, cutoff_of(now, age))
        except BucketNotFound:
            continue
        removed = sum(_removed(readers, tenant, key, month) for month in months)
        size = round(removed * event_bytes)
        found.append(BucketThinning(bucket=bucket_id, days=age, events=events, after=events - removed, bytes=size))
    return found


def _bucket(readers: Readers, tenant: str, bucket_id: str, cutoff: Microseconds) -> tuple[int, int, list[Span]]:
    with readers.transaction(tenant) as db:
        key = bucket_key(db, tenant, bucket_id)
        row = db.execute(_EVENTS, (tenant, key)).fetchone()
        return key, 0 if row is None else int(row[0]), months_to_thin(db, tenant, key, cutoff)


def _removed(readers: Readers, tenant: str, key: int, month: Span) -> int:
    with readers.transaction(tenant) as db:
        return removed_by_thinning(db, tenant, key, month)
